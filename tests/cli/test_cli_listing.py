"""`list`: tables of any width, JSON and CSV."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from benchwright import registry
from kit.command_line import benchwright, called
from kit.own_rows import own_file
from kit.small_runs import rights, run_folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two runs, one of a name in another script and a model that a spreadsheet would take for a formula."""
    run_folder(tmp_path / "runs" / "проба-1", rights([1, 0], 1), model="openai:small")
    run_folder(tmp_path / "runs" / "second", rights([1, 1], 1), model="=1+1")
    own_file(tmp_path)
    return tmp_path


def test_tracks_are_listed_for_people_and_programs() -> None:
    assert benchwright("list", "tracks").code == 0
    rows = called("list", "tracks", "--json").document
    assert [row["name"] for row in rows] == sorted(registry.TRACKS)
    assert all(row["title"] and row["measure"] for row in rows)


def test_models_are_listed_with_a_line_each() -> None:
    said = called("list", "models", COLUMNS="200")

    assert said.code == 0
    assert all(f"{name}:" in said.out for name in registry.MODELS)


def test_runs_have_track_model_measure_and_date(folder: Path) -> None:
    said = called("list", "runs", cwd=folder, COLUMNS="200")

    assert (said.code, said.err) == (0, "")
    assert "runs/проба-1" in said.out
    assert "pass@1 50.0 %" in said.out
    assert "openai:small" in said.out


def test_the_csv_of_runs_has_a_figure_in_columns(folder: Path) -> None:
    """And nothing that a spreadsheet would execute."""
    rows = list(csv.DictReader(io.StringIO(called("list", "runs", "--csv", cwd=folder).out)))
    by_run = {row["run"]: row for row in rows}

    assert float(by_run["runs/проба-1"]["score"]) == 0.5
    assert {"low", "high", "n", "samples"} <= set(rows[0])
    assert not by_run["runs/second"]["model"].startswith("=")


def test_data_is_what_has_a_name_and_what_is_here(folder: Path) -> None:
    """One's own files last, where the prompt comes back; of a folder that is named, its files alone."""
    every = called("list", "data", "--json", cwd=folder).document
    own = called("list", "data", ".", "--json", cwd=folder).document

    assert [each["named"] for each in every] == [True] * (len(every) - 1) + [False]
    assert own == every[-1:]
    assert (own[0]["data"], own[0]["track"], own[0]["here"]) == ("own.jsonl", "own", True)
    said = called("list", "data", cwd=folder, COLUMNS="200").out.splitlines()
    assert said[-1].split()[:2] == ["own.jsonl", "own"] and said[-1].split()[-1] == "file"
    assert any("openai/human-eval" in line for line in said)


@pytest.mark.parametrize("columns", ["40", "80", "200"])
@pytest.mark.parametrize("what", ["tracks", "models", "runs", "data"])
def test_no_column_is_lost_at_any_width(folder: Path, what: str, columns: str) -> None:
    """Each heading is there, and each line fits, but for a licence in words that has a line of its own."""
    wide = called("list", what, cwd=folder, COLUMNS="300").out.splitlines()[0].split()
    lines = called("list", what, cwd=folder, COLUMNS=columns).out.splitlines()

    assert all(len(line.rstrip()) <= int(columns) or line.startswith("  licence: ") for line in lines)
    assert set("".join(wide)) <= set("".join(lines))


def test_an_empty_folder_has_none(tmp_path: Path) -> None:
    said = called("list", "data", tmp_path)

    assert (said.code, said.out, said.err) == (0, "", "none\n")
    assert called("list", "data", tmp_path, "--json").document == []
    assert called("list", "data", tmp_path, "--csv").out == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["runs", "nowhere"], "folder not found: nowhere"),
        (["runs", "own.jsonl"], "folder not found: own.jsonl"),
        (["runs", ""], "FOLDER is empty"),
        (["run"], "did you mean `benchwright list runs`?"),
        (["tracks", "--json", "--csv"], "mutually exclusive"),
    ],
)
def test_a_wrong_list_command_has_a_hint(folder: Path, arguments: list[str], message: str) -> None:
    said = called("list", *arguments, cwd=folder)

    assert (said.code, message in said.err) == (2, True)


@pytest.mark.parametrize("form", [[], ["--json"], ["--csv"]])
def test_names_that_are_no_text_are_listed(tmp_path: Path, form: list[str]) -> None:
    """Bytes that no encoding has stand as escapes, in every form."""
    own_file(tmp_path).rename(tmp_path / "o\udcff.jsonl")
    run_folder(tmp_path / "runs" / "r\udcff", rights([1, 0], 1))

    data, runs = (called("list", what, tmp_path, *form, COLUMNS="300") for what in ("data", "runs"))

    assert (data.code, runs.code) == (0, 0), data.err + runs.err
    assert ("o\\\\udcff.jsonl" if form == ["--json"] else "o\\udcff.jsonl") in data.out
    assert ("r\\\\udcff" if form == ["--json"] else "r\\udcff") in runs.out
