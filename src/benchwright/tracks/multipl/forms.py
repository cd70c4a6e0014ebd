"""Interface of a MultiPL-E language, and the answer's file by the rules of a scoring profile."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Protocol

from benchwright.contracts import Extraction, PrintedSpec, ServedSpec, Suite, SuiteAnswerSpec
from benchwright.records import Answer, Outcome, Record
from benchwright.text.fences import find_blocks
from benchwright.text.normalisation import cut_at_stop, drop_marks, normalise, strip_reasoning
from benchwright.tracks.base import require_profile
from benchwright.tracks.multipl import MULTIPL

PACKAGE = "answer"  # of both files, whatever its name in the row
# Comments, strings and characters, whose braces do not count.
_QUIET = re.compile(
    r"//[^\n]*|/\*.*?(?:\*/|\Z)|\"(?:\\.|[^\"\\\n])*\"?|'(?:\\.|[^'\\\n])*'?|`[^`]*`?", re.DOTALL
)


class UnknownShape(ValueError):
    """A row that is not in MultiPL-E's format; `field` is the invalid field."""

    def __init__(self, message: str, *, field: str) -> None:
        super().__init__(message)
        self.field = field


class UnconvertibleTest(Exception):
    """A test that cannot be converted into calls and values; the message is the reason."""


class ServedCall(Record, frozen=True, kw_only=True):
    """One call of a test, and its expected values."""

    request: bytes  # encoded for the program's server
    replies: tuple[bytes, ...]  # encoded values; each is right
    form: str  # source of a call with the same types but without the values
    written: tuple[str, str]  # call and expected value, for people


class RowParts(Record, frozen=True, kw_only=True):
    """Parts of a row: the prompt is `head` followed by `rest`, which the answer continues."""

    name: str  # of the function
    imports: list[str]  # each as written in the language, without the keyword
    head: str
    rest: str
    tests: str  # content of the test's file below its imports
    case: str  # of the suite: the one test


def served_spec(
    suite: Suite,
    calls: Sequence[ServedCall],
    *,
    entry_point: str,
    first_failure_ends: bool,
    libraries: tuple[str, ...] = (),
) -> ServedSpec:
    """Create the spec of a called program; `suite` contains the code that the calls compile against."""
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
    """Operations of a language on rows and answers."""

    lang: str  # name in suites
    tag: str  # of fenced blocks
    tags: frozenset[str]  # that models write; "" for none
    stub: str  # a completion of any prompt that fails

    def read(self, prompt: str, tests: str) -> RowParts:
        """Parse a row. Raises UnknownShape."""
        ...

    def defines(self, code: str, name: str) -> bool:
        """Whether code contains the whole function."""
        ...

    def continued(self, parts: RowParts, completion: str) -> str:
        """The answer's file if `completion` continues the prompt exactly."""
        ...

    def closed(self, parts: RowParts, body: str) -> str:
        """The answer's file for a body with or without its closing braces."""
        ...

    def whole(self, parts: RowParts, code: str) -> str:
        """The answer's file if `code` contains the whole function, with or without imports."""
        ...

    def spec(self, parts: RowParts) -> SuiteAnswerSpec | PrintedSpec:
        """The tests, without the answer's file."""
        ...


def open_braces(code: str) -> int:
    """Number of braces that the code leaves open; negative if it closes more than it opens.

    >>> open_braces('if x { s = "}" }'), open_braces("return x }")
    (0, -1)
    """
    bare = _QUIET.sub("", code)
    return bare.count("{") - bare.count("}")


def without_last_braces(code: str, count: int) -> str:
    """The code without its last `count` closing braces."""
    for _ in range(count):
        code = code[: code.rindex("}")]
    return code


PROFILES = MULTIPL.profiles
CUT_OFF = "length"  # finish reason of a truncated text


def take_file(
    answer: Answer, form: LanguageForm, parts: RowParts, *, stops: Sequence[str], profile: str
) -> Extraction:
    """Extract the answer's file; problem "no_code" if there is no code."""
    if require_profile(profile, PROFILES, track="multipl") == "multipl-e":
        rule, program = "multipl-e", form.continued(parts, cut_at_stop(answer.text, stops)[0])
        return Extraction(program=program, rule=rule, truncated=answer.finish_reason == CUT_OFF)
    stripped = strip_reasoning(drop_marks(normalise(answer.text)))
    truncated = stripped.truncated or answer.finish_reason == CUT_OFF
    rule, program = _read(stripped.text, form, parts, stops)
    if program:
        return Extraction(program=program, rule=rule, truncated=truncated)
    reason = (
        "the text ends within the model's reasoning" if stripped.truncated else "the text contains no code"
    )
    return Extraction(program="", rule=rule, problem=Outcome.no_code, detail=reason, truncated=truncated)


def _read(text: str, form: LanguageForm, parts: RowParts, stop_tokens: Sequence[str]) -> tuple[str, str]:
    """The extraction rule, and the file; empty if there is no code."""
    blocks = [block.content for block in find_blocks(text) if block.tag in form.tags]
    wholes = [block for block in blocks if form.defines(block, parts.name)]
    if wholes:
        return "fence+function", form.whole(parts, wholes[-1])
    if blocks:
        return "fence+body", form.closed(parts, blocks[-1])
    if form.defines(text, parts.name):
        return "function", form.whole(parts, text)
    return "continuation", form.continued(parts, cut_at_stop(text, stop_tokens)[0]) if text.strip() else ""
