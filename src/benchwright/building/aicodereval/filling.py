"""Expected values filled in from canonical solutions, for human review.

The result of a solution is not necessarily the right result, so this writes drafts and no entries.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from benchwright.building.aicodereval.drafted_cases import CPU_S, expected_of
from benchwright.building.aicodereval.nouns import Draft
from benchwright.building.aicodereval.solving import environment_links
from benchwright.building.aicodereval.stored_drafts import StoredDrafts
from benchwright.cases.reading import calls_of, files_of
from benchwright.contracts import CallCase, Expected, RepliesSpec
from benchwright.executing.trials import Trial, Trials, Tried
from benchwright.records import Drop
from benchwright.sandbox.codec import encode
from benchwright.store.writing import replacing
from benchwright.tracks.aicodereval.program import entry_point_of, faults_in, program_of


class FilledCase(NamedTuple):
    """The value filled in for one case, or the reason why there is none."""

    task: str
    case: str
    expected: Expected | None
    why: str = ""


def fill_expected(drafts: Sequence[str], target: Path, trials: Trials) -> tuple[list[FilledCase], list[Drop]]:
    """Write the drafts with a value for each case without one; return the filled cases, and drops."""
    rows = [
        item for each in drafts for item in StoredDrafts(each).collect(target.parent, lambda _: None).items
    ]
    drops = [each for each in rows if isinstance(each, Drop)]
    found = [each.record for each in rows if not isinstance(each, Drop)]
    drops += [fault for each in found if (fault := _fault(each)) is not None]
    faulty = {each.unit for each in drops}
    waiting = [each for each in found if each.unit not in faulty and _open(each)]
    ends = dict(
        zip(
            (each.unit for each in waiting),
            trials.run([*map(_trial, waiting)], name="expected values"),
            strict=True,
        )
    )
    filled: list[FilledCase] = []
    with replacing(target) as file:
        for each in found:
            done, cases = _filled(each, ends[each.unit]) if each.unit in ends else (each, [])
            filled += cases
            file.write(msgspec.json.encode(done) + b"\n")
    return filled, drops


def _fault(draft: Draft) -> Drop | None:
    """The first reason why the solution cannot be called."""
    fault = next((each for each in faults_in(draft.entry) if each.code not in ("no_cases",)), None)
    return (
        Drop(unit=draft.unit, reason=fault.code, detail=f"{fault.field}: {fault.message}; {fault.hint}")
        if fault
        else None
    )


def _open(draft: Draft) -> list[CallCase]:
    """The cases without an expected value."""
    return [case for case in draft.entry.cases if case.expected == Expected()]


def _trial(draft: Draft) -> Trial:
    cases = _open(draft)
    spec = RepliesSpec(
        entry_point=entry_point_of(draft.entry),
        environment=draft.entry.environment,
        cpu_limit_s=CPU_S,
        calls=encode([calls_of(case)[0] for case in cases]),
        count=len(cases),
        files=files_of(cases),
        links=environment_links(draft.entry),
    )
    return Trial(program_of(draft.entry), spec)


def _filled(draft: Draft, end: Tried) -> tuple[Draft, list[FilledCase]]:
    replies = msgspec.msgpack.decode(end.payload, type=list[tuple[str, bytes]]) if end.payload else []
    given: dict[str, Expected | str] = {}
    for number, case in enumerate(_open(draft)):
        reply = replies[number] if number < len(replies) else ("ended", end.detail.encode())
        given[case.name] = expected_of(case.level, reply)
    cases = [_with(case, given.get(case.name)) for case in draft.entry.cases]
    entry = msgspec.structs.replace(draft.entry, cases=cases)
    return msgspec.structs.replace(draft, entry=entry), [*_told(draft.unit, given)]


def _with(case: CallCase, expected: Expected | str | None) -> CallCase:
    return msgspec.structs.replace(case, expected=expected) if isinstance(expected, Expected) else case


def _told(unit: str, given: dict[str, Expected | str]) -> Iterator[FilledCase]:
    for name, expected in given.items():
        if isinstance(expected, Expected):
            yield FilledCase(unit, name, expected)
        else:
            yield FilledCase(unit, name, None, expected)


def lines(filled: Iterable[FilledCase]) -> Iterator[str]:
    """One line for each case, for review."""
    for each in filled:
        if each.expected is None:
            yield f"{each.task} {each.case}: not filled in: {each.why}"
        elif each.expected.raises:
            yield f"{each.task} {each.case}: raises {each.expected.raises}"
        else:
            yield f"{each.task} {each.case}: gives {msgspec.json.encode(each.expected.value).decode()[:200]}"
