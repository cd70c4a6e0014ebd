"""Runs as contestants: estimates from verdicts, compared with the score; unfinished runs are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchwright.errors import DataError, RunError, UsageError
from benchwright.rank.contestant import load
from benchwright.records import Metric
from benchwright.stats.passk import pass_at_k
from benchwright.store.data_files import data_hash
from kit.small_data import humaneval_row, write
from kit.small_runs import rights, run_folder

METRIC = {"low": 0.0, "high": 1.0, "n": 2, "samples": 2}


def test_estimates_are_those_of_each_task(tmp_path: Path) -> None:
    """Each metric of the score has pass@k of every task, in the data set's order."""
    [actual] = load([run_folder(tmp_path / "a", rights([10, 3, 0], 10), ks=(1, 5, 10))])
    expected = {f"pass@{k}": [pass_at_k(10, c, k) for c in (10, 3, 0)] for k in (1, 5, 10)}

    assert (actual.estimates, actual.tasks) == (expected, ["Small/0", "Small/1", "Small/2"])


def test_metrics_are_in_the_order_of_k(tmp_path: Path) -> None:
    """scores.json is sorted as text; here pass@5 precedes pass@10, so the first is the default."""
    [actual] = load([run_folder(tmp_path / "a", rights([10, 3], 10), ks=(10, 5, 1))])

    assert list(actual.estimates) == ["pass@1", "pass@5", "pass@10"]


def test_identity_is_taken_from_the_run(tmp_path: Path) -> None:
    """Fields that decide comparability are separate; the rest of the identity is in `settings`."""
    changed = {"excluded": ["Small/9"], "form": "batch", "prompts": {"design": "row"}, "judging": 4}
    [a] = load([run_folder(tmp_path / "a", rights([1, 1], 2), identity=changed)])
    settings = {"limits": {"cpu_s": 3.0, "memory_mb": 1024}, "python": "3.11", "prompts": {"design": "row"}}

    assert (a.track, a.profile, a.data, a.judging, a.n, a.form, a.excluded, a.settings) == (
        "humaneval",
        "strict",
        "d" * 64,
        4,
        2,
        "batch",
        ["Small/9"],
        settings,
    )


def test_missing_answers_count_for_neither(tmp_path: Path) -> None:
    """An answer lost by the harness is not judged; a task that lost all of them is listed as left out."""
    outcomes = {
        "Small/0": ["passed", "sandbox_error"],
        "Small/1": ["model_error", "model_error"],
        "Small/2": ["wrong", "passed"],
    }
    [a] = load([run_folder(tmp_path / "a", outcomes)])

    assert (a.tasks, a.counts, a.estimates, a.unjudged) == (
        ["Small/0", "Small/2"],
        [(1, 1), (2, 1)],
        {"pass@1": [1.0, 0.5]},
        ["Small/1"],
    )


def test_a_crossed_design_takes_the_mean_over_variants(tmp_path: Path) -> None:
    """With n = 2 and two variants, samples 0 and 1 belong to the first variant: pass@2 is 1 and 0, so 1/2."""
    outcomes = {task: ["passed", "wrong", "wrong", "wrong"] for task in ("Small/0", "Small/1")}
    metrics = {"pass@1": Metric(value=0.25, **METRIC), "pass@2": Metric(value=0.5, **METRIC)}
    score = {"prompt_design": "all", "metrics": metrics}
    [a] = load([run_folder(tmp_path / "a", outcomes, identity={"n": 2}, score=score)])

    assert (a.estimates, a.n) == ({"pass@1": [0.25, 0.25], "pass@2": [0.5, 0.5]}, 2)


def test_without_variants_all_answers_are_pooled(tmp_path: Path) -> None:
    """The same answers to one prompt give pass@2 of four answers."""
    outcomes = {task: ["passed", "wrong", "wrong", "wrong"] for task in ("Small/0", "Small/1")}
    [a] = load([run_folder(tmp_path / "a", outcomes, ks=(1, 2))])

    assert a.estimates == {"pass@1": [0.25, 0.25], "pass@2": [0.5, 0.5]}


def test_a_retried_verdict_replaces_the_earlier_one(tmp_path: Path) -> None:
    """Of two verdicts on one answer, as in a resumed run, the later counts."""
    run = run_folder(tmp_path / "a", rights([1, 1], 1))
    rows = (run / "verdicts.jsonl").read_text().splitlines()
    first = rows[0].replace('"passed"', '"sandbox_error"')
    (run / "verdicts.jsonl").write_text("\n".join([first, *rows]) + "\n")

    assert load([run])[0].counts == [(1, 1), (1, 1)]


def test_an_unfinished_run_is_refused(tmp_path: Path) -> None:
    """Without scores.json the run is running or was killed: the error has a hint."""
    run = run_folder(tmp_path / "a", rights([1, 0], 1))
    (run / "scores.json").unlink()
    with pytest.raises(RunError, match=r"a is not finished: it has no scores\.json") as caught:
        load([run])

    assert caught.value.hint == "run its command again to resume it"


def test_a_run_that_is_being_continued_is_refused(tmp_path: Path) -> None:
    """A score that differs from its verdicts is of an earlier state of the run."""
    metrics = {"pass@1": Metric(value=0.4, **METRIC)}
    run = run_folder(tmp_path / "a", rights([1, 0], 1), score={"metrics": metrics})
    with pytest.raises(RunError, match=r"gives pass@1 = 0\.400000 but the verdicts give 0\.500000"):
        load([run])


def test_a_metric_that_no_task_can_give_is_refused(tmp_path: Path) -> None:
    """The score does not belong to these verdicts."""
    metrics = {"pass@2": Metric(value=1.0, **METRIC)}
    run = run_folder(tmp_path / "a", rights([1, 0], 1), score={"metrics": metrics})
    with pytest.raises(RunError, match="but the verdicts give nan"):
        load([run])


def test_other_metrics_are_left_alone(tmp_path: Path) -> None:
    """A metric other than pass@k has no estimate per task; the rest can still be compared."""
    metrics = {"pass@1": Metric(value=0.5, **METRIC), "accuracy": Metric(value=0.9, **METRIC)}
    [actual] = load([run_folder(tmp_path / "a", rights([1, 0], 1), score={"metrics": metrics})])

    assert list(actual.estimates) == ["pass@1"]


@pytest.mark.parametrize("text", ["", "[]", '{"run": 1}', "\ufeff{"])
def test_a_damaged_score_is_refused(tmp_path: Path, text: str) -> None:
    """The error has the path; no other exception is raised."""
    run = run_folder(tmp_path / "a", rights([1, 0], 1))
    (run / "scores.json").write_text(text, encoding="utf-8")
    with pytest.raises(RunError, match=r"scores\.json is not a score"):
        load([run])


@pytest.mark.parametrize("field", ["track", "profile", "data"])
def test_a_run_that_does_not_say_what_was_run_is_refused(tmp_path: Path, field: str) -> None:
    """Without its track, profile or data a run cannot be compared."""
    run = run_folder(tmp_path / "a", rights([1, 0], 1), identity={field: None})
    with pytest.raises(RunError, match=f"run.json has no {field}"):
        load([run])


def test_no_run_folder(tmp_path: Path) -> None:
    """A folder without run.json is no run."""
    with pytest.raises(RunError, match=r"is not a run folder: it has no run\.json"):
        load([tmp_path])


def test_a_run_named_twice_is_refused(tmp_path: Path) -> None:
    """Comparing a run with itself is an error, under any spelling of its path."""
    run = run_folder(tmp_path / "a", rights([1, 0], 1))
    (tmp_path / "link").symlink_to(run)
    with pytest.raises(UsageError, match="is the same run as"):
        load([run, tmp_path / "link"])


def test_names_are_the_models(tmp_path: Path) -> None:
    """Two models have different names."""
    runs = [run_folder(tmp_path / m, rights([1, 0], 1), model=f"openai:{m}") for m in ("qwen", "llama")]

    assert [each.name for each in load(runs)] == ["qwen", "llama"]


def test_clusters_come_from_the_data_set(tmp_path: Path) -> None:
    """If the data set is still the one that was run, tasks are grouped by their meta."""
    rows = [humaneval_row(number, repository=f"r{number // 2}") for number in range(10)]
    data = write(tmp_path / "tasks.jsonl", rows)
    identity = {"data": data_hash(data)}
    [a] = load([run_folder(tmp_path / "a", rights([1] * 10, 1), data=str(data), identity=identity)])

    assert (a.grouping, a.clusters[:4]) == ("repository", ["r0", "r0", "r1", "r1"])


def test_without_the_data_set_each_task_stands_for_itself(tmp_path: Path) -> None:
    """A run folder alone has no groups."""
    [a] = load([run_folder(tmp_path / "a", rights([1, 0], 1))])

    assert (a.grouping, a.clusters) == ("", ["Small/0", "Small/1"])


def test_integer_ids_survive(tmp_path: Path) -> None:
    """MERA numbers its tasks; numbers stay numbers."""
    [a] = load([run_folder(tmp_path / "a", {1: ["passed"], 2: ["wrong"]})])

    assert a.tasks == [1, 2]


def test_a_damaged_verdict_is_an_error_with_its_line(tmp_path: Path) -> None:
    """The error names the unreadable line."""
    run = run_folder(tmp_path / "a", rights([1, 0], 1))
    rows = (run / "verdicts.jsonl").read_text().splitlines()
    (run / "verdicts.jsonl").write_text("\n".join([rows[0], '{"x": 1}']) + "\n")
    with pytest.raises(DataError, match=r"verdicts\.jsonl:2"):
        load([run])
