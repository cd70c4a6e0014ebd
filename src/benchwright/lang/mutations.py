"""Small named changes to a focal file, to see whether its tests notice.

Kinds: "compare" (a comparison becomes its negation), "boundary" (`<` becomes `<=`), "logic" (and, or),
"negate" (a condition), "boolean" (True, False), "constant" (an integer, one more), "arithmetic" (another
operator), "return" (None, or the type's zero), "arguments" (the first two of a call, swapped).
"""

from __future__ import annotations

from collections.abc import Iterator

from benchwright.lang.edits import mutants_of
from benchwright.lang.faults import Fault
from benchwright.lang.found import Mutant
from benchwright.lang.languages import PYTHON, language
from benchwright.lang.python.mutations import python_edits
from benchwright.lang.python.tree import parse as parse_python
from benchwright.lang.tree_mutations import tree_edits
from benchwright.lang.trees import parse as parse_tree

__all__ = ["KINDS", "Mutant", "mutants"]

KINDS = ("compare", "boundary", "logic", "negate", "boolean", "constant", "arithmetic", "return", "arguments")


def mutants(focal_code: str, lang: str) -> Iterator[Mutant]:
    """Every mutant in the file's order, always the same; none for a text that does not parse.

    The text around the change stays as it is, letter for letter. A mutant in Python parses; one in Java or
    Go may not compile, since nothing here knows types.
    """
    kind = language(lang)
    if kind == PYTHON:
        module = parse_python(focal_code)
        edits = iter(()) if isinstance(module, Fault) else python_edits(module, focal_code)
    else:
        tree = parse_tree(focal_code, kind)
        edits = iter(()) if isinstance(tree, Fault) or tree.fault else tree_edits(tree)
    yield from mutants_of(focal_code.encode("utf-8", "replace"), edits)
