"""Stages check, tier and select: static gates on drafts, the tier of each draft, and the published entries.

A tier summarises all findings about a draft: certified, valid, partial or left out, with all reasons.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum

import msgspec

from benchwright.building.aicodereval.claim_gates import ENV_MISSING
from benchwright.building.aicodereval.draft_records import AdmittedEntry, Draft, ExaminedDraft
from benchwright.building.aicodereval.originality_gates import nameless_keys
from benchwright.building.aicodereval.release_options import EntryBounds
from benchwright.building.engine.gates import decide, refusal
from benchwright.building.text_overlap import Shingles, bands, jaccard, shingles
from benchwright.contracts import KEEP, Decision, Gate, StatefulGate
from benchwright.records import Drop, Outcome
from benchwright.tracks.aicodereval.entry import Weights
from benchwright.tracks.aicodereval.stand_in_models import MissingCapability

UNVERIFIED_WEIGHTS = "unverified_weights"
LACKS = {
    MissingCapability.library: ENV_MISSING,
    MissingCapability.weights: UNVERIFIED_WEIGHTS,
}  # reason by what is missing


class Tier(StrEnum):
    """The tiers, from the best to the worst."""

    certified = "certified"
    valid = "valid"
    partial = "partial"
    env_missing = "env-missing"
    unverified_weights = "unverified-weights"
    unreviewed = "unreviewed"
    rejected = "rejected"


SPLIT_OF = {
    Tier.certified: "test",
    Tier.valid: "train",
    Tier.partial: "train",
    Tier.env_missing: "unverified",
    Tier.unverified_weights: "unverified",
    Tier.unreviewed: "unverified",
}
_TEST = SPLIT_OF[Tier.certified]


def is_executable(examined: ExaminedDraft) -> bool:
    """Whether everything that its execution needs is present."""
    return _absent(examined) is None


def _absent(examined: ExaminedDraft) -> Tier | None:
    reasons = {decision.reason for decision in examined.reasons.values()}
    if ENV_MISSING in reasons:
        return Tier.env_missing
    unverified = examined.draft.entry.weights is Weights.unverified
    return Tier.unverified_weights if unverified or UNVERIFIED_WEIGHTS in reasons else None


def tier_of(examined: ExaminedDraft, bounds: EntryBounds) -> Tier:
    """The tier of a draft after all gates."""
    if (absent := _absent(examined)) is not None:
        return absent
    passed = sum(outcome is Outcome.passed for outcome in examined.levels.values())
    if not passed or passed < bounds.min_success_rate * len(examined.levels):
        return Tier.rejected
    if passed < len(examined.levels):
        return Tier.partial
    return Tier.valid if examined.reasons else Tier.certified


def admit_entries(found: Iterable[ExaminedDraft], bounds: EntryBounds) -> Iterator[AdmittedEntry | Drop]:
    """Each draft with its tier; a rejected draft is a drop with all its reasons."""
    for each in found:
        tier = tier_of(each, bounds)
        yield _rejected(each, bounds) if tier is Tier.rejected else _admitted(each, tier)


def _admitted(each: ExaminedDraft, tier: Tier) -> AdmittedEntry:
    draft = each.draft
    return AdmittedEntry(
        entry=msgspec.structs.replace(draft.entry, status=str(tier)),
        revision=draft.revision,
        source=draft_sources(draft),
        licence=draft.licence,
        lineage=draft.lineage,
        decisions=each.decisions,
        levels=each.levels,
        split=SPLIT_OF[tier],
    )


def draft_sources(draft: Draft) -> list[str]:
    """The sources of a draft: its record and its model, or itself if it names none."""
    source = draft.lineage.get("source")
    found = {each for each in (source, draft.entry.model) if isinstance(each, str) and each}
    return sorted(found) or [draft.unit]


def _rejected(each: ExaminedDraft, bounds: EntryBounds) -> Drop:
    passed = [level for level, outcome in each.levels.items() if outcome is Outcome.passed]
    reason = "below_min_success_rate" if passed else "no_level_passes"
    levels = {level: str(outcome) for level, outcome in each.levels.items()}
    detail = ", ".join(f"{level} {outcome}" for level, outcome in levels.items())
    return Drop(
        unit=each.draft.unit,
        reason=reason,
        detail=detail,
        evidence={"levels": levels, "reasons": reasons_of(each.decisions)},
        cpu_s=sum(decision.cpu_s for decision in each.decisions.values()),
    )


def reasons_of(decisions: dict[str, Decision]) -> dict[str, str]:
    """The reason of each gate that refused."""
    return {name: decision.reason for name, decision in decisions.items() if decision.reason}


def select_entries(found: Iterable[AdmittedEntry], bounds: EntryBounds) -> Iterator[AdmittedEntry | Drop]:
    """The entries of a release, without duplicates and without a source in both test and train.

    Of near duplicates the one with the better tier stays, and of two equal ones the earlier. A training entry
    whose source is in the test split is left out. Entries keep the order of the file.
    """
    entries = list(found)
    doubles = _doubles(entries, bounds.likeness)
    distinct = [each for each in entries if each.unit not in doubles]
    tested = {name for each in distinct if each.split == _TEST for name in each.source}
    for each in entries:
        if each.unit in doubles:
            yield _left_out(each, "near_duplicate", f"as {doubles[each.unit]}")
        elif each.split != _TEST and not tested.isdisjoint(each.source):
            shared = ", ".join(sorted(tested.intersection(each.source)))
            yield _left_out(each, "source_in_test", shared[:300])
        else:
            yield each


def _left_out(each: AdmittedEntry, reason: str, detail: str) -> Drop:
    evidence = {"tier": each.entry.status, "reasons": reasons_of(each.decisions)}
    return Drop(unit=each.unit, reason=reason, detail=detail, evidence=evidence)


_RANK = {str(tier): number for number, tier in enumerate(Tier)}


def _doubles(entries: list[AdmittedEntry], likeness: float) -> dict[str, str]:
    """Each entry that nearly repeats a better or an earlier one, with that one."""
    places: dict[tuple[int, tuple[int, ...]], list[int]] = {}
    marked: list[tuple[str, Shingles]] = []
    found: dict[str, str] = {}
    tasks: dict[str, str] = {}  # the first entry of each, by its keys without names
    for each in sorted(entries, key=lambda entry: _RANK[entry.entry.status]):
        keys = nameless_keys(each.entry)
        if (first := next((tasks[key] for key in keys if key in tasks), None)) is not None:
            found[each.unit] = first
            continue
        marks = shingles(f"{each.entry.description}\n{each.entry.signature}\n{each.entry.implementation}")
        mine = list(bands(marks))
        numbers = sorted({number for place in mine for number in places.get(place, ())})
        like = next((n for n in numbers if jaccard(marks, marked[n][1]) >= likeness), None)
        if like is not None:
            found[each.unit] = marked[like][0]
            continue
        tasks |= dict.fromkeys(keys, each.unit)
        for place in mine:
            places.setdefault(place, []).append(len(marked))
        marked.append((each.unit, marks))
    return found


def check_drafts(
    drafts: Iterable[Draft], form: Sequence[Gate[Draft]], lint: Sequence[Gate[Draft]]
) -> Iterator[ExaminedDraft | Drop]:
    """The drafts that every form gate keeps, with the decisions of the lint gates; others with all reasons.

    Lint gates are not asked about drafts that form gates refuse, since they could not read them.
    """
    remembering = [each for each in form if isinstance(each, StatefulGate)]
    for draft in drafts:
        decisions = decide(draft, form, every=True)
        if (refused := refusal(decisions)) is not None:
            yield _drop(draft, refused, decisions)
            continue
        for each in remembering:
            each.remember(draft)
        decisions |= decide(draft, lint, every=True)
        yield ExaminedDraft(draft=draft, decisions={k: v for k, v in decisions.items() if v != KEEP})


def _drop(draft: Draft, refused: Decision, decisions: dict[str, Decision]) -> Drop:
    evidence = {**refused.evidence, "reasons": reasons_of(decisions)}
    cpu_s = sum(each.cpu_s for each in decisions.values())
    return Drop(unit=draft.unit, reason=refused.reason, detail=refused.detail, evidence=evidence, cpu_s=cpu_s)
