"""What cannot be done with a pair of files, and why: errors of this folder."""

from __future__ import annotations

from benchwright.errors import DataError

REASONS = (
    "syntax",  # the test file does not parse, so neither its imports nor its cases are known
    "too_large",  # a text is over the limit
    "no_cases",  # the test file holds no test case
    "no_import",  # nothing in the test names the focal file
    "ambiguous",  # several imports may name the focal file, and none fits better
    "public_classes",  # a Java file with more than one public class
    "package",  # packages of the two files cannot be brought together
    "framework",  # tests of a framework that no runner knows
    "entangled",  # a test case cannot be cut out without another
)


class LayoutError(DataError):
    """A focal file and a test file cannot be laid out as a project. `reason` is one of REASONS."""

    def __init__(self, message: str, *, reason: str, hint: str | None = None) -> None:
        self.reason = reason
        super().__init__(message, hint=hint)


class CuttingError(DataError):
    """One test case cannot be left alone in its file. `reason` is one of REASONS."""

    def __init__(self, message: str, *, reason: str, hint: str | None = None) -> None:
        self.reason = reason
        super().__init__(message, hint=hint)
