"""Parquet files and data sets of the hub: typed columns, intervals with counts, nothing that quotes a task."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchwright.errors import PrerequisiteError, RunError, UsageError
from benchwright.interop.exports import hub_dataset, parquet_files
from benchwright.interop.exports.finished_runs import finished_runs
from kit.command_line import called
from kit.exported_runs import OUTCOMES, SECRET, exported_run
from kit.made_hub_repository import MadeRepository, serving_repository
from kit.needs import need_module


@pytest.fixture(autouse=True)
def _needs_duckdb() -> None:
    need_module("duckdb")


def read(path: Path) -> list[dict[str, Any]]:
    """The rows of a Parquet file."""
    table = need_module("duckdb").read_parquet(str(path))
    return [dict(zip(table.columns, row, strict=True)) for row in table.fetchall()]


def test_each_figure_has_its_interval_and_its_counts(tmp_path: Path) -> None:
    """A row for each answer, verdict and figure; outcomes add up to the answers."""
    run = exported_run(tmp_path)
    done = parquet_files.export_parquet([run], tmp_path / "out")
    scores = read(tmp_path / "out/scores.parquet")
    stored = finished_runs([run])[0].score.metrics
    counts = {name: scores[0][f"answers_{name}"] for name in OUTCOMES}

    assert done.files == {"answers.parquet": 6, "verdicts.parquet": 6, "scores.parquet": len(stored)}
    assert {row["metric"]: (row["value"], row["low"], row["high"], row["tasks"]) for row in scores} == {
        name: (each.value, each.low, each.high, each.n) for name, each in stored.items()
    }
    assert (counts, scores[0]["answers"], scores[0]["missing"]) == (OUTCOMES, 6, 1)
    verdicts = {(row["task_id"], row["sample"]): row for row in read(tmp_path / "out/verdicts.parquet")}
    assert [verdicts[key]["passed"] for key in sorted(verdicts)] == [True, False, True, False, None, False]
    assert verdicts["Small/0", 1]["detail"] == SECRET


def test_a_second_export_replaces_the_files(tmp_path: Path) -> None:
    """Byte for byte the same, and no row twice."""
    run, out = exported_run(tmp_path), tmp_path / "out"
    parquet_files.export_parquet([run], out)
    first = {path.name: path.read_bytes() for path in out.iterdir()}
    parquet_files.export_parquet([run], out)

    assert {path.name: path.read_bytes() for path in out.iterdir()} == first


def test_several_runs_and_their_folder(tmp_path: Path) -> None:
    """A folder stands for its runs; two of one name would be indistinguishable."""
    (
        exported_run(tmp_path / "a", "one"),
        exported_run(tmp_path / "a", "two"),
        exported_run(tmp_path / "b", "one"),
    )

    assert [run.name for run in finished_runs([tmp_path / "a"])] == ["one", "two"]
    with pytest.raises(UsageError, match=r"two runs have the same name: .*a/one and .*b/one"):
        finished_runs([tmp_path / "a", tmp_path / "b"])
    with pytest.raises(UsageError, match="same name"):
        finished_runs([tmp_path / "a/one", tmp_path / "a/one"])


def test_a_data_set_quotes_no_task(tmp_path: Path) -> None:
    """Neither in the tables nor in the card; answers of a run with private tasks are left out."""
    runs = [exported_run(tmp_path, "open"), exported_run(tmp_path, "private", withheld=True)]
    done = hub_dataset.export_hub(runs, out=tmp_path / "set")
    verdicts, answers = (read(tmp_path / f"set/data/{name}.parquet") for name in ("verdicts", "answers"))

    assert ({row["run"] for row in answers}, {row["run"] for row in verdicts}) == (
        {"open"},
        {"open", "private"},
    )
    assert (SECRET in str(verdicts), "detail" in verdicts[0], done.withheld) == (False, False, ["private"])
    card = (tmp_path / "set/README.md").read_text()
    assert "| open | humaneval | replay:answers.jsonl | strict | pass@1 |" in card
    assert "1 wrong" in card and "Answers of runs with private tasks are left out: private." in card


def test_a_push_is_private_and_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The repository is created as a private one; the second push of the same run changes nothing."""
    need_module("huggingface_hub")
    monkeypatch.setenv("HF_TOKEN", "hf_ours")
    run, hub = exported_run(tmp_path), MadeRepository("hf_ours")
    with serving_repository(hub) as endpoint:
        first = hub_dataset.export_hub([run], to="me/runs", endpoint=endpoint)
        hub_dataset.export_hub([run], to="me/runs", endpoint=endpoint)

    assert (hub.private, hub.commits, first.private) == (True, 1, True)
    assert sorted(hub.files) == [
        *("README.md", "data/answers.parquet", "data/scores.parquet", "data/verdicts.parquet"),
    ]


def test_a_public_repository_needs_a_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that exists and is public gets nothing without --public."""
    need_module("huggingface_hub")
    monkeypatch.setenv("HF_TOKEN", "hf_ours")
    run, hub = exported_run(tmp_path), MadeRepository("hf_ours", private=False)
    with serving_repository(hub) as endpoint:
        with pytest.raises(UsageError, match="is public"):
            hub_dataset.export_hub([run], to="me/runs", endpoint=endpoint)
        assert hub.files == {}
        hub_dataset.export_hub([run], to="me/runs", endpoint=endpoint, public=True)

    assert len(hub.files) == 4


def test_a_hub_that_refuses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong token, a server that is away, no token: each says what to do, and none prints the token."""
    need_module("huggingface_hub")
    run, hub = exported_run(tmp_path), MadeRepository("hf_ours")
    monkeypatch.setenv("HF_TOKEN", "hf_wrong")
    with serving_repository(hub) as endpoint, pytest.raises(RunError, match="status 401") as refused:
        hub_dataset.export_hub([run], to="me/runs", endpoint=endpoint)
    with pytest.raises(RunError, match="cannot be reached") as away:
        hub_dataset.export_hub([run], to="me/runs", endpoint="http://127.0.0.1:9")
    monkeypatch.delenv("HF_TOKEN")
    with pytest.raises(PrerequisiteError, match="HF_TOKEN is not set"):
        hub_dataset.export_hub([run], to="me/runs", endpoint=endpoint)

    assert "hf_wrong" not in f"{refused.value} {away.value}"
    assert hub.files == {}


def test_the_block_of_a_model_card(tmp_path: Path) -> None:
    """The library of the hub reads it back: numbers as values, intervals and tasks in the names."""
    cards = need_module("huggingface_hub.repocard_data")
    yaml = need_module("yaml")
    run = exported_run(tmp_path)
    done = called("export", "model-index", run, "--name", "me/model", "--dataset", "openai/openai_humaneval")
    index = yaml.safe_load(done.out)["model-index"]
    name, results = cards.model_index_to_eval_results(index)
    stored = finished_runs([run])[0].score.metrics["pass@1"]

    assert (done.code, name, results[0].dataset_type) == (0, "me/model", "openai/openai_humaneval")
    (found,) = (each for each in results if each.metric_type == "pass@1")
    assert found.metric_value == stored.value
    assert (
        found.metric_name == f"pass@1 (strict; 95% interval {stored.low:.4f} to {stored.high:.4f}, 3 tasks)"
    )
    assert found.metric_args["outcomes"] == OUTCOMES
    assert (
        called("export", "model-index", run, "--json").document["model-index"][0]["name"] == "answers.jsonl"
    )


def _unfinished(run: Path) -> None:
    (run / "scores.json").unlink()


def _torn(run: Path) -> None:
    (run / "scores.json").write_text('{"run": ')


def _other_verdicts(run: Path) -> None:
    path = run / "verdicts.jsonl"
    path.write_text(path.read_text().replace('"wrong"', '"passed"'))


def _no_end(run: Path) -> None:
    manifest = json.loads((run / "run.json").read_text())
    del manifest["finished"]
    (run / "run.json").write_text(json.dumps(manifest))


def _bad_verdict(run: Path) -> None:
    with (run / "verdicts.jsonl").open("a") as file:
        file.write("{]\n")


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (_unfinished, "not finished"),
        (_torn, "is not a score"),
        (_other_verdicts, "scores.json and verdicts.jsonl disagree"),
        (_no_end, "is not finished"),
        (_bad_verdict, "verdicts.jsonl:7"),
    ],
)
@pytest.mark.parametrize("command", [("parquet", "--out", "out"), ("hf", "--out", "out"), ("model-index",)])
def test_a_damaged_run(tmp_path: Path, damage: Any, message: str, command: tuple[str, ...]) -> None:
    """Nothing is written, and the error names the file."""
    run = exported_run(tmp_path)
    damage(run)
    done = called("export", command[0], run, *command[1:], cwd=tmp_path)

    assert (done.code, message in done.err, "Traceback" in done.err) == (1, True, False), done.err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("parquet",), 2, "RUN"),
        (("parquet", "none", "--out", "out"), 1, "path not found"),
        (("parquet", "", "--out", "out"), 2, "is empty"),
        (("parquet", "mine"), 2, "--out"),
        (("parquet", "mine", "--out", ""), 2, "--out is empty"),
        (("parquet", "mine", "--out", "tasks.jsonl"), 1, "is a file, not a folder"),
        (("parquet", "tasks.jsonl", "--out", "out"), 1, "not a run folder"),
        (("hf", "mine"), 2, "missing --out or --to"),
        (("hf", "mine", "--to", "runs"), 2, "not a repository"),
        (("hf", "mine", "--to", "a/../b"), 2, "not a repository"),
        (("hf", "mine", "--to", "me/runs"), 3, "HF_TOKEN is not set"),
        (("model-index", "mine", "--name", ""), 2, "--name is empty"),
        (("parket", "mine", "--out", "out"), 2, "parquet"),
        (("parquet", "mine", "--out", "out", "--jsn"), 2, "--json"),
    ],
)
def test_slips(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    code: int,
    message: str,
) -> None:
    """One sentence each, and nothing is written."""
    monkeypatch.delenv("HF_TOKEN", raising=False)
    exported_run(tmp_path)
    done = called("export", *arguments, cwd=tmp_path)

    assert (done.code, message in done.err, "Traceback" in done.err) == (code, True, False), done.err
    assert not (tmp_path / "out").exists()


def test_runs_of_several_models(tmp_path: Path) -> None:
    """A card is about one model."""
    one, two = exported_run(tmp_path, "one"), exported_run(tmp_path, "two")
    score = json.loads((two / "scores.json").read_text())
    (two / "scores.json").write_text(json.dumps({**score, "model": "openai:other"}))
    done = called("export", "model-index", one, two)

    assert (done.code, "several models: openai:other, replay:answers.jsonl" in done.err) == (2, True)
