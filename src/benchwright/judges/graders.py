"""Judge an answer by several graders: texts in it, a pattern, a JSON schema, a function, cost and time.

All graders must pass. Each one is a part of the judgement, and the detail says of each what it expected and
what it found. Patterns and schemas come from the author of the task, the answer from the model: both are
bounded by the limits of a check; the author's function runs in the sandbox.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache, partial
from math import isfinite
from typing import Any, NamedTuple

import msgspec

from benchwright.contracts import Extraction, GradersSpec, Judgement, Pending, RepliesSpec
from benchwright.display.escape import escaped_name, escaped_start
from benchwright.errors import DataError
from benchwright.judges.judge_registry import Judges, Resources
from benchwright.judges.reasons import DETAIL_LIMIT, said_of
from benchwright.records import Outcome
from benchwright.sandbox import untrusted
from benchwright.sandbox.codec import CodecError, decode, encode
from benchwright.store.strict_json import JsonOrigin, parse_value
from benchwright.text.fences import find_blocks

MAX_JSON = 1 << 20  # bytes of an answer that is read as JSON
MAX_DEPTH = 50
SHOWN = 60  # characters of the answer, and of what is expected, in a detail
MILLION = 1_000_000
CHECK = "check"  # the function that the source of a grader defines
_BASES = {"label": "label", "batch": "calls", "calls": "asserts"}  # field of the task by tag of the spec
_ORDER = {Outcome.passed: 2, Outcome.undecided: 1}


class Grade(NamedTuple):
    """The outcome of one grader, and what it expected and found."""

    outcome: Outcome
    detail: str
    score: float | None = None


def _grade(passes: bool, detail: str) -> Grade:
    return Grade(Outcome.passed if passes else Outcome.wrong, detail)


class GradersJudge:
    """Judges by all graders of a spec. What executes is opened when a spec first needs it."""

    spec = GradersSpec

    def __init__(self, resources: Resources) -> None:
        self._judges, self._checking = Judges(resources), resources.checking

    def judge(self, taken: Extraction, spec: GradersSpec) -> Pending:
        """Read the program for the base, if there is one; return what judges it and runs the graders."""
        base = None if spec.base is None else self._judges.of(spec.base).judge(taken, spec.base)
        return partial(self._judged, taken, spec, base)

    def _judged(
        self, extraction: Extraction, spec: GradersSpec, base: Judgement | Pending | None
    ) -> Judgement:
        found = Judgement(outcome=Outcome.passed) if base is None else _waited_for(base)
        if found.outcome.is_missing:
            return found
        grades: dict[str, Grade] = {}
        if spec.base is not None:
            grades[_BASES[spec.base.judge]] = Grade(found.outcome, found.detail or found.outcome.value)
        grades |= self._of_text(extraction.text, spec)
        if spec.function:
            called = self._call(extraction.text, spec)
            if isinstance(called, Judgement):
                return called
            grades["function"] = called
        grades |= _limits(extraction.measured, spec)
        return _together(found, grades)

    def _of_text(self, text: str, spec: GradersSpec) -> dict[str, Grade]:
        graders = {
            "contains": (spec.contains, partial(_contains, text, spec.contains)),
            "regex": (spec.regex, partial(_matches, text, spec.regex)),
            "json_schema": (spec.json_schema is not None, partial(_fits, text, spec.json_schema)),
        }
        return {name: self._bounded(grade) for name, (setting, grade) in graders.items() if setting}

    def _bounded(self, grade: Any) -> Grade:
        """The grade, within the limits of a check. An answer that exhausts them does not pass."""
        clock = untrusted.ProcessorClock(0.0)
        try:
            with self._checking() as clock:
                result: Grade = grade()
        except untrusted.CpuTimeExceeded:
            return Grade(Outcome.timed_out, f"took more than {clock.seconds:g} s of processor time")
        except MemoryError:
            return Grade(Outcome.out_of_memory, "took more memory than a check may have")
        except Exception as error:  # noqa: BLE001 (of a pattern or a schema; a right answer brings none about)
            return Grade(Outcome.wrong, f"could not be checked: {said_of(error)[: 2 * SHOWN]}")
        return result

    def _call(self, text: str, spec: GradersSpec) -> Grade | Judgement:
        """The grade by the author's function, called in the sandbox; a judgement if the sandbox failed."""
        program = Extraction(program=spec.function, rule="")
        calls = RepliesSpec(entry_point=CHECK, calls=encode([((text,), {})]), count=1)
        judgement = _waited_for(self._judges.of(calls).judge(program, calls))
        if judgement.outcome.is_missing:
            return judgement
        if judgement.outcome is not Outcome.passed:
            return Grade(judgement.outcome, f"{CHECK}() ended: {judgement.detail}")
        return self._bounded(partial(_returned, judgement.payload, spec.threshold))


def _waited_for(judged: Judgement | Pending) -> Judgement:
    return judged if isinstance(judged, Judgement) else judged()


def _together(base: Judgement, grades: Mapping[str, Grade]) -> Judgement:
    """One judgement: it passes if all do, and is undecided if none failed and one is. Failures come first."""
    ends = [each.outcome for each in grades.values()]
    failed = [end for end in ends if end not in _ORDER]
    outcome = Outcome.undecided if Outcome.undecided in ends else Outcome.passed
    if failed:
        outcome = failed[0] if len(set(failed)) == 1 else Outcome.wrong
    ordered = sorted(grades.items(), key=lambda item: _ORDER.get(item[1].outcome, 0))
    detail = "; ".join(f"{name} {_outcome_text(grade.outcome)}: {grade.detail}" for name, grade in ordered)
    return msgspec.structs.replace(
        base,
        outcome=outcome,
        detail=escaped_start(detail, DETAIL_LIMIT),
        parts={name: grade.outcome for name, grade in grades.items()},
        scores={name: grade.score for name, grade in grades.items() if grade.score is not None},
    )


def _outcome_text(outcome: Outcome) -> str:
    return outcome.value.replace("_", " ")


def _shown(text: str) -> str:
    return f"'{escaped_name(text, SHOWN)}'" if text else "an empty answer"


def _contains(text: str, substrings: list[str]) -> Grade:
    missing = [each for each in substrings if each not in text]
    expected = ", ".join(_shown(each) for each in missing or substrings)
    if missing:
        return _grade(False, f"expected {expected}, which is not in {_shown(text)}")
    return _grade(True, f"found {expected}")


def _matches(text: str, pattern: str) -> Grade:
    found = re.search(pattern, text)
    if found is None:
        return _grade(False, f"expected a match of {_shown(pattern)}, found none in {_shown(text)}")
    return _grade(True, f"{_shown(pattern)} matches {_shown(found[0]) if found[0] else 'an empty text'}")


def _fits(text: str, schema: Any) -> Grade:
    try:
        value = parse_value(_json_in(text).encode("utf-8", "replace"), JsonOrigin("", 0), max_depth=MAX_DEPTH)
    except DataError as error:
        return _grade(False, f"expected JSON, found {_shown(text)}: {error.what}")
    fault = next(iter(_validator(msgspec.json.encode(schema)).iter_errors(value)), None)
    if fault is None:
        return _grade(True, "the answer is JSON that fits")
    place = escaped_name(fault.json_path, SHOWN)
    return _grade(False, f"at {place}: {escaped_name(fault.message, 2 * SHOWN)}")


def _json_in(text: str) -> str:
    """The content of the answer's only fenced block, or all of it."""
    blocks = find_blocks(text)
    found = blocks[0].content if len(blocks) == 1 else text
    if len(found) > MAX_JSON:
        raise DataError(f"it has more than {MAX_JSON:,} characters")
    return found


@lru_cache(maxsize=64)
def _validator(schema: bytes) -> Any:
    """The validator of a schema. It loads no other schema: its registry is empty."""
    from jsonschema.validators import validator_for  # noqa: PLC0415 (an extra)
    from referencing import Registry  # noqa: PLC0415

    document = msgspec.json.decode(schema)
    registry: Any = Registry()
    return validator_for(document, _default())(document, registry=registry)


def _default() -> Any:
    from jsonschema import Draft202012Validator  # noqa: PLC0415 (an extra)

    return Draft202012Validator


_REPLIES = {"exception": "raised", "unsendable": "returned", "large": "returned too large a value"}


def _returned(payload: bytes, threshold: float) -> Grade:
    """The grade by the reply of the author's function: a boolean, or a number from 0 to 1."""
    [(kind, content)] = msgspec.msgpack.decode(payload, type=list[tuple[str, bytes]])
    if kind != "value":
        what = _REPLIES.get(kind, kind)
        message = "" if kind == "large" else f" {content.decode('utf-8', 'replace')}"
        outcome = Outcome.timed_out if content.startswith(b"timed_out") else Outcome.wrong
        return Grade(outcome, f"{CHECK}() {what}{message}")
    try:
        value = decode(content)
    except CodecError as error:
        return _grade(False, f"{CHECK}() returned a value that cannot be read: {said_of(error)}")
    if isinstance(value, bool):
        return _grade(value, f"{CHECK}() returned {value}")
    if not isinstance(value, int | float) or not isfinite(value) or not 0 <= value <= 1:
        shown = escaped_name(repr(value)[: 2 * SHOWN], SHOWN)
        return _grade(False, f"{CHECK}() returned {shown}, expected a boolean or a number from 0 to 1")
    detail = f"{CHECK}() returned {value:g}, expected at least {threshold:g}"
    return _grade(value >= threshold, detail)._replace(score=float(value))


def _limits(measured: Mapping[str, float], spec: GradersSpec) -> Iterator[tuple[str, Grade]]:
    """Grades by cost and time; undecided for an answer whose request was not measured."""
    if spec.max_cost is not None:
        yield "max_cost", _cost(measured, spec, spec.max_cost)
    if spec.max_seconds is not None:
        took = measured.get("seconds")
        if took is None:
            yield "max_seconds", Grade(Outcome.undecided, "the time of the answer is not known")
        else:
            detail = f"took {took:.3g} s, expected at most {spec.max_seconds:g} s"
            yield "max_seconds", _grade(took <= spec.max_seconds, detail)


def _cost(measured: Mapping[str, float], spec: GradersSpec, most: float) -> Grade:
    tokens_in, tokens_out = measured.get("tokens_in"), measured.get("tokens_out")
    if tokens_in is None or tokens_out is None:
        return Grade(Outcome.undecided, "the tokens of the answer are not known")
    if spec.price_in is None or spec.price_out is None:
        return Grade(Outcome.undecided, "the prices are not known: add --price-in and --price-out")
    share = spec.price_batch if measured.get("batch") else 1.0
    cost = share * (tokens_in * spec.price_in + tokens_out * spec.price_out) / MILLION
    return _grade(cost <= most, f"cost {cost:.3g}, expected at most {most:g}")
