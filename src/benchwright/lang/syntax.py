"""Does a text parse, and if not, why and where."""

from __future__ import annotations

from benchwright.lang.faults import MAX_BYTES, Fault
from benchwright.lang.languages import PYTHON, language
from benchwright.lang.python.tree import parse as parse_python
from benchwright.lang.trees import parse as parse_tree

__all__ = ["MAX_BYTES", "Fault", "syntax_fault"]


def syntax_fault(code: str, lang: str) -> Fault | None:
    """The first fault of a text's syntax, or None. Never raises for what the text holds.

    Python's own parser judges Python, and so does the running version's grammar. Java and Go are judged by
    a grammar that is a little more lenient than their compilers.
    """
    kind = language(lang)
    if kind == PYTHON:
        tree = parse_python(code)
        return tree if isinstance(tree, Fault) else None
    parsed = parse_tree(code, kind)
    return parsed if isinstance(parsed, Fault) else parsed.fault
