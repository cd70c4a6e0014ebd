"""Statistics of an AICoderEval build, read from its folder, and the reasons why entries are not certified."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from benchwright.building.aicodereval.draft_records import AdmittedEntry, ExaminedDraft
from benchwright.building.engine.recipe import CARD
from benchwright.building.engine.stages import FunnelLevel, StageFiles
from benchwright.contracts import Decision
from benchwright.display.escape import escaped_path, quoted
from benchwright.errors import DataError, UsageError, command_name
from benchwright.records import Drop, Outcome, Record
from benchwright.store.writing import read_records
from benchwright.text.syntax import code_size
from benchwright.tracks.aicodereval.entry import libraries_of, program_of

LEFT_OUT = "left out"
_MUTATION = "mutation"  # the gate whose evidence has the score


class DraftFacts(Record, frozen=True, kw_only=True):
    """One draft that no form gate refused. `success_rate` is the share of its levels that pass each time.

    A rate or score of None is unknown: the draft was not executed, or had no mutants.
    """

    task_id: str
    domain: str
    tier: str  # or LEFT_OUT if it is not in the release
    code_lines: int
    libraries: list[str]
    success_rate: float | None = None
    mutation_score: float | None = None


class GateFacts(Record, frozen=True, kw_only=True):
    """The refusals of one gate by reason, and the processor seconds of its executions."""

    name: str
    refused: dict[str, int] = {}
    cpu_s: float = 0.0


class BuildStatistics(Record, frozen=True, kw_only=True):
    """All statistics of a build. `funnel` adds up; a draft refused by several gates counts for each."""

    folder: str
    drafts: list[DraftFacts]
    gates: list[GateFacts]
    funnel: list[FunnelLevel]
    uncertified: list[UncertifiedEntry] = []

    @property
    def released(self) -> list[DraftFacts]:
        """The drafts in the release."""
        return [each for each in self.drafts if each.tier != LEFT_OUT]


def statistics_of(folder: Path) -> BuildStatistics:
    """The statistics of a finished build. Raises UsageError for any other folder."""
    funnel = _funnel(folder)
    stages = _stages(folder)
    if "try" not in stages or "select" not in stages:
        card = folder / "release" / CARD
        if card.is_file():
            message = f"{escaped_path(folder)} is a build of another recipe: it has a card and no report"
            raise UsageError(message, hint=f"cat {quoted(card)}")
        message = f"{escaped_path(folder)} is not a finished build of AICoderEval"
        raise UsageError(
            message, hint=f"finish it: {command_name()} build aicodereval … --out {quoted(folder)}"
        )
    examined = list(read_records(stages["try"].kept, ExaminedDraft))
    entries = [
        (each.unit, each.entry.status, each.decisions)
        for each in read_records(stages["select"].kept, AdmittedEntry)
    ]
    tiers = {unit: tier for unit, tier, _ in entries}
    refused = list(read_records(stages["check"].drops, Drop))
    return BuildStatistics(
        folder=str(folder),
        drafts=[_facts(each, tiers.get(each.draft.unit, LEFT_OUT)) for each in examined],
        gates=_gates([each.decisions for each in examined], refused),
        funnel=funnel,
        uncertified=reasons_against(entries),
    )


def _funnel(folder: Path) -> list[FunnelLevel]:
    path = folder / "funnel.json"
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, list[FunnelLevel]])["stages"]
    except FileNotFoundError:
        hint = f"the same `{command_name()} build` command resumes it"
        raise UsageError(f"{escaped_path(folder)} contains no finished build", hint=hint) from None
    except (msgspec.DecodeError, UnicodeDecodeError, KeyError) as error:
        raise DataError(f"cannot be read: {error}", path=escaped_path(path)) from None


def _stages(folder: Path) -> dict[str, StageFiles]:
    """The files of each complete stage, by name."""
    found = {}
    for path in sorted((folder / "stages").glob("[0-9]*-*.jsonl")):
        number, _, name = path.stem.partition("-")
        if "." not in name:
            found[name] = StageFiles.of(path.parent, int(number), name)
    return found


def _facts(each: ExaminedDraft, tier: str) -> DraftFacts:
    entry, levels = each.draft.entry, list(each.levels.values())
    passed = sum(outcome is Outcome.passed for outcome in levels)
    mutation = each.decisions.get(_MUTATION)
    return DraftFacts(
        task_id=each.draft.unit,
        domain=entry.domain.value,
        tier=tier,
        code_lines=int(code_size(program_of(entry))["code_lines"]),
        libraries=libraries_of(entry),
        success_rate=passed / len(levels) if levels else None,
        mutation_score=mutation.evidence.get("score") if mutation else None,
    )


def _gates(decided: Iterable[dict[str, Decision]], dropped: Iterable[Drop]) -> list[GateFacts]:
    """The gates that refused drafts or had a cost, by name, for kept drafts and for refused ones.

    Form gates execute nothing, so the processor seconds of a drop belong to no gate.
    """
    refused: dict[str, Counter[str]] = {}
    cost: dict[str, float] = {}
    for decisions in decided:
        for gate, decision in decisions.items():
            refused.setdefault(gate, Counter()).update([decision.reason] if decision.reason else [])
            cost[gate] = cost.get(gate, 0.0) + decision.cpu_s
    for drop in dropped:
        for gate, reason in drop.evidence["reasons"].items():
            refused.setdefault(gate, Counter())[reason] += 1
    return [
        GateFacts(name=gate, refused=dict(counts.most_common()), cpu_s=round(cost.get(gate, 0.0), 3))
        for gate, counts in sorted(refused.items())
        if counts or cost.get(gate)
    ]


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


def uncertified_lines(release: Path) -> Iterator[str]:
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
