"""Assessing stored replies keeps only the place of each one in memory."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest

from benchmarks import assessing as sizes
from benchwright import registry
from benchwright.progress import Silent
from benchwright.running.assessing import assess
from benchwright.running.plan import make_plan
from benchwright.running.run_folders import open_folder

pytestmark = pytest.mark.usefixtures("jail")

A_REPLY = 400  # bytes: its place in two tables of files, the ranks of two files


def peak(folder: Path, replies: int) -> int:
    """Return the peak memory of assessing this number of stored replies."""
    folder.mkdir()
    sizes.prepare(folder, replies)
    plan = make_plan(sizes.options_of(folder, f"replay:{folder / 'first'}"))
    with open_folder(plan, folder / "second", "either", Silent()) as opened:
        tracemalloc.start()
        assess(plan, opened, Silent())
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    return found


def test_memory_does_not_grow_with_replies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twice as many replies, of 2 KB with their questions and answers, need hardly more."""
    monkeypatch.setattr(registry, "MODELS", {**registry.MODELS, "fixed": "benchmarks.assessing:open_fixed"})
    monkeypatch.setattr(registry, "GROUPS", {**registry.GROUPS, "model": registry.MODELS})
    peak(tmp_path / "warm", 20)
    most = peak(tmp_path / "small", 100) + 100 * A_REPLY
    # Garbage that was not collected yet counts too, so a measurement above the limit is repeated.
    peaks = (peak(tmp_path / f"large{attempt}", 200) for attempt in range(3))

    assert any(found < most for found in peaks)
