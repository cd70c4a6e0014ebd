"""`ianvs export`: what is written runs as a job, with the figures of the track's own run."""

from __future__ import annotations

import ast
import json
import math
from pathlib import Path
from shutil import copytree
from types import SimpleNamespace
from typing import Any

import pytest

from benchwright import registry
from benchwright.errors import DataError, RunError, UsageError
from benchwright.interop.ianvs.adapter import TrackModel, metric
from benchwright.interop.ianvs.job_export import Mode, export_job
from benchwright.interop.ianvs.job_lint import lint
from benchwright.interop.ianvs.job_templates import (
    LIVE_METRICS,
    LIVE_MODEL,
    STORED_METRICS,
    STORED_MODEL,
    fill_template,
)
from benchwright.running.pipeline import run as run_track
from kit.command_line import called
from kit.examples import SCALE

PYLINTS_WIDTH = 100
DEMO = Path(__file__).parents[3] / "src" / "benchwright" / "demo"
EXAMPLES = Path(__file__).parents[3] / "examples" / "ianvs"
ROWS = DEMO / "codecorrectness.jsonl"
ISSUES = DEMO / "smartcoding" / "issues"
ANSWERS = DEMO / "labels" / "demo-weak.jsonl"


def export(folder: Path, *, model: str = f"replay:{ANSWERS}", **options: Any) -> Path:
    """The demo's labels as an example."""
    export_job("codecorrectness", str(ROWS), folder, model=model, **options)
    return folder


def issues(folder: Path, **options: Any) -> Path:
    """The demo's issues as an example, judged by the stored replies of a judge."""
    own = {"model": f"replay:{ISSUES}/demo-strong.jsonl", "judge": f"replay:{ISSUES}/judge"}
    export_job("smartcoding-issues", f"{ISSUES}.jsonl", folder, **{**own, **options})
    return folder


def shy(folder: Path, decided: int) -> str:
    """A judge that decides the first items alone: what it says of the others holds no label."""
    copytree(ISSUES / "judge", folder)
    (replies,) = folder.glob("replies.*.jsonl")
    rows = [json.loads(line) for line in replies.read_text().splitlines()]
    ids = [json.loads(line)["id"] for line in Path(f"{ISSUES}.jsonl").read_text().splitlines()]
    for row in rows:
        if row["task_id"] in ids[decided:]:
            row["text"] = "I would rather not say."
    replies.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return f"replay:{folder}"


def result_of(folder: Path, *options: str) -> dict[str, Any]:
    """The one result of an example, and the exit code."""
    said = called("ianvs", "run", "-f", "benchmarkingjob.yaml", "--json", *options, cwd=folder)
    (result,) = said.document["results"]
    return {**result, "code": said.code}


@pytest.mark.parametrize("mode", ["stored", "live"])
def test_the_exported_job_gives_the_figures_of_a_run(tmp_path: Path, mode: Mode) -> None:
    """Each with its interval and what it is of."""
    folder = export(tmp_path / "example", mode=mode)
    score = run_track("codecorrectness", data=str(ROWS), model=f"replay:{ANSWERS}", out=tmp_path / "run")
    result = result_of(folder)
    values = {name: each["value"] for name, each in result["metrics"].items()}

    for name in {"stored": ["exact_match"], "live": list(score.metrics)}[mode]:
        metric = score.metrics[name]
        found = [values[name], values[f"{name}_low"], values[f"{name}_high"], values[f"{name}_judged"]]
        assert found == pytest.approx([metric.value, metric.low, metric.high, metric.n], abs=1e-12)
    assert (values["answers"], values["answers_decided"], values["undecided"]) == (25, 25, 0)
    assert (result["code"], result["rank"]) == (0, 1)


# A job of each size in one of the modes; weekly in both.
UNDECIDED: list[tuple[Mode, int]] = [("live", 0), ("stored", 1), ("live", 3), ("stored", 11)]
if SCALE > 1:
    UNDECIDED = [(mode, decided) for mode in ("stored", "live") for _, decided in UNDECIDED]


@pytest.mark.parametrize(("mode", "decided"), UNDECIDED)
def test_undecided_items_are_told(tmp_path: Path, mode: Mode, decided: int) -> None:
    """No figure without what it is of, and no rank while an item is undecided."""
    folder = issues(tmp_path / "example", judge=shy(tmp_path / "shy", decided), mode=mode)
    result = result_of(folder)
    acc, evidence = (result["metrics"][name] for name in ("acc", "evidence"))

    assert (acc["scored"], acc["total"]) == (decided, 12)
    assert (acc["value"] is None, result["rank"], result["code"]) == (decided == 0, None, 1)
    assert result["metrics"]["undecided"]["value"] == 12 - decided
    assert result["metrics"]["acc_judged"]["value"] == decided
    assert evidence["trouble"] is None or decided == 0
    if decided == 1:
        assert result["metrics"]["acc_low"]["value"] == pytest.approx(0.2065, abs=1e-4)
        said = called("ianvs", "run", "-f", "benchmarkingjob.yaml", cwd=folder).err
        assert "1.0 (1 of 12 scored)" in said and "\n-     smartcoding-issues" in said


def test_two_exports_are_equal_byte_for_byte(tmp_path: Path) -> None:
    one, two = export(tmp_path / "a"), export(tmp_path / "b")

    assert files_of(one) == files_of(two)
    assert len(files_of(one)) == 13


@pytest.mark.parametrize("mode", ["stored", "live"])
def test_an_export_has_no_finding(tmp_path: Path, mode: Mode) -> None:
    folder = issues(tmp_path / "example", mode=mode)

    assert lint(folder, root=folder).findings == []


@pytest.mark.parametrize("name", registry.names("track"))
@pytest.mark.parametrize("mode", ["stored", "live"])
def test_no_line_is_longer_than_pylint_allows(name: str, mode: str) -> None:
    """For all names of tracks; Ianvs's workflow calls pylint with its defaults."""
    track = registry.find("track", name)
    values = {"title": track.title, "alias": "gen", "track": track.name, "version": "1.0.0"}
    templates = {"live": (LIVE_MODEL, LIVE_METRICS), "stored": (STORED_MODEL, STORED_METRICS)}[mode]
    lines = [line for each in templates for line in fill_template(each, **values).splitlines()]

    assert max(map(len, lines)) <= PYLINTS_WIDTH


def test_files_are_named_by_content(tmp_path: Path) -> None:
    """So that two examples never have modules of one stem, of which Ianvs keeps one."""
    one, two = export(tmp_path / "one"), export(tmp_path / "two", model="gold:")

    stems = [{path.stem for path in folder.rglob("*.py")} for folder in (one, two)]
    assert not stems[0] & stems[1]


def test_stored_answers_come_along(tmp_path: Path) -> None:
    """Judged, and where the example is live as they are."""
    live, stored = export(tmp_path / "live", mode="live"), export(tmp_path / "stored")
    results = [json.loads(line) for line in (stored / "dataset/results.jsonl").read_text().splitlines()]

    assert (live / "dataset" / "answers.jsonl").read_bytes() == ANSWERS.read_bytes()
    assert "replay:./dataset/answers.jsonl" in (live / "testalgorithms/gen/gen_algorithm.yaml").read_text()
    assert len(results) == 25 and all(each["answers"] == len(each["texts"]) == 1 for each in results)
    assert str(tmp_path) not in "".join(path.read_text() for path in stored.rglob("*.*") if path.is_file())


@pytest.mark.parametrize("kind", ["issues", "codecorrectness"])
def test_a_stored_example_needs_nothing_of_ours(tmp_path: Path, kind: str) -> None:
    """Its code is Python 3.8 and imports the standard library and Sedna's registry alone."""
    folder = (issues if kind == "issues" else export)(tmp_path / "example")
    for path in folder.rglob("*.py"):
        tree = ast.parse(path.read_text(), feature_version=(3, 8))
        imported = {
            name.partition(".")[0]
            for node in ast.walk(tree)
            for name in (
                [node.module or ""] if isinstance(node, ast.ImportFrom)
                else [each.name for each in node.names] if isinstance(node, ast.Import) else []
            )
        }  # fmt: skip
        assert imported <= {"json", "math", "os", "sedna", "statistics"}
        assert path.read_text().startswith("# Licensed under the Apache License, Version 2.0")
    assert {"README.md", "requirements.txt"} <= {path.name for path in folder.iterdir()}


@pytest.mark.parametrize(
    ("given", "place", "start"),
    [
        ("examples/mine", None, "./examples/mine"),
        ("mine", None, "./mine"),
        ("mine", ".", "."),
        ("mine", "examples/other", "./examples/other"),
        ("./a/b/", None, "./a/b"),
    ],
)
def test_paths_are_those_of_the_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str, place: str | None, start: str
) -> None:
    """As Ianvs resolves them: from where it is started, which is the root of a checkout."""
    monkeypatch.chdir(tmp_path)
    written = export_job("codecorrectness", str(ROWS), given, model="gold:", place=place)

    assert f'testenv: "{start}/testenv/testenv.yaml"' in Path(given, "benchmarkingjob.yaml").read_text()
    if place is None:
        assert called("ianvs", "run", "-f", written.start, "-q", cwd=tmp_path).code == 0


@pytest.mark.parametrize("place", ["/opt/ianvs/mine", "../mine", "a/../../b"])
def test_a_place_outside_is_refused(tmp_path: Path, place: str) -> None:
    with pytest.raises(UsageError, match="is not a path below the start folder of Ianvs"):
        export_job("codecorrectness", str(ROWS), tmp_path / "new", model="gold:", place=place)
    assert not (tmp_path / "new").exists()


def test_what_is_no_mean_is_named(tmp_path: Path) -> None:
    """It cannot be computed from values of items, so it is left out and reported."""
    written = export_job("codecorrectness", str(ROWS), tmp_path / "new", model=f"replay:{ANSWERS}")

    assert written.left_out == ["balanced_accuracy", "mcc", "macro_f1", "invalid"]
    assert "`macro_f1`" in (tmp_path / "new" / "README.md").read_text()


def test_rows_that_were_changed_on_one_side_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = export(tmp_path / "example", model="gold:")
    monkeypatch.chdir(folder)
    items = [json.loads(line) for line in (folder / "dataset/test/data.jsonl").read_text().splitlines()]
    model = TrackModel("codecorrectness", "dataset/rows.jsonl", model="gold:")

    assert len(model.predict(SimpleNamespace(explanation=[each["explanation"] for each in items]))) == 25
    with pytest.raises(DataError, match="lacks the item 26"):
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
    with pytest.raises(UsageError, match="unknown track"):
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
