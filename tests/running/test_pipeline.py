"""The main path on small data: self-check, verdicts, counts, resuming, and reading a run."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from benchwright.errors import RunError, SelfCheckError
from benchwright.records import Isolation, Outcome, Score, Verdict
from benchwright.running import run_data
from benchwright.running.pipeline import run
from benchwright.running.run_data import data_of
from benchwright.running.scoring import count_verdicts
from benchwright.sandbox.limits import Limits
from kit.needs import need_sandbox
from kit.small_data import ANSWERS, answers, humaneval, humaneval_row, mera, read_rows, write

pytestmark = pytest.mark.usefixtures("jail")

LIMITS = Limits(cpu_s=0.3)


def score_of(folder: Path, **changed: Any) -> Score:
    """Score a run with every kind of answer to three tasks."""
    options = {
        "data": str(humaneval(folder)),
        "model": f"replay:{answers(folder, outcomes=ANSWERS)}",
        "limits": LIMITS,
        "form": "calls",
        "out": folder / "run",
        **changed,
    }
    return run("humaneval", **options)


class FinishedRun(NamedTuple):
    """A run of `score_of`: the folder with its data, and its score."""

    place: Path
    score: Score

    @property
    def folder(self) -> Path:
        """The run folder."""
        return self.place / "run"


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> FinishedRun:
    """One run for all tests that read it, or run the same again."""
    need_sandbox()
    place = tmp_path_factory.mktemp("finished")
    return FinishedRun(place, score_of(place))


def test_each_answer_ends_in_the_outcome_it_was_made_for(finished: FinishedRun) -> None:
    """Outcome counts add up to the answers, and the metrics have intervals and an n."""
    score = finished.score
    metric = score.metrics["pass@1"]

    assert score.outcomes == dict.fromkeys(ANSWERS, 3)
    assert (score.answers, score.missing, metric.n, metric.samples) == (18, 0, 3, 6)
    assert metric.low < 1 / 6 < metric.high
    assert metric.value == pytest.approx(1 / 6)


def test_the_same_call_again_executes_nothing(finished: FinishedRun) -> None:
    """Verdicts with their measured times, and the times of the run, have the same bytes."""
    before = {name: (finished.folder / name).read_bytes() for name in ("run.json", "verdicts.jsonl")}
    again = score_of(finished.place)

    assert again == finished.score
    assert {name: (finished.folder / name).read_bytes() for name in before} == before


def test_verdicts_that_are_gone_are_made_again_and_no_others(finished: FinishedRun, tmp_path: Path) -> None:
    """A judged answer keeps its verdict; one without a verdict gets a new one."""
    path = shutil.copytree(finished.folder, tmp_path / "run") / "verdicts.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-3]))
    score_of(finished.place, out=tmp_path / "run")
    after = path.read_bytes().splitlines(keepends=True)

    assert (after[:-3], len(after)) == (lines[:-3], len(lines))


def test_a_gold_answer_that_fails_stops_the_run(tmp_path: Path) -> None:
    """There is no score, and the error names the task."""
    rows = [humaneval_row(0), humaneval_row(1, canonical_solution="    return -1\n")]
    data = write(tmp_path / "broken.jsonl", rows)
    with pytest.raises(SelfCheckError, match="gold of task Small/1: wrong") as caught:
        run("humaneval", data=str(data), model="gold:", out=tmp_path / "run")

    assert "--exclude" in str(caught.value.hint)
    assert not (tmp_path / "run" / "scores.json").exists()


def test_a_stub_that_passes_stops_the_run(tmp_path: Path) -> None:
    """A test that never calls the answer would pass anything."""
    data = write(
        tmp_path / "empty.jsonl", [humaneval_row(0, test="def check(candidate):\n    assert True\n")]
    )

    with pytest.raises(SelfCheckError, match="stub of task Small/0: passed"):
        run("humaneval", data=str(data), model="gold:", out=tmp_path / "run")


def test_both_tracks_and_forms_agree_on_the_same_tasks(finished: FinishedRun, tmp_path: Path) -> None:
    """Call by call, as a batch, and as MERA rows."""
    (tmp_path / "m").mkdir()
    batch = score_of(tmp_path, form="batch").outcomes
    stored = answers(tmp_path / "m", outcomes=ANSWERS, shape="")
    by_mera = run(
        "ruhumaneval",
        data=str(mera(tmp_path / "m")),
        model=f"replay:{stored}",
        limits=LIMITS,
        out=tmp_path / "r",
    )

    assert (batch, by_mera.outcomes) == (finished.score.outcomes, finished.score.outcomes)


def test_profiles_are_judged_beside_each_other(tmp_path: Path) -> None:
    """A fenced answer without a language passes by one profile and not by MERA's."""
    data = mera(tmp_path, 1)
    fenced = {"task_id": 0, "completion": "```\ndef plus_0(x):\n    return x + 0\n```"}
    stored = write(tmp_path / "fenced.jsonl", [fenced])
    score = run(
        "ruhumaneval",
        data=str(data),
        model=f"replay:{stored}",
        profiles=("strict", "mera-code"),
        out=tmp_path / "run",
    )
    folder = run_data.open_run(tmp_path / "run")
    (difference,) = run_data.differences(folder)
    outcomes = {name: verdict.outcome for name, verdict in difference.verdicts.items()}

    assert (score.metrics["pass@1"].value, score.other_profiles["mera-code"]["pass@1"].value) == (1.0, 0.0)
    assert (outcomes["strict"], outcomes["mera-code"] is Outcome.passed) == (Outcome.passed, False)


def test_a_run_can_be_read_answer_by_answer(finished: FinishedRun) -> None:
    """Each answer has its verdict and its extracted program."""
    folder = run_data.open_run(finished.folder)
    rows = run_data.judged_answers(folder, "Small/1")
    taken = run_data.programs(folder, [row.answer for row in rows], data_of(folder))

    assert [row.verdict.outcome.value for row in rows if row.verdict] == list(ANSWERS)
    assert taken is not None
    assert "return x * 1" in taken[0].program
    assert [(row.task_id, row.passed) for row in run_data.summaries(folder)] == [
        (f"Small/{number}", 1) for number in range(3)
    ]


def test_reading_what_is_not_there_is_an_error_with_a_hint(finished: FinishedRun, tmp_path: Path) -> None:
    """An unknown task, a folder without a run, profiles that were not judged."""
    folder = run_data.open_run(finished.folder)
    with pytest.raises(RunError) as no_task:
        run_data.judged_answers(folder, "Small/99")
    with pytest.raises(RunError) as no_profile:
        list(run_data.differences(folder))
    with pytest.raises(RunError) as no_run:
        run_data.open_run(tmp_path)

    assert all(error.value.hint for error in (no_task, no_profile, no_run))


def test_cheats_are_listed_and_did_not_pass(tmp_path: Path) -> None:
    """An object that equals everything is named as such."""
    cheat = (
        "class Same:\n    def __eq__(self, other):\n        return True\ndef plus_0(x):\n    return Same()\n"
    )
    stored = write(tmp_path / "cheat.jsonl", [{"task_id": "Small/0", "completion": cheat}])
    run("humaneval", data=str(humaneval(tmp_path, 1)), model=f"replay:{stored}", out=tmp_path / "run")
    (caught,) = run_data.cheats(run_data.open_run(tmp_path / "run"))

    assert (caught.outcome, "equals everything" in caught.suspicious) == (Outcome.wrong, True)


def test_missing_answers_count_for_neither_side() -> None:
    """Failures of the sandbox or of a server are separate outcomes, and no failures of the model."""
    rows = [
        Verdict(
            key=str(n),
            task_id="a",
            sample=n,
            outcome=outcome,
            isolation=Isolation.separated,
            profile="strict",
        )
        for n, outcome in enumerate(
            (Outcome.passed, Outcome.sandbox_error, Outcome.wrong, Outcome.model_error)
        )
    ]
    counted = count_verdicts(rows, lambda _task, _sample: "")

    assert (counted.outcomes.total(), counted.missing) == (4, {"a": 2})
    assert [each.outcome for each in counted.answers["a"]] == [Outcome.passed, Outcome.wrong]


def test_the_folder_says_what_was_run(finished: FinishedRun) -> None:
    """The identity is separate from fields that may differ, and rows are complete."""
    manifest = json.loads((finished.folder / "run.json").read_text())
    row = read_rows(finished.folder / "verdicts.jsonl")[0]

    assert manifest["identity"]["limits"]["cpu_s"] == 0.3
    assert {"started", "finished", "host", "jail"} <= set(manifest)
    assert {"task_id", "sample", "outcome", "isolation", "cpu_s", "wall_s", "rule", "key"} <= set(row)
