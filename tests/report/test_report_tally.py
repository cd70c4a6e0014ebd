"""One reading of a run's verdicts: counts, slow answers, cheats, and the rows of a task."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from benchwright.errors import RunError
from benchwright.records import Outcome
from benchwright.report.verdict_tally import EXAMPLES, TAMPERED, VerdictTally
from benchwright.store.runfolder import RunFolder
from kit import small_data
from kit.made_runs import Given, finished_run

ROWS: dict[int | str, list[Given]] = {
    "Small/0": [
        ("a", "passed", {"cpu_s": 0.5}),
        ("b", "wrong", {"cpu_s": 1.5, "truncated": True}),
        ("c", "model_error"),
    ],
    "Small/1": [
        ("a", "exception", {"suspicious": "ends the process"}),
        ("b", "tampered"),
        ("c", "passed", {"suspicious": "ends the process"}),
    ],
}


@pytest.fixture
def tally(tmp_path: Path) -> VerdictTally:
    """Return the tally of a small run."""
    data = small_data.humaneval(tmp_path)
    return VerdictTally(RunFolder.read(finished_run(tmp_path / "run", data, ROWS)))


def test_answers_are_counted_by_task(tally: VerdictTally) -> None:
    """A missing answer is counted, but neither as judged nor as failed."""
    cell = tally.cells["Small/0"]

    assert (cell.passed, cell.judged, cell.outcomes.total()) == (1, 2, 3)
    assert tally.outcomes == Counter(passed=2, wrong=1, model_error=1, exception=1, tampered=1)
    assert (tally.total, tally.truncated, tally.isolation) == (6, 1, Counter(separated=6))


def test_the_slowest_answer_is_known(tally: VerdictTally) -> None:
    """It has the most processor time; its outcome is known too."""
    slow = tally.cells["Small/0"].slowest

    assert (slow.cpu_s, slow.sample, slow.outcome) == (1.5, 1, Outcome.wrong)


def test_cheats_are_kept_by_kind(tally: VerdictTally) -> None:
    """A cheat that passed counts as passed; a tampered answer without a known pattern has a separate kind."""
    found = {kind: (each.outcomes, each.examples) for kind, each in tally.cheats.items()}

    assert found == {
        "ends the process": (Counter(exception=1, passed=1), [("Small/1", 0), ("Small/1", 2)]),
        TAMPERED: (Counter(tampered=1), [("Small/1", 1)]),
    }


def test_examples_are_few(tmp_path: Path) -> None:
    """Of a thousand cheats only the first few are stored, so memory stays small."""
    data = small_data.humaneval(tmp_path)
    rows: dict[int | str, list[Given]] = {"Small/0": [("a", "wrong", {"suspicious": "x"})] * 50}
    tally = VerdictTally(RunFolder.read(finished_run(tmp_path / "run", data, rows)))

    assert (len(tally.cheats["x"].examples), tally.cheats["x"].outcomes.total()) == (EXAMPLES, 50)


def test_rows_of_a_task_are_pairs(tally: VerdictTally) -> None:
    """Each answer has its own verdict; a task that the run left out has none."""
    rows = [(answer.text, verdict.outcome.value) for answer, verdict in tally.rows("Small/1")]

    assert rows == [("a", "exception"), ("b", "tampered"), ("c", "passed")]
    assert tally.rows("Small/2") == []


@pytest.mark.parametrize("name", ["answers.jsonl", "verdicts.jsonl"])
@pytest.mark.parametrize("cut", [1, 4], ids=["an answer", "a task"])
def test_files_that_do_not_match_are_refused(tmp_path: Path, name: str, cut: int) -> None:
    """An answer without a verdict, or the reverse, is never dropped silently."""
    run = finished_run(tmp_path / "run", small_data.humaneval(tmp_path), ROWS)
    lines = (run / name).read_bytes().splitlines(keepends=True)
    (run / name).write_bytes(b"".join(lines[:-cut]))

    with pytest.raises(RunError, match="is incomplete"):
        VerdictTally(RunFolder.read(run))


def test_swapped_rows_are_noticed(tmp_path: Path) -> None:
    """The numbers of verdicts and answers are equal, but samples differ: no answer gets the verdict of
    another."""
    run = finished_run(tmp_path / "run", small_data.humaneval(tmp_path), ROWS)
    path = run / "verdicts.jsonl"
    first, second, *rest = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([second, first, *rest]))
    tally = VerdictTally(RunFolder.read(run))

    with pytest.raises(RunError, match="is incomplete"):
        tally.rows("Small/0")
