"""What the languages of MultiPL-E have in common: parts of a row, and the way from an answer to a file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Protocol

from benchwright.contracts import ServedSpec, Suite, SuiteAnswerSpec
from benchwright.records import Record

PACKAGE = "answer"  # of both files, whatever a row calls it: only they see it
# What may hold a brace that closes nothing: comments, texts and characters.
_QUIET = re.compile(
    r"//[^\n]*|/\*.*?(?:\*/|\Z)|\"(?:\\.|[^\"\\\n])*\"?|'(?:\\.|[^'\\\n])*'?|`[^`]*`?", re.DOTALL
)


class UnknownShape(ValueError):
    """A row that is not made as MultiPL-E makes its rows. `field` says where."""

    def __init__(self, message: str, *, field: str) -> None:
        super().__init__(message)
        self.field = field


class Unconvertible(Exception):
    """A test that cannot be made into calls and values; the text says why."""


class ServedCall(Record, frozen=True, kw_only=True):
    """One call of a test, and what it must give."""

    request: bytes  # as the program's server reads it
    replies: tuple[bytes, ...]  # each of which is as expected
    form: str  # source of a call with the same types and without the values
    written: tuple[str, str]  # the call and what is expected, for people


class Parts(Record, frozen=True, kw_only=True):
    """A row, taken apart: its prompt is `head`, then `rest`, which ends where an answer goes on."""

    name: str  # of the function
    imports: list[str]  # each as it stands in the language, without the keyword
    head: str
    rest: str
    tests: str  # what a test's own file holds below its imports
    case: str  # of the suite: the one test


def served_spec(
    suite: Suite,
    calls: Sequence[ServedCall],
    *,
    entry_point: str,
    first_failure_ends: bool,
    libraries: tuple[str, ...] = (),
) -> ServedSpec:
    """The spec of a program that is called. `suite` has what the calls must compile against."""
    return ServedSpec(
        suite=suite,
        libraries=libraries,
        entry_point=entry_point,
        calls=[each.request for each in calls],
        expected=[each.replies for each in calls],
        written=[each.written for each in calls],
        first_failure_ends=first_failure_ends,
    )


class LanguageForm(Protocol):
    """A language's way with rows and answers."""

    lang: str  # as suites name it
    tag: str  # of fenced blocks
    stub: str  # an answer that goes on from any prompt and fails

    def read(self, prompt: str, tests: str) -> Parts:
        """The parts of a row. Raises UnknownShape."""
        ...

    def defines(self, code: str, name: str) -> bool:
        """Whether code holds the whole function."""
        ...

    def continued(self, parts: Parts, completion: str) -> str:
        """The answer's file where `completion` goes on from the prompt, character for character."""
        ...

    def closed(self, parts: Parts, body: str) -> str:
        """The same for a body that a model may have closed or not."""
        ...

    def whole(self, parts: Parts, code: str) -> str:
        """The answer's file where `code` holds the whole function, with imports of its own or without."""
        ...

    def spec(self, parts: Parts) -> SuiteAnswerSpec:
        """The tests, without the answer's file."""
        ...


def open_braces(code: str) -> int:
    """How many braces the code leaves open, negative where it closes more than it opens.

    >>> open_braces('if x { s = "}" }'), open_braces("return x }")
    (0, -1)
    """
    bare = _QUIET.sub("", code)
    return bare.count("{") - bare.count("}")


def without_last_braces(code: str, count: int) -> str:
    """The code without its last closing braces, so many of them."""
    for _ in range(count):
        code = code[: code.rindex("}")]
    return code
