"""Judges of pairs compared with people: sides in any order, ties, position, and unrelated folders."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchwright.errors import RunError
from benchwright.judges.people.records import Vote
from benchwright.rank.judged_pairs import FILE, JudgedPair
from benchwright.rank.pair_calibration import calibrate_pairs
from benchwright.running.judged_items import store_votes
from benchwright.running.run_data import open_run
from benchwright.store.keys import content_key
from benchwright.store.runfolder import RunFolder
from benchwright.store.writing import write_records
from kit.command_line import called
from kit.graded_runs import ISSUES, graded_run
from kit.peoples_votes import vote

TASKS = 12


def preference(task: int, value: str, answers: list[str], **more: object) -> Vote:
    """Return Anna's vote on the pair of a task."""
    return vote(
        value, "anna", item=f"i{task}", task_id=task, kind="pair", field="preference", answers=answers, **more
    )


def compared(place: Path) -> tuple[Path, Path]:
    """Write a run, which is b of a folder of pairs, and that folder: the judge prefers b in even tasks, else
    the first, which makes a tie."""
    run = graded_run(place / "run", ISSUES, {t: [("text", "undecided", {})] for t in range(1, TASKS + 1)})
    rows = [
        JudgedPair(
            task_id=task,
            sample=0,
            judge="j",
            result="b" if task % 2 == 0 else "tie",
            said=["b", "b"] if task % 2 == 0 else ["a", "b"],
        )
        for task in range(1, TASKS + 1)
    ]
    identity = {"runs": ["another", content_key(open_run(run).manifest["identity"])]}
    with RunFolder.open(
        place / "pairs", {"identity": identity, "runs": ["x", str(run)]}, mode="new"
    ) as folder:
        write_records(folder.path / FILE, rows)
    return run, place / "pairs"


def test_sides_are_those_of_the_runs(tmp_path: Path) -> None:
    """People's "a" is the item's first answer, of either run: here b's is first in odd tasks."""
    run, pairs = compared(tmp_path)
    votes = []
    for task in range(1, TASKS + 1):
        ours_first = task % 2 == 1
        answers = [f"{task}-0", f"x{task}"] if ours_first else [f"x{task}", f"{task}-0"]
        votes.append(preference(task, "a" if ours_first else "b", answers))  # always for this run, b
    (found,) = calibrate_pairs(open_run(pairs), open_run(run), votes, draws=0)

    assert (found.judge, found.pairs, found.blind, found.calibrated) == ("j", TASKS, TASKS, False)
    assert found.confusion == {"b": {"b": 6, "tie": 6}}
    assert found.agreement["percent"].value == 0.5
    # of 24 replies "a" in the first turn or "b" in the second: both of each odd task, one of each even one
    assert found.first is not None and (found.first.value, found.first.n) == (0.75, 24)


def test_both_bad_is_a_tie_and_what_cannot_be_told_is_left_out(tmp_path: Path) -> None:
    """The judge's are treated alike; pairs of two answers of other runs are ignored."""
    run, pairs = compared(tmp_path)
    votes = [preference(1, "both_bad", ["1-0", "x1"]), preference(2, "a", ["y2", "x2"])]
    (found,) = calibrate_pairs(open_run(pairs), open_run(run), votes, draws=0)

    assert (found.pairs, found.confusion) == (1, {"tie": {"tie": 1}})


def test_the_command_prints_pairs_beside_answers(tmp_path: Path) -> None:
    """A run that no judge assessed answer by answer is calibrated by its pairs only."""
    run, pairs = compared(tmp_path)
    store_votes(open_run(run), [preference(t, "b", [f"x{t}", f"{t}-0"]) for t in range(1, TASKS + 1)])
    words = called("judge", "calibrate", run, "--pairs", pairs)
    document = called("judge", "calibrate", run, "--pairs", pairs, "--json").document

    assert words.code == 0
    assert (
        "j on pairs: uncalibrated: fewer than 50 blind labels (12 blind labels by people, alpha of people unknown)"
        in words.out
    )
    assert "    b: b 6, tie 6" in words.out
    assert "the first answer was preferred in 75.0 %" in words.out
    assert (document["judges"], document["pairs"][0]["pairs"]) == ([], TASKS)


def test_folders_that_do_not_belong_together_are_refused(tmp_path: Path) -> None:
    """A run that was not compared, and a folder without pairs."""
    run, pairs = compared(tmp_path)
    other = graded_run(tmp_path / "other", ISSUES, {1: [("text", "undecided", {})]}, model="openai:other")

    with pytest.raises(RunError, match="does not compare"):
        calibrate_pairs(open_run(pairs), open_run(other), [])
    with pytest.raises(RunError, match="has no compared pairs"):
        calibrate_pairs(open_run(run), open_run(run), [])
