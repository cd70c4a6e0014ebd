"""Why entries are not certified: reasons, and changes that their tests do not detect."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from benchwright.contracts import Decision
from benchwright.records import Record

SHOWN = 20  # entries that the command prints; all are in admissions.jsonl of the release
DIFFS = 2  # surviving mutants to show for each entry
_CERTIFIED = "certified"


class UnnoticedChange(Record, frozen=True, kw_only=True):
    """A mutant that the tests accept; `call` distinguishes it from the solution, if one was found."""

    name: str
    diff: str
    call: str = ""
    solution: str = ""  # value of the solution for the call
    mutant: str = ""  # value of the mutant


class RefusalReason(Record, frozen=True, kw_only=True):
    """The objection of one gate to an entry."""

    reason: str
    detail: str = ""
    changes: list[UnnoticedChange] = []


class UncertifiedEntry(Record, frozen=True, kw_only=True):
    """An entry with all reasons against its certification."""

    task_id: str
    tier: str
    reasons: list[RefusalReason] = []


def reasons_against(
    entries: Iterable[tuple[str, str, Mapping[str, Decision]]],
) -> list[UncertifiedEntry]:
    """The entries that are not certified, given as task, tier and the decisions of gates."""
    return [
        UncertifiedEntry(
            task_id=task_id, tier=tier, reasons=[_reason(each) for each in decisions.values() if each.reason]
        )
        for task_id, tier, decisions in entries
        if tier != _CERTIFIED
    ]


def _reason(decision: Decision) -> RefusalReason:
    changes = msgspec.convert(decision.evidence.get("surviving", [])[:DIFFS], list[UnnoticedChange])
    return RefusalReason(reason=decision.reason, detail=decision.detail, changes=changes)


def uncertified(release: Path) -> Iterator[str]:
    """A line for each entry and reason, then its surviving mutants as diffs; at most `SHOWN` entries."""
    rows = [json.loads(line) for line in (release / "admissions.jsonl").read_text("utf-8").splitlines()]
    found = reasons_against(map(_admission, rows))
    for entry in found[:SHOWN]:
        yield f"{entry.task_id} is {entry.tier}, not certified:"
        for each in entry.reasons:
            yield f"  {each.reason}: {each.detail}".rstrip(": ")
            for change in each.changes:
                yield from _lines(change)
    if len(found) > SHOWN:
        yield f"and {len(found) - SHOWN} more: {release / 'admissions.jsonl'}"


def _admission(row: dict[str, Any]) -> tuple[str, str, dict[str, Decision]]:
    return row["task_id"], row["tier"], msgspec.convert(row["decisions"], dict[str, Decision])


def _lines(change: UnnoticedChange) -> Iterator[str]:
    yield f"    the tests pass with this change ({change.name}):"
    yield from (f"      {line}" for line in change.diff.splitlines())
    if change.call:
        yield f"      a case that shows it: {change.call}"
        yield f"      gives {change.solution}, and with the change {change.mutant}"
