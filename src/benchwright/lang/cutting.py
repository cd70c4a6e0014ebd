"""One test case of a file by itself, with all that it may need and no trace of its siblings."""

from __future__ import annotations

from benchwright.lang.cases import Case, cases
from benchwright.lang.errors import CuttingError
from benchwright.lang.faults import Fault
from benchwright.lang.go.cutting import cut_go
from benchwright.lang.java.cutting import cut_java
from benchwright.lang.languages import GO, JAVA, PYTHON, language
from benchwright.lang.python.cutting import cut_python
from benchwright.lang.syntax import syntax_fault

__all__ = ["CuttingError", "only_case"]

_BY_LANGUAGE = {PYTHON: cut_python, JAVA: cut_java, GO: cut_go}


def only_case(test_code: str, case: Case, lang: str) -> str:
    """The test file with one test case left.

    Siblings are cut with their decorators and comments, other test classes whole, and so are imports that
    nothing else used (in Go they would not compile); fixtures, helpers and set-up stay.
    Gaps are closed to what stood there before, so the text's shape does not tell that anything was cut.
    Raises CuttingError when exactly this case cannot be left alone: another one is used by what stays, or
    two share a line.
    """
    kind = language(lang)
    fault = syntax_fault(test_code, kind)
    if isinstance(fault, Fault):
        raise CuttingError(f"the test file does not parse: {fault}", reason=fault.reason)
    if case.name not in [each.name for each in cases(test_code, kind)]:
        raise CuttingError(f"the test file has no test case {case.name}", reason="no_cases")
    cut = _BY_LANGUAGE[kind](test_code, case.name)
    _check(cut, case, kind)
    return cut


def _check(cut: str, case: Case, lang: str) -> None:
    """The promise, checked on what came out: the proof is cheaper than an argument about every syntax."""
    fault = syntax_fault(cut, lang)
    left = [each.name for each in cases(cut, lang)]
    if fault is not None or left != [case.name]:
        why = f"what is left does not parse: {fault}" if fault else f"{', '.join(left[:5])} would be left"
        raise CuttingError(f"{case.name} cannot be cut out: {why}", reason="entangled")
