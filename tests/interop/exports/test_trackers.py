"""Runs in MLflow and Weights & Biases: figures with bounds and counts, one run for each, nothing that quotes a task."""

from __future__ import annotations

import json
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchwright.errors import PrerequisiteError, RunError
from benchwright.interop.exports import mlflow_log, wandb_log
from benchwright.interop.exports.finished_runs import FinishedRun
from benchwright.interop.exports.tracked_run import figure_name, tracked_figures, tracked_settings
from kit.command_line import called
from kit.exported_runs import OUTCOMES, SECRET, exported_run
from kit.json_server import JsonAsked, Reply, serving_json
from kit.made_mlflow import MadeMlflow, serving_mlflow
from kit.needs import need_module
from kit.processes import HANG_S

CLOSED = "http://127.0.0.1:9"
_MLFLOW, _WANDB = (
    "mlflow is not installed: uv sync --group trackers",
    "wandb is not installed: uv sync --group trackers",
)


def test_each_figure_has_its_bounds_and_its_counts(tmp_path: Path) -> None:
    """Names are those that every tracker takes; settings name no path of this machine."""
    run = FinishedRun(exported_run(tmp_path))
    figures, metric = tracked_figures(run), run.score.metrics["pass@1"]
    name = "strict/pass_at_1"

    assert [figures[f"{name}{part}"] for part in ("", "/low", "/high")] == [
        metric.value,
        metric.low,
        metric.high,
    ]
    assert [figures[f"{name}/{part}"] for part in ("tasks", "answers", "missing")] == [metric.n, 6, 1]
    assert {each: figures[f"strict/outcomes/{each}"] for each in OUTCOMES} == OUTCOMES
    assert str(tmp_path) not in str(tracked_settings(run))
    assert (figure_name("pass^5"), figure_name("mera: доля")) == ("pass_hat_5", "mera______")


def test_mlflow_updates_the_run_that_it_has(tmp_path: Path) -> None:
    """Two exports: one run, each point once, the table of verdicts without what quotes a test."""
    need_module("mlflow", _MLFLOW)
    run, made = exported_run(tmp_path), MadeMlflow()
    with serving_mlflow(made) as address:
        first = mlflow_log.export_mlflow([run], to=address)
        second = mlflow_log.export_mlflow([run], to=address)
    (logged,) = made.runs
    points = {each["key"]: each["value"] for each in logged["data"]["metrics"]}

    assert (first.runs, first.updated, second.runs, second.updated) == (second.runs, [], first.runs, ["mine"])
    assert (points, len(logged["data"]["metrics"])) == (tracked_figures(FinishedRun(run)), first.figures)
    assert logged["info"]["status"] == "FINISHED"
    (table,) = made.artifacts.values()
    assert (len(json.loads(table)["data"]), SECRET in table.decode()) == (6, False)


def test_mlflow_gets_what_a_new_judgement_changed(tmp_path: Path) -> None:
    """The same run with another score is the same run of the tracker."""
    need_module("mlflow", _MLFLOW)
    run, made = exported_run(tmp_path), MadeMlflow()
    with serving_mlflow(made) as address:
        mlflow_log.export_mlflow([run], to=address)
        score = json.loads((run / "scores.json").read_text())
        score["metrics"]["pass@1"]["value"] = 0.25
        (run / "scores.json").write_text(json.dumps(score))
        mlflow_log.export_mlflow([run], to=address)
    values = [each["value"] for each in made.runs[0]["data"]["metrics"] if each["key"] == "strict/pass_at_1"]

    assert (len(made.runs), values[-1]) == (1, 0.25)


def test_mlflow_refuses_or_is_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each in a sentence with what to set."""
    need_module("mlflow", _MLFLOW)
    for name in ("MLFLOW_TRACKING_TOKEN", "MLFLOW_TRACKING_URI"):
        monkeypatch.delenv(name, raising=False)
    run, made = exported_run(tmp_path), MadeMlflow("right")
    with serving_mlflow(made) as address:
        refused = called("export", "mlflow", run, "--to", address)
        allowed = called("export", "mlflow", run, "--to", address, "--json", MLFLOW_TRACKING_TOKEN="right")
    away = called("export", "mlflow", run, "--to", CLOSED)
    unknown = called("export", "mlflow", run, "--to", "ftp://me:secret@host/x")

    assert (refused.code, "401" in refused.err, "MLFLOW_TRACKING_TOKEN" in refused.err) == (1, True, True)
    assert (allowed.code, list(allowed.document["runs"])) == (0, ["mine"])
    assert (away.code, "check that the server runs" in away.err, "Traceback" in away.err) == (1, True, False)
    assert (unknown.code, "secret" in unknown.err) == (1, False)
    assert called("export", "mlflow", run).code == 2


def test_wandb_writes_an_offline_run(tmp_path: Path) -> None:
    """The folder that `wandb sync` reads: settings, figures and the table of verdicts."""
    need_module("wandb", _WANDB)
    run = exported_run(tmp_path)
    done = called("export", "wandb", run, "--project", "models", "--out", tmp_path / "off", "--json")
    (stored,) = (tmp_path / "off").rglob("*.wandb")
    records = list(_records(stored))

    assert (done.code, done.document["runs"]) == (0, {"mine": wandb_log.run_id(FinishedRun(run))})
    summary = {
        key: json.loads(item.value_json)
        for record in records
        for item in record.summary.update
        for key in [item.key or "/".join(item.nested_key)]
    }
    figures = tracked_figures(FinishedRun(run))
    assert {name: summary.get(name) for name in figures} == figures
    (config,) = (record.run.config.update for record in records if record.HasField("run"))
    assert {item.key: json.loads(item.value_json) for item in config}["track"] == "humaneval"
    assert SECRET.encode() not in b"".join(
        path.read_bytes() for path in (tmp_path / "off").rglob("*") if path.is_file()
    )


def _records(path: Path) -> Iterator[Any]:
    """The records of an offline run: LevelDB's log format, after a header of seven bytes."""
    from wandb.proto.wandb_internal_pb2 import Record

    data, place, whole = path.read_bytes(), 7, b""
    while place + 7 <= len(data):
        if (left := -place % 32768) and left < 7:  # a block ends with zeros where no header fits
            place += left
            continue
        _, size, kind = struct.unpack("<IHB", data[place : place + 7])
        whole, place = whole + data[place + 7 : place + 7 + size], place + 7 + size
        if kind in (1, 4):  # whole, or the last part
            yield Record.FromString(whole)
            whole = b""


def test_wandb_refuses_or_is_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before the client starts, which would try again for minutes; no error prints the key."""
    need_module("wandb", _WANDB)
    run = exported_run(tmp_path)
    asked: list[JsonAsked] = []

    def refuse(each: JsonAsked) -> Reply:
        asked.append(each)
        return [(401, {}), (200, {"data": {"viewer": None}}), (200, b"<html>")][len(asked) - 1]

    monkeypatch.setenv("WANDB_API_KEY", "the-key")
    with serving_json(refuse) as address:
        monkeypatch.setenv("WANDB_BASE_URL", address)
        for _ in range(3):
            with pytest.raises(RunError, match="refused the key") as caught:
                wandb_log.export_wandb([run], project="p")
            assert "the-key" not in str(caught.value)
    monkeypatch.setenv("WANDB_BASE_URL", CLOSED)
    with pytest.raises(RunError, match="cannot be reached"):
        wandb_log.export_wandb([run], project="p")
    monkeypatch.setenv("WANDB_API_KEY", "")
    with pytest.raises(PrerequisiteError, match="WANDB_API_KEY is not set"):
        wandb_log.export_wandb([run], project="p")

    assert len(asked) == 3


@pytest.mark.parametrize(
    ("command", "client", "extra"), [("mlflow", "mlflow", "mlflow"), ("wandb", "wandb", "wandb")]
)
def test_a_missing_client_names_its_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, client: str, extra: str
) -> None:
    """Nothing else is needed to say it."""
    for name in [client, *(name for name in sys.modules if name.startswith(f"{client}."))]:
        monkeypatch.setitem(sys.modules, name, None)
    option = ["--to", CLOSED] if command == "mlflow" else ["--project", "p", "--out", tmp_path / "off"]
    done = called("export", command, exported_run(tmp_path), *option)

    assert (done.code, f"benchwright[{extra}]" in done.err, (tmp_path / "off").exists()) == (3, True, False)


def test_help_loads_no_client() -> None:
    """The clients take seconds to import."""
    program = (
        "import sys\nfrom benchwright.cli.export_trackers import mlflow, wandb\n"
        "assert not {'mlflow', 'wandb', 'huggingface_hub', 'duckdb'} & set(sys.modules), 'loaded'"
    )
    done = subprocess.run([sys.executable, "-c", program], timeout=HANG_S, check=False)

    assert done.returncode == 0


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("wandb", "mine"), 2, "--project"),
        (("wandb", "mine", "--project", ""), 2, "--project is empty"),
        (("wandb", "none", "--project", "p", "--out", "off"), 1, "path not found"),
        (("wandb", "mine", "--project", "p", "--out", "tasks.jsonl"), 1, "--out tasks.jsonl"),
        (("mlflow", "mine", "--to", ""), 2, "--to is empty"),
        (("mlflow", "mine", "--experiment", ""), 2, "--experiment is empty"),
        (("mlflow", "mine", "mine", "--to", CLOSED), 2, "same name"),
    ],
)
def test_slips(tmp_path: Path, arguments: tuple[str, ...], code: int, message: str) -> None:
    """One sentence each, and nothing is written."""
    need_module("mlflow", _MLFLOW)
    need_module("wandb", _WANDB)
    exported_run(tmp_path)
    done = called("export", *arguments, cwd=tmp_path)

    assert (done.code, message in done.err, "Traceback" in done.err) == (code, True, False), done.err
    assert not (tmp_path / "off").exists()
