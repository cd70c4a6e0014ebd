"""What can be said of a pair of files without running it: sizes, imports, what makes a result unsteady."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

from benchwright.lang.cases import Case
from benchwright.lang.detectors import USES
from benchwright.lang.faults import Fault
from benchwright.lang.found import KINDS, Import
from benchwright.lang.go import uses as go
from benchwright.lang.go.collecting import go_cases
from benchwright.lang.go.importing import go_imports
from benchwright.lang.java import uses as java
from benchwright.lang.java.collecting import collect as java_collect
from benchwright.lang.java.collecting import java_cases
from benchwright.lang.java.importing import java_imports
from benchwright.lang.java.layout import framework_of
from benchwright.lang.languages import JAVA, PYTHON, Language, language
from benchwright.lang.python import uses as python
from benchwright.lang.python.collecting import collect as python_collect
from benchwright.lang.python.collecting import python_cases
from benchwright.lang.python.importing import python_imports
from benchwright.lang.python.layout import framework
from benchwright.lang.python.tree import parse as parse_python
from benchwright.lang.trees import parse as parse_tree

__all__ = ["USES", "tags"]


class _Facts(NamedTuple):
    """What one file is like."""

    parses: bool = False
    framework: str = ""
    cases: list[Case] = []
    asserts: int = 0
    dynamic: bool = False
    imports: list[Import] = []
    uses: set[str] = set()


def tags(focal_code: str, test_code: str, lang: str) -> dict[str, Any]:
    """Facts on a pair, ready for JSON. Always the same keys:

    focal_lines, test_lines: int; focal_syntax, test_syntax: bool; framework: str ("" when unknown);
    cases, asserts: int; parametrised: bool; dynamic_cases: bool (a test may run that no parse can see);
    imports: {kind: sorted names} of both files; focal_uses, test_uses: sorted list of USES.
    """
    kind = language(lang)
    focal, test = _facts(focal_code, kind), _facts(test_code, kind)
    return {
        "focal_lines": _lines(focal_code),
        "test_lines": _lines(test_code),
        "focal_syntax": focal.parses,
        "test_syntax": test.parses,
        "framework": test.framework,
        "cases": len(test.cases),
        "asserts": test.asserts,
        "parametrised": any(each.parametrised for each in test.cases),
        "dynamic_cases": test.dynamic,
        "imports": _by_kind([*focal.imports, *test.imports]),
        "focal_uses": sorted(focal.uses),
        "test_uses": sorted(test.uses),
    }


@lru_cache(maxsize=8)  # the rows of one focal file come one after the other
def _facts(code: str, lang: Language) -> _Facts:
    readers: dict[Language, Callable[[str], _Facts]] = {PYTHON: _python, JAVA: _java}
    return readers.get(lang, _go)(code)


def _python(code: str) -> _Facts:
    tree = parse_python(code)
    if isinstance(tree, Fault):
        return _Facts()
    return _Facts(
        parses=True,
        framework=framework(tree, found) if (found := python_collect(tree)) else "",
        cases=python_cases(tree, code),
        asserts=python.asserts(tree),
        dynamic=python.has_dynamic_cases(tree),
        imports=python_imports(tree),
        uses=python.python_uses(tree),
    )


def _java(code: str) -> _Facts:
    tree = parse_tree(code, JAVA)
    if isinstance(tree, Fault):
        return _Facts()
    return _Facts(
        parses=tree.fault is None,
        framework=framework_of(tree, code, java_collect(tree)),
        cases=java_cases(tree),
        asserts=java.asserts(tree),
        dynamic=java.has_dynamic_cases(tree),
        imports=java_imports(tree),
        uses=java.java_uses(tree),
    )


def _go(code: str) -> _Facts:
    tree = parse_tree(code, "Go")
    if isinstance(tree, Fault):
        return _Facts()
    found = go_cases(tree)
    return _Facts(
        parses=tree.fault is None,
        framework="go" if found else "",
        cases=found,
        asserts=go.asserts(tree),
        imports=go_imports(tree),
        uses=go.go_uses(tree),
    )


def _by_kind(found: list[Import]) -> dict[str, list[str]]:
    return {kind: sorted({each.module for each in found if each.kind == kind}) for kind in KINDS}


def _lines(code: str) -> int:
    return code.count("\n") + (not code.endswith("\n")) if code else 0
