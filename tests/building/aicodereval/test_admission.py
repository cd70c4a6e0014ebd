"""Tiers of drafts by what was found out about them, and which entries a release has."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from benchwright.building.aicodereval.admission import Tier, admit_entries, select_entries, tier_of
from benchwright.building.aicodereval.draft_records import AdmittedEntry, ExaminedDraft
from benchwright.building.aicodereval.release_options import EntryBounds
from benchwright.contracts import Decision
from benchwright.records import Drop, Outcome
from benchwright.tracks.aicodereval.entry import Weights
from kit.made_drafts import draft, sound

PASSED, WRONG = Outcome.passed, Outcome.wrong


def found(*outcomes: Outcome, reasons: tuple[str, ...] = (), **entry: Any) -> ExaminedDraft:
    """A draft whose levels ended so, with these refusals."""
    one = sound()[0]
    made = msgspec.structs.replace(one, entry=msgspec.structs.replace(one.entry, **entry))
    levels = dict(zip(("normal", "edge_case", "correctness"), outcomes, strict=False))
    decisions = {f"gate {reason}": Decision(reason=reason) for reason in reasons}
    return ExaminedDraft(draft=made, levels=levels, decisions={**decisions, "kept": Decision(cpu_s=1.0)})


@pytest.mark.parametrize(
    ("examined", "tier"),
    [
        (found(PASSED, PASSED, PASSED), Tier.certified),
        (found(PASSED, PASSED, PASSED, reasons=("weak_tests",)), Tier.valid),
        (found(PASSED, WRONG, PASSED), Tier.partial),
        (found(PASSED, Outcome.flaky, PASSED, reasons=("flaky",)), Tier.partial),
        (found(WRONG, WRONG, WRONG), Tier.rejected),
        (found(), Tier.rejected),
        (found(reasons=("env_missing",)), Tier.env_missing),
        (found(WRONG, WRONG, WRONG, reasons=("env_missing",)), Tier.env_missing),
        (found(reasons=("unverified_weights", "level_missing")), Tier.unverified_weights),
        (found(weights=Weights.unverified), Tier.unverified_weights),
    ],
)
def test_the_tier(examined: ExaminedDraft, tier: Tier) -> None:
    """One word for each; a draft that could not be executed is neither right nor wrong."""
    assert tier_of(examined, EntryBounds()) is tier


@pytest.mark.parametrize(("share", "tier"), [(0.0, "partial"), (0.6, "partial"), (0.7, ""), (1.0, "")])
def test_fewer_levels_than_asked_for(share: float, tier: str) -> None:
    """Two levels of three pass: `min_success_rate` says whether that is enough."""
    ended = next(iter(admit_entries([found(PASSED, WRONG, PASSED)], EntryBounds(min_success_rate=share))))

    if tier:
        assert isinstance(ended, AdmittedEntry)
        assert (ended.entry.status, ended.split) == (tier, "train")
    else:
        assert isinstance(ended, Drop)
        assert ended.reason == "below_min_success_rate"


def test_a_rejected_draft_is_a_drop_with_all_its_reasons() -> None:
    """How each level ended, which gates refused it, and what that cost."""
    drop = next(
        iter(admit_entries([found(WRONG, WRONG, reasons=("gold_fails", "needless_mock"))], EntryBounds()))
    )

    assert isinstance(drop, Drop)
    assert (drop.reason, drop.detail, drop.cpu_s) == ("no_level_passes", "normal wrong, edge_case wrong", 1.0)
    assert sorted(drop.evidence["reasons"].values()) == ["gold_fails", "needless_mock"]


def entry(task_id: str, tier: Tier, *, source: str = "", body: str = "") -> AdmittedEntry:
    """An entry as stage tier hands it on."""
    signature = f"def f_{task_id}(x):"
    one = draft(
        task_id, signature, body or f"return x + {sum(map(ord, task_id))}", [], lineage={"source": source}
    )
    examined = ExaminedDraft(draft=one, levels={"normal": PASSED})
    made = next(iter(admit_entries([examined], EntryBounds())))
    assert isinstance(made, AdmittedEntry)
    split = {"certified": "test"}.get(tier, "train")
    return msgspec.structs.replace(
        made, entry=msgspec.structs.replace(made.entry, status=str(tier)), split=split
    )


def outcome(*entries: AdmittedEntry) -> dict[str, str]:
    """What became of each entry: its split or the reason of its drop."""
    ended = select_entries(entries, EntryBounds())
    return {each.unit: each.reason if isinstance(each, Drop) else each.split for each in ended}


def test_no_source_is_in_both_splits() -> None:
    """What a test entry was made from, nothing is trained on; the order of the file decides nothing."""
    entries = [
        entry("first", Tier.valid, source="hub:a"),
        entry("second", Tier.certified, source="hub:a"),
        entry("third", Tier.partial, source="hub:b"),
    ]

    assert outcome(*entries) == {"first": "source_in_test", "second": "test", "third": "train"}


def test_of_near_duplicates_the_better_stays() -> None:
    """Also where the lesser one came first."""
    body = "\n".join(f"x = x * {number} + x // {number + 1}" for number in range(1, 30)) + "\nreturn x"
    entries = [entry("aa", Tier.valid, body=body), entry("ab", Tier.certified, body=body)]

    assert outcome(*entries) == {"aa": "near_duplicate", "ab": "test"}
