"""Syntax errors, limits of source texts, and errors of layouts and cuts."""

from __future__ import annotations

from typing import NamedTuple

from benchwright.errors import DataError

MAX_BYTES = 1 << 20  # of one source text, as UTF-8
MAX_NODES = 400_000  # of its syntax tree; handwritten files of a megabyte have fewer


class SyntaxFault(NamedTuple):
    """A syntax error, and its line (from 1; 0 if the parser does not report one)."""

    message: str
    line: int
    reason: str = "syntax"  # or "too_large"

    def __str__(self) -> str:
        return f"{self.message} (line {self.line})" if self.line else self.message


def encode_source(code: str) -> bytes | SyntaxFault:
    """Encode a text as UTF-8, or return why it cannot be parsed. Lengths are checked first."""
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
    "syntax",  # the test file does not parse, so its imports and cases are unknown
    "too_large",  # a text exceeds the limit
    "no_cases",  # the test file has no test case
    "no_import",  # the test does not name the focal file
    "ambiguous",  # several imports may name the focal file, and none fits better
    "public_classes",  # a Java file with more than one public class
    "package",  # the packages of the two files cannot be reconciled
    "framework",  # no runner supports the test framework
    "entangled",  # a test case cannot be separated from another one
)


class LayoutError(DataError):
    """A focal file and a test file have no layout as a project. `reason` is one of REASONS."""

    def __init__(self, message: str, *, reason: str, hint: str | None = None) -> None:
        self.reason = reason
        super().__init__(message, hint=hint)


class CuttingError(DataError):
    """One test case cannot be left alone in its file. `reason` is one of REASONS."""

    def __init__(self, message: str, *, reason: str, hint: str | None = None) -> None:
        self.reason = reason
        super().__init__(message, hint=hint)
