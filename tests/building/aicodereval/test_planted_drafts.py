"""Forty bad drafts and twenty sound ones through a build: what `certified` means."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchwright.building.aicodereval.release_options import BenchmarkOptions
from benchwright.building.aicodereval.release_pipeline import build
from kit.examples import SCALE
from kit.made_drafts import write_drafts
from kit.needs import need_module, need_sandbox
from kit.planted_bad import planted_bad
from kit.planted_sound import planted_sound

BAD, SOUND = planted_bad(), planted_sound()
if SCALE > 1:
    TRIED, CERTIFIED = list(BAD), SOUND
else:  # all sixty take 20 s of processor time, so only weekly: one of each class, and some of the sound ones
    TRIED, CERTIFIED = list({name.partition(":")[0]: name for name in BAD}.values()), SOUND[5::6]
# By class of a bad draft, the codes of which one must be given.
CODES = {
    "blind_solve": {"blind_solve_fails"},
    "leak": {"graded_assertion_in_prompt"},
    "trivial": {"stub_passes"},
    "machine": {"machine_read", "clock_read", "numpy_random_unseeded"},
    "tolerance": {"stub_passes"},
    "any_exception": {"any_exception_expected"},
    "swallowed": {"swallowed_exception"},
    "declared": {"not_equivalent"},
    "claims": {"library_unused", "model_unused", "library_version"},
    "clone": {"near_duplicate"},
    "known": {"known_task"},
}


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """By task, its tier (or `dropped`) and all reasons against it."""
    need_sandbox()
    need_module("detect_secrets")
    folder = tmp_path_factory.mktemp("planted")
    path = write_drafts(folder / "drafts.jsonl", [*CERTIFIED, *(BAD[name] for name in TRIED)])
    built = build(BenchmarkOptions(drafts=(str(path),), name="planted@1.0.0"), folder / "out")
    rows = {}
    for line in Path(built.release, "admissions.jsonl").read_text().splitlines():
        row = json.loads(line)
        reasons = {each["reason"] for each in row["decisions"].values() if each.get("reason")}
        rows[row["task_id"]] = {"tier": row["tier"], "reasons": reasons}
    for line in Path(built.release, "dropped.jsonl").read_text().splitlines():
        row = json.loads(line)
        reasons = {row["reason"], *row["evidence"].get("reasons", {}).values()}
        rows[row["unit"]] = {"tier": "dropped", "reasons": reasons}
    return rows


def test_there_are_forty_and_twenty() -> None:
    """Each under a name of its own."""
    units = [each.unit for each in [*BAD.values(), *SOUND]]

    assert (len(BAD), len(SOUND), len(set(units))) == (40, 20, 60)


@pytest.mark.parametrize("name", TRIED)
def test_a_bad_draft_is_not_certified(found: dict[str, dict[str, Any]], name: str) -> None:
    """By the code of what is wrong with it, not by luck."""
    row = found[BAD[name].unit]
    kind = name.partition(":")[0]

    assert row["tier"] != "certified"
    assert row["reasons"] & CODES.get(kind, {kind})


@pytest.mark.parametrize("unit", [each.unit for each in CERTIFIED])
def test_a_sound_draft_is_certified(found: dict[str, dict[str, Any]], unit: str) -> None:
    """No gate has anything against it."""
    assert found[unit] == {"tier": "certified", "reasons": set()}
