"""The project that a focal file and its test file come from, rebuilt from the two texts."""

from __future__ import annotations

from benchwright.contracts import Suite
from benchwright.lang.errors import LayoutError
from benchwright.lang.faults import encoded
from benchwright.lang.go.layout import lay_out_go
from benchwright.lang.java.layout import lay_out_java
from benchwright.lang.languages import GO, JAVA, PYTHON, language
from benchwright.lang.python.layout import lay_out_python

__all__ = ["LayoutError", "lay_out"]

_BY_LANGUAGE = {PYTHON: lay_out_python, JAVA: lay_out_java, GO: lay_out_go}


def lay_out(
    focal_code: str,
    test_code: str,
    lang: str,
    *,
    focal_name: str | None = None,
    test_name: str | None = None,
) -> Suite:
    """Both files as a project in which the test's imports reach the focal file.

    Names (paths in the original project) are hints where the texts leave a choice. Raises LayoutError,
    whose `reason` says why there is no such project. A focal file that does not parse is laid out all the
    same: that it fails is for the execution to find.
    """
    kind = language(lang)
    for which, code in (("focal", focal_code), ("test", test_code)):
        data = encoded(code)
        if not isinstance(data, bytes):
            raise LayoutError(f"the {which} file cannot be read: {data}", reason=data.reason)
    return _BY_LANGUAGE[kind](focal_code, test_code, focal_name=focal_name, test_name=test_name)
