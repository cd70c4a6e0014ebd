"""Why a text is not source, how long a text may be, and what cannot be done with a pair of files."""

from __future__ import annotations

from typing import NamedTuple

from benchwright.errors import DataError

MAX_BYTES = 1 << 20  # of one source text, as UTF-8
MAX_NODES = 400_000  # of its syntax tree; a file of a megabyte that people wrote has fewer


class SyntaxFault(NamedTuple):
    """Why source does not parse, and the line (from 1; 0 when the parser does not say)."""

    message: str
    line: int
    reason: str = "syntax"  # or "too_large"

    def __str__(self) -> str:
        return f"{self.message} (line {self.line})" if self.line else self.message


def encoded(code: str) -> bytes | SyntaxFault:
    """A text's bytes in UTF-8, or why there is no use in parsing it. Lengths are checked before any work."""
    if len(code) > MAX_BYTES:
        return _too_large()
    try:
        data = code.encode("utf-8")
    except UnicodeEncodeError as error:
        return SyntaxFault("lone surrogate in source code", code.count("\n", 0, error.start) + 1)
    return data if len(data) <= MAX_BYTES else _too_large()


def _too_large() -> SyntaxFault:
    return SyntaxFault(f"source code is larger than {MAX_BYTES >> 20} MiB", 0, "too_large")


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
