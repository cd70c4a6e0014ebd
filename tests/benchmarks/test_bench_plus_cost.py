"""What whole runs cost beside EvalPlus: what both sides are given, and what a round must hold."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from benchmarks import plus_cost
from benchmarks.__main__ import main
from benchmarks.measure import Usage
from benchmarks.plus_cost import PlusGround, compare_cost, laid_out
from benchwright.errors import BenchwrightError
from benchwright.tracks.evalplus.track import TRACK
from kit.plus_rows import human_row, mbpp_plus_row, write_plus


def used(cpu_s: float) -> Usage:
    """What a run took."""
    return Usage(account="test", cpu_s=cpu_s, wall_s=2 * cpu_s, waited_cpu_s=cpu_s, survivors=0)


def test_both_sides_get_the_canonical_solutions(tmp_path: Path) -> None:
    """As often as samples are asked for, in the data set's own rows' order."""
    data = write_plus(tmp_path / "rows.jsonl", human_row(), mbpp_plus_row())
    tasks = list(TRACK.load(data))
    folder = tmp_path / "ground"
    folder.mkdir()
    ground = laid_out(str(data), tasks, 2, limit=2, folder=folder)
    samples = [json.loads(line) for line in ground.samples.read_text().splitlines()]

    assert [each["task_id"] for each in samples] == ["HumanEval/900"] * 2 + ["Mbpp/2"] * 2
    assert "def " in samples[0]["completion"]
    assert ground.data.read_bytes() == data.read_bytes()
    assert (ground.executions, ground.limit) == (4, ["--limit", "2"])


def test_both_sides_read_a_packed_file(tmp_path: Path) -> None:
    """Data sets are handed out as gzip, which EvalPlus's own reader does not take."""
    plain = write_plus(tmp_path / "rows.jsonl", human_row())
    packed = tmp_path / "rows.jsonl.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    (tmp_path / "ground").mkdir()
    ground = laid_out(str(packed), list(TRACK.load(packed)), 1, limit=None, folder=tmp_path / "ground")

    assert ground.data.read_bytes() == plain.read_bytes()


def test_ratios_are_of_a_round_and_the_first_is_not_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In it each side makes what it keeps; who begins changes from round to round."""
    data = write_plus(tmp_path / "rows.jsonl", human_row())
    order: list[str] = []

    def side(name: str, times: list[float]) -> object:
        def run(ground: PlusGround) -> tuple[Usage, int]:
            order.append(name)
            return used(times.pop(0)), 1

        return run

    monkeypatch.setattr(plus_cost, "_ours", side("ours", [9.0, 1.0, 2.0]))
    monkeypatch.setattr(plus_cost, "_theirs", side("theirs", [1.0, 4.0, 6.0]))
    found = compare_cost(str(data), rounds=2, n=1)

    assert (found.cpu.low, found.cpu.high, len(found.rounds)) == (3.0, 4.0, 2)
    assert order == ["ours", "theirs", "theirs", "ours", "ours", "theirs"]
    assert found.passed == {"ours": 1, "theirs": 1}


def test_rounds_that_disagree_are_no_figure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A verdict that changes from round to round makes a cost worthless."""
    data = write_plus(tmp_path / "rows.jsonl", human_row())
    passed = iter([1, 0])
    monkeypatch.setattr(plus_cost, "_ours", lambda ground: (used(1.0), next(passed)))
    monkeypatch.setattr(plus_cost, "_theirs", lambda ground: (used(1.0), 1))
    with pytest.raises(BenchwrightError, match="the rounds do not agree on what passed"):
        compare_cost(str(data), rounds=1, n=1)


def test_a_side_that_judged_less_is_no_figure(tmp_path: Path) -> None:
    """Every program, or nothing."""
    ground = PlusGround(folder=tmp_path, data=tmp_path, samples=tmp_path, limit=[], executions=4, n=2)

    assert plus_cost._whole(ground, (4, 3), "EvalPlus") == 3
    with pytest.raises(BenchwrightError, match="EvalPlus judged 3 of 4 programs"):
        plus_cost._whole(ground, (3, 3), "EvalPlus")


@pytest.mark.parametrize("option", ["--rounds", "--samples", "--limit"])
def test_counts_begin_at_one(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Said before anything is installed."""
    assert main(["plus-cost", "humaneval-plus", option, "0"]) == 2
    assert "must be at least 1" in capsys.readouterr().err
