"""`ianvs export`: what is written runs as a job, with the figures of the track's own run."""

from __future__ import annotations

import json
import math
from pathlib import Path
from shutil import copytree
from types import SimpleNamespace

import pytest

from benchwright.errors import DataError, RunError, UsageError
from benchwright.interop.ianvs.adapter import TrackModel, metric
from benchwright.interop.ianvs.exporting import export_job
from benchwright.interop.ianvs.linting import lint
from benchwright.running.pipeline import run as run_track
from kit.command_line import benchwright, called

DEMO = Path(__file__).parents[3] / "src" / "benchwright" / "demo"
EXAMPLES = Path(__file__).parents[3] / "examples" / "ianvs"
ROWS = DEMO / "codecorrectness.jsonl"
ANSWERS = DEMO / "labels" / "demo-weak.jsonl"


def export(folder: Path, *, model: str = f"replay:{ANSWERS}") -> Path:
    """The demo's labels as an example."""
    export_job("codecorrectness", str(ROWS), folder, model=model)
    return folder


def test_the_exported_job_gives_the_figures_of_a_run(tmp_path: Path) -> None:
    folder = export(tmp_path / "example")
    score = run_track("codecorrectness", data=str(ROWS), model=f"replay:{ANSWERS}", out=tmp_path / "run")

    said = benchwright("ianvs", "run", "-f", "benchmarkingjob.yaml", "--json", cwd=folder)

    assert said.code == 0, said.err
    (result,) = said.document["results"]
    figures = {name: each["value"] for name, each in result["metrics"].items()}
    assert figures == {name: pytest.approx(score.metrics[name].value, abs=0) for name in figures}
    assert len(figures) == 5


def test_two_exports_are_equal_byte_for_byte(tmp_path: Path) -> None:
    one, two = export(tmp_path / "a"), export(tmp_path / "b")

    assert files_of(one) == files_of(two)
    assert len(files_of(one)) == 11


def test_an_export_has_no_finding(tmp_path: Path) -> None:
    folder = export(tmp_path / "example")

    assert lint(folder, root=folder).findings == []


def test_files_are_named_by_content(tmp_path: Path) -> None:
    """So that two examples never have modules of one stem, of which Ianvs keeps one."""
    one, two = export(tmp_path / "one"), export(tmp_path / "two", model="gold:")

    stems = [{path.stem for path in folder.rglob("*.py")} for folder in (one, two)]
    assert not stems[0] & stems[1]


def test_stored_answers_come_along(tmp_path: Path) -> None:
    folder = export(tmp_path / "example")

    assert (folder / "dataset" / "answers.jsonl").read_bytes() == ANSWERS.read_bytes()
    assert "replay:./dataset/answers.jsonl" in (folder / "testalgorithms/gen/gen_algorithm.yaml").read_text()


def test_rows_that_were_changed_on_one_side_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = export(tmp_path / "example", model="gold:")
    monkeypatch.chdir(folder)
    items = [json.loads(line) for line in (folder / "dataset/test/data.jsonl").read_text().splitlines()]
    model = TrackModel("codecorrectness", "dataset/rows.jsonl", model="gold:")

    assert len(model.predict(SimpleNamespace(explanation=[each["explanation"] for each in items]))) == 25
    with pytest.raises(DataError, match="does not hold the item 26"):
        model.predict(SimpleNamespace(explanation=['{"task_id": 1}', '{"task_id": 26}']))


def test_nothing_judged_is_no_zero(tmp_path: Path) -> None:
    figure = metric("codecorrectness", "exact_match", ROWS)
    missing = {
        "key": "k", "task_id": 1, "sample": 0, "outcome": "model_error", "isolation": "separated", "profile": "strict"
    }  # fmt: skip

    assert math.isnan(figure([], []))
    assert math.isnan(figure(["success"], [[missing]]))
    assert figure(["success"], [[{**missing, "outcome": "passed"}]]) == 1.0


def test_a_folder_that_holds_something_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("x")

    with pytest.raises(RunError, match="is not empty"):
        export(tmp_path)
    assert [each.name for each in tmp_path.iterdir()] == ["mine.txt"]


def test_an_unknown_track_writes_nothing(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no track is named"):
        export_job("codecorectness", str(ROWS), tmp_path / "new", model="gold:")
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("kind", ["comments", "issues"])
def test_the_shipped_jobs_are_exports_of_the_demo(tmp_path: Path, kind: str) -> None:
    """To make them anew: `./run benchwright ianvs export examples/ianvs/KIND …` into an empty folder."""
    data = DEMO / "smartcoding"
    export_job(
        f"smartcoding-{kind}",
        str(data / f"{kind}.jsonl"),
        tmp_path / kind,
        model=f"replay:{data / kind}/demo-strong.jsonl",
        judge=f"replay:{data / kind}/judge",
    )

    assert files_of(tmp_path / kind) == files_of(EXAMPLES / kind)


@pytest.mark.parametrize(
    ("kind", "metric_name", "value"), [("comments", "code_unchanged", 1.0), ("issues", "acc", 1.0)]
)
def test_the_shipped_jobs_run(tmp_path: Path, kind: str, metric_name: str, value: float) -> None:
    copytree(EXAMPLES / kind, tmp_path / kind)

    said = called("ianvs", "run", "-f", "benchmarkingjob.yaml", "--json", cwd=tmp_path / kind)

    (result,) = said.document["results"]
    assert said.code == 0 and result["metrics"][metric_name]["value"] == value


def files_of(folder: Path) -> dict[Path, bytes]:
    """All files below a folder."""
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*.*") if path.is_file()}
