"""Statistics of an AICoderEval build, read from its folder; nothing is executed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import msgspec

from benchwright.building.aicodereval.nouns import AdmittedEntry, ExaminedDraft
from benchwright.building.aicodereval.why_not import UncertifiedEntry, reasons_against
from benchwright.building.stages import Level, StageFiles
from benchwright.contracts import Decision
from benchwright.display.escape import escaped_path, quoted
from benchwright.errors import DataError, UsageError, command_name
from benchwright.records import Drop, Outcome, Record
from benchwright.store.writing import read_records
from benchwright.text.size import code_size
from benchwright.tracks.aicodereval.program import libraries_of, program_of

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
    funnel: list[Level]
    uncertified: list[UncertifiedEntry] = []

    @property
    def released(self) -> list[DraftFacts]:
        """The drafts in the release."""
        return [each for each in self.drafts if each.tier != LEFT_OUT]


def statistics_of(folder: Path) -> BuildStatistics:
    """The statistics of a finished build. Raises UsageError for any other folder."""
    funnel = _funnel(folder)
    kept = _stages(folder)
    if "try" not in kept or "select" not in kept:
        message = f"{escaped_path(folder)} is not a finished build of AICoderEval"
        raise UsageError(
            message, hint=f"finish it: {command_name()} build aicodereval … --out {quoted(folder)}"
        )
    examined = list(read_records(kept["try"].kept, ExaminedDraft))
    entries = [
        (each.unit, each.entry.status, each.decisions)
        for each in read_records(kept["select"].kept, AdmittedEntry)
    ]
    tiers = {unit: tier for unit, tier, _ in entries}
    refused = list(read_records(kept["check"].drops, Drop))
    return BuildStatistics(
        folder=str(folder),
        drafts=[_facts(each, tiers.get(each.draft.unit, LEFT_OUT)) for each in examined],
        gates=_gates([each.decisions for each in examined], refused),
        funnel=funnel,
        uncertified=reasons_against(entries),
    )


def _funnel(folder: Path) -> list[Level]:
    path = folder / "funnel.json"
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, list[Level]])["stages"]
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
