"""The test cases of a test file: what a complete report on it must name."""

from __future__ import annotations

from benchwright.lang.faults import Fault
from benchwright.lang.found import Case
from benchwright.lang.go.collecting import go_cases
from benchwright.lang.java.collecting import java_cases
from benchwright.lang.languages import JAVA, PYTHON, language
from benchwright.lang.python.collecting import python_cases
from benchwright.lang.python.tree import parse as parse_python
from benchwright.lang.trees import parse as parse_tree

__all__ = ["Case", "cases"]


def cases(test_code: str, lang: str) -> list[Case]:
    """All test cases in the file's order, each name once.

    A Python text that does not parse has none, for it cannot run; Java and Go texts have those that can be
    seen. A text over the size limit has none.
    """
    kind = language(lang)
    if kind == PYTHON:
        module = parse_python(test_code)
        return [] if isinstance(module, Fault) else python_cases(module, test_code)
    tree = parse_tree(test_code, kind)
    if isinstance(tree, Fault):
        return []
    return java_cases(tree) if kind == JAVA else go_cases(tree)
