"""The judge of test cases in levels: one execution per level, decided on the trusted side.

The calls of a level are sent at once; values and reports of exceptions come back; expected values are never
sent. The names of an exception's class and its bases are the answer's own claim, like its values: an answer
that raises what the case requires passes, and nothing more is proved.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator
from functools import partial
from itertools import islice
from typing import Any

import msgspec

from benchwright.cases.checking import OTHER_CALLS, broken_property, is_close
from benchwright.cases.reading import calls_of, files_of, other_calls, resolve
from benchwright.contracts import CallCase, CaseLevel, Extraction, Judgement, LevelsSpec, Pending
from benchwright.judges import reasons
from benchwright.judges.python import PythonJudge, failure, read_value
from benchwright.judges.reasons import DETAIL_LIMIT, Call
from benchwright.records import Outcome
from benchwright.sandbox.claims import CallBatch, ReplyFrame, is_kind
from benchwright.sandbox.codec import encode
from benchwright.sandbox.input_files import wait_for_files, with_files
from benchwright.sandbox.zygote import AnswerEnded, RunningAnswer
from benchwright.sandbox.zygote import Job as SandboxJob
from benchwright.text.syntax import code_size


class LevelsJudge(PythonJudge[LevelsSpec]):
    """Passed if every level is, else the outcome of the first failing level. `parts` has each outcome.

    A level passes on both stand-ins of its models, if its cases define the values on the second. `scores` has
    the answer's code lines and code tokens.
    """

    spec = LevelsSpec

    def judge(self, taken: Extraction, spec: LevelsSpec) -> Judgement | Pending:
        """Compile and measure the program; return a judgement, or one that executes it later."""
        ready = self._prepare(taken.program)
        if isinstance(ready, Judgement):
            return ready
        return partial(self._execute_levels, ready, spec, code_size(taken.program))

    def _execute_levels(self, ready: str | bytes, spec: LevelsSpec, size: dict[str, float]) -> Judgement:
        judged: dict[str, Judgement] = {}
        for level, part in levels_of(spec):
            judged[level.value] = judgement = self._execute_level(ready, part)
            if spec.until_failed and judgement.outcome is not Outcome.passed:
                break
        return msgspec.structs.replace(_together(judged), scores=size)

    def _execute_level(self, ready: str | bytes, part: LevelsSpec) -> Judgement:
        """Execute a level; on the second stand-in only if it passes on the first."""
        first = self._execute(ready, part)
        if first.outcome is not Outcome.passed or not part.twin_levels:
            return first
        second = self._execute(ready, on_second(part))
        detail = f"on the second stand-in: {second.detail}" if second.detail else ""
        return msgspec.structs.replace(second, detail=detail, **_costs([first, second]))

    def _job(self, ready: str | bytes, spec: LevelsSpec) -> SandboxJob:
        calls = [call for case in spec.cases for call in calls_of(case)]
        job: SandboxJob = ("batch", spec.entry_point, ready, encode(calls))
        files = files_of(spec.cases)
        return with_files(job, files=files, links=spec.links) if files or spec.links else job

    def _check(self, running: RunningAnswer, spec: LevelsSpec) -> bytes:
        if spec.links or any(case.input.files for case in spec.cases):
            wait_for_files(running)
        counts = [len(calls_of(case)) for case in spec.cases]
        replies, calls_before = CallBatch(running, sum(counts)).replies(), 0
        for case, count in zip(spec.cases, counts, strict=True):
            _check_case(case, spec.entry_point, list(islice(replies, count)), first=calls_before + 1)
            calls_before += count
        for _ in replies:  # to the end, where surplus replies are noticed
            continue
        return b""


def levels_of(spec: LevelsSpec) -> Iterator[tuple[CaseLevel, LevelsSpec]]:
    """Return each level that has cases, with its own spec, in the order of the variation."""
    for level in CaseLevel:
        cases = [case for case in spec.cases if case.level is level]
        if spec.variation.order_seed is not None:
            random.Random(spec.variation.order_seed).shuffle(cases)
        if cases:
            yield level, msgspec.structs.replace(spec, cases=cases)


def on_second(spec: LevelsSpec) -> LevelsSpec:
    """Return the spec for the second stand-in: its links, and its values if a case has one."""
    cases = [_with_twin_value(case) for case in spec.cases]
    return msgspec.structs.replace(spec, cases=cases, links={**spec.links, **spec.twin_links}, twin_links={})


def _with_twin_value(case: CallCase) -> CallCase:
    if case.expected.twin_value is None:
        return case
    expected = msgspec.structs.replace(case.expected, value=case.expected.twin_value, twin_value=None)
    return msgspec.structs.replace(case, expected=expected)


def _together(judged: dict[str, Judgement]) -> Judgement:
    """Combine the judgements of all levels: the first failing one decides."""
    levels = list(judged.items())
    name, first = next((each for each in levels if each[1].outcome is not Outcome.passed), levels[0])
    return msgspec.structs.replace(
        first,
        detail=f"{name}: {first.detail}"[:DETAIL_LIMIT] if first.detail else "",
        parts={level: each.outcome for level, each in judged.items()},
        **_costs(judged.values()),
    )


def _costs(judged: Collection[Judgement]) -> dict[str, Any]:
    """Return the total cost of several executions, and the sandbox's remarks on them."""
    return {
        "cpu_s": round(sum(each.cpu_s for each in judged), 6),
        "wall_s": round(sum(each.wall_s for each in judged), 6),
        "trouble": "; ".join(each.trouble for each in judged if each.trouble),
    }


def _check_case(case: CallCase, entry_point: str, replies: list[ReplyFrame], *, first: int) -> None:
    """Return if a case is met. Raises AnswerEnded with the outcome if it is not."""
    calls = [
        Call(first + at, entry_point, args, kwargs, None) for at, (args, kwargs) in enumerate(calls_of(case))
    ]
    if case.expected.raises:
        _check_raised(case.expected.raises, calls[0], replies[0])
        return
    found = [call._replace(value=_value(call, reply)) for call, reply in zip(calls, replies, strict=True)]
    _check_value(case, found)


def _check_raised(exception: str, call: Call, reply: ReplyFrame) -> None:
    kind, payload, error, kinds = reply
    if kind == "value":
        raise _wrong(call._replace(value=read_value(payload)), f"it to raise {exception}")
    if kind == "unsendable" or not is_kind(exception, kinds):
        error_end = failure(kind, call, error)
        raise AnswerEnded(
            error_end.outcome, f"{error_end.detail}, expected {exception}", raised=error_end.raised
        )


def _value(call: Call, reply: ReplyFrame) -> Any:
    kind, payload, error, _ = reply
    if kind != "value":
        raise failure(kind, call, error)
    return read_value(payload)


def _check_value(case: CallCase, found: list[Call]) -> None:
    expected, value = case.expected, found[0].value
    close = partial(is_close, rel_tol=expected.rel_tol, abs_tol=expected.abs_tol)
    if not expected.properties:
        expected_value = resolve(expected.value)
        if not _holds(close, value, expected_value):
            raise _wrong(found[0], reasons.shown(expected_value))
        return
    properties = resolve(
        {name: each for name, each in expected.properties.items() if name not in OTHER_CALLS}
    )
    if broken := broken_property(value, properties, rel_tol=expected.rel_tol, abs_tol=expected.abs_tol):
        raise _wrong(found[0], broken)
    for name, other in zip(other_calls(case), found[1:], strict=True):
        if _holds(close, value, other.value) is not OTHER_CALLS[name]:
            same = "the value" if OTHER_CALLS[name] else "another value than that"
            raise _wrong(found[0], f"{same} of {other.text()}, {reasons.shown(other.value)}")


def _holds(close: Any, value: Any, expected: Any) -> bool:
    """Return whether two values are close. A comparison without a truth value, such as that of an array, is
    not."""
    try:
        return bool(close(value, expected))
    except (ValueError, TypeError, RecursionError):
        return False


def _wrong(call: Call, expected: str) -> AnswerEnded:
    return AnswerEnded(Outcome.wrong, reasons.gave(call, expected))
