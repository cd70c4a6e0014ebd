"""The view's state of a run: growing, killed, resumed, finished, failed, damaged."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from benchwright.running.run_folders import note_failure
from benchwright.web.view.board import RunBoard
from benchwright.web.view.follower import RunFollower, RunState
from kit.growing_folder import GrowingFolder, answer, verdict


class Times:
    """A clock that the test sets."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def state(run: RunFollower) -> RunState:
    """Return the current state."""
    run.refresh()
    return run.state


def test_a_run_grows_is_killed_and_goes_on(tmp_path: Path) -> None:
    """Counts, state and cost follow the files; an incomplete row is waited for, and removed by the resumed
    run."""
    growing = GrowingFolder(tmp_path / "run")
    run = RunFollower(tmp_path / "run")
    empty = state(run)
    growing.answers(answer("a"), answer("b"))
    growing.verdicts(verdict("a"))
    half = state(run)
    growing.torn("answers.jsonl", b'{"key":"c-0","task_id":"c","samp')
    growing.end()
    killed = state(run)
    growing = GrowingFolder(tmp_path / "run")
    growing.answers(answer("d"), answer("c"))
    growing.verdicts(verdict("b", outcome="wrong"), verdict("c"), verdict("d"))
    resumed = state(run)
    orders = {row.task_id: row.order for row in run.newest()}
    growing.finish(["a", "b", "c", "d"])
    finished = state(run)

    assert (empty.state, empty.answered, empty.planned) == ("running", 0, 4)
    assert (half.state, half.answered, half.judged, half.outcomes) == (
        "running",
        2,
        1,
        (("passed", 1), ("waiting", 1)),
    )
    assert half.cost == pytest.approx((200 * 1.0 + 20 * 2.0) / 1_000_000)
    assert (killed.state, killed.answered, killed.partial) == ("stopped", 2, ("answers.jsonl",))
    assert (resumed.state, resumed.judged, resumed.damaged) == ("running", 4, 0)
    assert (finished.state, finished.outcomes) == ("finished", (("passed", 3), ("wrong", 1)))
    assert {row.task_id: row.order for row in run.newest()} == orders
    assert [row.answer for row in sorted(run.rows.values(), key=lambda row: str(row.task_id))] == sorted(
        row.answer for row in run.rows.values()
    )


def test_an_answer_that_is_asked_again_waits_for_its_verdict(tmp_path: Path) -> None:
    """The resumed run repeats a failed request; the first verdict does not belong to the second answer."""
    growing = GrowingFolder(tmp_path / "run")
    run = RunFollower(tmp_path / "run")
    growing.answers(answer("a", error="HTTP 500"))
    growing.verdicts(verdict("a", outcome="model_error"))
    failed = state(run)
    growing.answers(answer("a"))
    again = state(run)
    growing.verdicts(verdict("a"))
    judged = state(run)
    growing.end()

    assert (failed.failed, failed.outcomes) == (1, (("model_error", 1),))
    assert (again.failed, again.answered, again.outcomes) == (0, 1, (("waiting", 1),))
    assert judged.outcomes == (("passed", 1),)
    assert state(RunFollower(tmp_path / "run")).outcomes == (("passed", 1),)


def test_verdicts_that_are_dropped_are_dropped_here(tmp_path: Path) -> None:
    """A run that is judged again has no verdicts until new ones are written."""
    growing = GrowingFolder(tmp_path / "run", judging=1, python="3.11")
    run = RunFollower(tmp_path / "run")
    growing.answers(answer("a"))
    growing.verdicts(verdict("a", outcome="wrong"))
    before = state(run)
    growing.folder.judge_anew({"judging": 2, "python": "3.11"})
    dropped = state(run)
    growing.verdicts(verdict("a"))
    after = state(run)
    growing.end()

    outcomes = [each.outcomes for each in (before, dropped, after)]
    assert outcomes == [(("wrong", 1),), (("waiting", 1),), (("passed", 1),)]


def test_damaged_rows_are_listed_and_the_others_read(tmp_path: Path) -> None:
    """They are listed with file, line and reason."""
    growing = GrowingFolder(tmp_path / "run")
    growing.answers(answer("a"))
    growing.torn("answers.jsonl", b'not json\n{"task_id": [], "sample": 0}\n')
    growing.answers(answer("b"))
    growing.verdicts(verdict("a"))
    growing.torn("verdicts.jsonl", b'{"task_id":"b","sample":0,"outcome":"excellent"}\n')
    growing.end()
    run = RunFollower(tmp_path / "run")

    assert (state(run).answered, state(run).damaged) == (2, 3)
    assert [(each.file, each.line) for each in run.damaged] == [
        ("answers.jsonl", 2),
        ("answers.jsonl", 3),
        ("verdicts.jsonl", 2),
    ]
    assert all(each.why for each in run.damaged)


def test_a_failure_is_shown_until_the_run_goes_on(tmp_path: Path) -> None:
    """The suite's recorded reason is shown; a run that was resumed and killed is stopped."""
    GrowingFolder(tmp_path / "run").end()
    run = RunFollower(tmp_path / "run")
    note_failure(tmp_path / "run", "the server is down")
    failed = state(run)
    growing = GrowingFolder(tmp_path / "run")
    running = state(run)
    growing.answers(answer("a"))
    growing.end()

    assert (failed.state, failed.why) == ("failed", "the server is down")
    assert running.state == "running"
    assert state(run).state == "stopped"


def test_a_damaged_folder_is_a_state(tmp_path: Path) -> None:
    """Without a readable manifest there is nothing to follow; it recovers with the file."""
    growing = GrowingFolder(tmp_path / "run")
    growing.end()
    whole = (tmp_path / "run" / "run.json").read_bytes()
    run = RunFollower(tmp_path / "run")
    (tmp_path / "run" / "run.json").write_bytes(whole[:-10])
    damaged = state(run)
    (tmp_path / "run" / "run.json").write_bytes(whole)

    assert damaged.state == "damaged"
    assert "run.json" in damaged.why
    assert state(run).state == "stopped"


def test_the_rate_is_that_of_the_last_minute(tmp_path: Path) -> None:
    """Earlier rows do not count, and no rate is given for less than five seconds."""
    times, growing = Times(), GrowingFolder(tmp_path / "run")
    growing.answers(*(answer(f"old-{number}") for number in range(50)))
    run = RunFollower(tmp_path / "run", clock=times)
    rates = [state(run).rate]
    for second in (2.0, 30.0):
        times.now = second
        growing.answers(answer(f"new-{second}"))
        rates.append(state(run).rate)
    for second in range(40, 131, 10):
        times.now = float(second)
        late = state(run)
    growing.end()

    assert rates == [None, None, pytest.approx(4.0)]
    assert (late.rate, late.rate_s) == (0.0, 60)
    assert state(run).rate is None


def test_a_finished_run_is_counted_by_its_score(tmp_path: Path) -> None:
    """Its rows are read for its own page only, not for the list of runs."""
    growing = GrowingFolder(tmp_path / "runs" / "one")
    growing.answers(answer("a"), answer("b"))
    growing.verdicts(verdict("a"), verdict("b", outcome="wrong"))
    growing.finish(["a", "b"])
    board = RunBoard(tmp_path / "runs")
    [(key, listed)] = board.with_runs(
        lambda runs: [(key, (run.state, len(run.rows))) for key, run in runs.items()]
    )
    opened = board.with_run(key, lambda run: (run.state, len(run.rows)))

    assert opened is not None
    assert (listed[0].outcomes, listed[1]) == ((("passed", 1), ("wrong", 1)), 0)
    assert (opened[0].outcomes, opened[1]) == (listed[0].outcomes, 2)


def test_folders_appear_and_vanish(tmp_path: Path) -> None:
    """A board can start without a folder, keeps the key of a run, and follows runs in nested folders."""
    times, top = Times(), tmp_path / "runs"
    board = RunBoard(top, clock=times)
    seen = []
    for step in (
        lambda: None,
        lambda: GrowingFolder(top / "one").end(),
        lambda: GrowingFolder(top / "suite" / "two").end(),
        lambda: shutil.rmtree(top / "one"),
    ):
        step()
        times.now += 10
        seen.append(board.with_runs(lambda runs: {run.path.name: key for key, run in runs.items()}))

    assert [sorted(each) for each in seen] == [[], ["one"], ["one", "two"], ["two"]]
    assert seen[1]["one"] == seen[2]["one"]
    assert seen[2]["two"] == seen[3]["two"]
    assert board.with_run(seen[1]["one"], lambda run: run) is None
