"""`judge links` and `judge precision`: from a release to labels to the precision of each rung."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from benchwright.cli.judge_links import NAME
from benchwright.web.station.application import votes_in_file
from kit.command_line import benchwright, called
from kit.made_alignment import made_release
from kit.made_changes import MadeChanges


@pytest.fixture
def release(tmp_path: Path) -> Path:
    return made_release(tmp_path / "release")


def _fill(sheet: Path, label: str) -> None:
    rows = list(csv.DictReader(io.StringIO(sheet.read_text("utf-8-sig"), newline="")))
    for row in rows:
        row["answered"] = label
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, rows[0])
    writer.writeheader()
    writer.writerows(rows)
    sheet.write_text(text.getvalue(), "utf-8", newline="")


def test_links_are_labelled_with_sheets(release: Path, tmp_path: Path) -> None:
    labels = tmp_path / "labels"
    made = benchwright("judge", "links", release, "--out", labels, "--judges", "anna,boris", "--json")
    anna, boris = (labels / "sheets" / f"{name}.csv" for name in ("anna", "boris"))
    _fill(anna, "yes")
    _fill(boris, "yes")
    found = called("judge", "precision", labels, anna, boris, "--json").document
    by_rung = {each["name"]: each for each in found["reliability"]}

    assert (made.code, made.document["items"]) == (0, 3)
    assert made.document["dropped"] == {"no_change": 1, "not_answered": 1}
    assert (by_rung["3"]["hits"], by_rung["3"]["n"]) == (2, 2)
    assert by_rung["2"]["share"] is None
    assert found["agreement"]["people"] == 2
    assert found["votes"] == 6
    again = called("judge", "precision", labels, "--json").document
    assert again == {**found, "refused": []}


def test_a_sheet_shows_no_rung(release: Path, tmp_path: Path) -> None:
    called("judge", "links", release, "--out", tmp_path / "labels", "--judges", "anna")
    text = (tmp_path / "labels" / "sheets" / "anna.csv").read_text("utf-8-sig")

    assert "This import is not used" in text
    assert not any(word in text for word in ("rung", "line_tracking", "ours/scales"))
    assert "yes, no, cannot_tell" in (tmp_path / "labels" / "sheets" / "READ-ME.txt").read_text("utf-8")


def test_rungs_and_samples_are_selected(release: Path, tmp_path: Path) -> None:
    weak = called("judge", "links", release, "--out", tmp_path / "a", "--rungs", "7", "--json").document
    one = called("judge", "links", release, "--out", tmp_path / "b", "--sample", 1, "--json").document

    assert (weak["items"], one["items"]) == (1, 1)


def test_the_same_command_gives_the_same_files(release: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        called("judge", "links", release, "--out", tmp_path / name, "--judges", "anna")
    for name in ("items.jsonl", "links.jsonl", "sheets/anna.csv"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--rungs", "9"], "unknown rung: 9"),
        (["--rungs", "2"], "no links of these rungs"),
        (["--judges", "anna,Anna"], "duplicate name"),
    ],
)
def test_bad_options_are_refused(release: Path, tmp_path: Path, options: list[str], says: str) -> None:
    said = called("judge", "links", release, "--out", tmp_path / "labels", *options)

    assert said.code != 0
    assert says in said.err


def test_an_invalid_label_is_refused_and_the_rest_is_taken(release: Path, tmp_path: Path) -> None:
    labels = tmp_path / "labels"
    called("judge", "links", release, "--out", labels, "--judges", "anna")
    sheet = labels / "sheets" / "anna.csv"
    _fill(sheet, "yes")
    sheet.write_text(sheet.read_text("utf-8").replace(",yes,", ",perhaps,", 1), "utf-8", newline="")
    said = called("judge", "precision", labels, sheet, "--json")

    assert said.code == 1
    assert (said.document["votes"], len(said.document["refused"])) == (2, 1)
    assert "perhaps" in said.err


def test_without_labels_nothing_is_measured(release: Path, tmp_path: Path) -> None:
    called("judge", "links", release, "--out", tmp_path / "labels")
    said = called("judge", "precision", tmp_path / "labels")

    assert said.code == 0
    assert "rung 3 (line_tracking): not measured" in said.out
    assert "agreement: not measured" in said.out


def test_another_folder_is_no_project(tmp_path: Path) -> None:
    said = called("judge", "precision", tmp_path)

    assert said.code == 2
    assert "is not a project of links" in said.err


def test_the_project_keeps_its_indicators(release: Path, tmp_path: Path) -> None:
    called("judge", "links", release, "--out", tmp_path / "labels")
    document = called("judge", "precision", tmp_path / "labels", "--json").document

    assert json.loads((tmp_path / "labels" / "indicators.json").read_text()) == document


def test_the_card_of_a_build_shows_the_labels(release: Path, tmp_path: Path) -> None:
    labels = tmp_path / "labels"
    called("judge", "links", release, "--out", labels, "--judges", "anna")
    _fill(labels / "sheets" / "anna.csv", "yes")
    called("judge", "precision", labels, labels / "sheets" / "anna.csv")
    made = MadeChanges(tmp_path / "clone.git")
    made.land({"pyproject.toml": "[project]\n"}, message="Declare the package and its build system")
    made.git.references.create("refs/heads/master", made.main)
    options = ["--licence-unknown", "keep", "--labels", labels, "--contact", "data@example.org"]
    said = called(
        "build", "alignment", "--from", made.path, "--name", "ours/x", "--out", tmp_path / "b", *options
    )

    assert said.code == 0, said.err
    card = (tmp_path / "b" / "release" / "README.md").read_text("utf-8")
    assert "| 3 | line tracking | 0 | 1.000 (0.342 to 1.000) | 2 |" in card
    assert "write to data@example.org" in card
    assert "| build | Python package |" in card


def test_the_station_of_a_project_has_its_links(release: Path, tmp_path: Path) -> None:
    document = called("judge", "links", release, "--out", tmp_path / "labels", "--json").document

    assert document["station"] == str(tmp_path / "labels" / "station.sqlite")
    assert votes_in_file(Path(document["station"]), NAME) == []
    assert called("judge", "precision", tmp_path / "labels", "--json").document["votes"] == 0
