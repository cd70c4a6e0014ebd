"""The figures of a build, read from the files of its stages: nothing is executed here."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchwright.building.aicodereval.build_statistics import LEFT_OUT, statistics_of
from benchwright.errors import DataError, UsageError
from kit.made_builds import LEVEL, finished_build, written


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return finished_build(tmp_path / "build")


def test_facts_of_each_draft(folder: Path) -> None:
    """Tier, rate and score; None where nothing was executed, and left out what the release does not have."""
    found = statistics_of(folder)

    assert [(each.tier, each.success_rate, each.mutation_score) for each in found.drafts] == [
        ("certified", 1.0, 0.9),
        ("partial", 2 / 3, 0.4),
        (LEFT_OUT, None, None),
    ]
    assert [each.task_id for each in found.released] == ["word-counts", "zero-crossings"]
    assert (found.drafts[0].domain, found.drafts[0].code_lines, found.funnel) == ("NLP", 8, [LEVEL])


def test_gates_of_drafts_and_drops(folder: Path) -> None:
    """Refusals before and after execution count under their gate, with the seconds of what was executed."""
    gates = {each.name: (each.refused, each.cpu_s) for each in statistics_of(folder).gates}

    assert gates == {"aicodereval.secrets": ({"secret": 1}, 0.0), "mutation": ({"weak_tests": 2}, 0.75)}


def test_what_is_not_certified_has_its_reasons(folder: Path) -> None:
    """Those of the release alone; the others are drops."""
    [found] = statistics_of(folder).uncertified

    assert (found.task_id, found.tier) == ("zero-crossings", "partial")


def test_an_unfinished_build(tmp_path: Path) -> None:
    """It has no funnel yet, or lacks stages: both say how to finish it."""
    (tmp_path / "none").mkdir()
    with pytest.raises(UsageError, match="contains no finished build"):
        statistics_of(tmp_path / "none")
    with pytest.raises(UsageError, match="not a finished build of AICoderEval"):
        statistics_of(written(tmp_path / "other", collect=[]))
    card = tmp_path / "other" / "release" / "README.md"
    card.parent.mkdir()
    card.write_text("# Another recipe\n")
    with pytest.raises(UsageError, match="another recipe") as caught:
        statistics_of(tmp_path / "other")
    assert str(card) in str(caught.value.hint)


def test_a_broken_funnel(folder: Path) -> None:
    """It is named with its place."""
    (folder / "funnel.json").write_text("{")
    with pytest.raises(DataError, match="cannot be read") as caught:
        statistics_of(folder)

    assert str(folder / "funnel.json") in str(caught.value)
