"""What a file imports, of which kind, and what of it a pair of files does not have."""

from __future__ import annotations

from collections.abc import Collection

from benchwright.contracts import Suite
from benchwright.lang.faults import Fault
from benchwright.lang.found import KINDS, Import
from benchwright.lang.go.importing import go_imports
from benchwright.lang.go.missing import missing_in_go
from benchwright.lang.java.importing import java_imports
from benchwright.lang.java.missing import missing_in_java
from benchwright.lang.languages import JAVA, PYTHON, language
from benchwright.lang.python.importing import python_imports
from benchwright.lang.python.missing import missing_in_python
from benchwright.lang.python.tree import parse as parse_python
from benchwright.lang.trees import parse as parse_tree

__all__ = ["KINDS", "Import", "imports", "unresolved"]


def imports(code: str, lang: str, *, roots: Collection[str] = ()) -> list[Import]:
    """All imports in the file's order; none for a text that does not parse.

    `roots` are the project's own top-level packages (Python), package prefixes (Java) or module paths
    (Go), where they are known: then only what is under them is "project". Without them, a name that is no
    well-known package's counts as the project's in Python, Java goes by the file's own package, and Go by
    whether the path begins with a host.
    """
    kind = language(lang)
    if kind == PYTHON:
        module = parse_python(code)
        return [] if isinstance(module, Fault) else python_imports(module, roots)
    tree = parse_tree(code, kind)
    if isinstance(tree, Fault):
        return []
    return java_imports(tree, roots) if kind == JAVA else go_imports(tree, roots)


def unresolved(suite: Suite, *, roots: Collection[str] = ()) -> list[str]:
    """What the suite needs from project files that it does not have: modules, classes, names; sorted.

    Names that the test takes from the focal file are not among it, even where the focal file lacks them:
    that is what an execution is for. `roots` as in `imports`.
    """
    kind = language(suite.lang)
    missing = {PYTHON: missing_in_python, JAVA: missing_in_java}.get(kind, missing_in_go)
    return sorted(missing(suite, roots))
