"""The folder of a training export: equal rows give equal bytes, other folders stay as they are."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import msgspec
import pytest
import yaml

from benchwright.errors import RunError
from benchwright.interop.training.card import struct_fields, training_card
from benchwright.interop.training.export_folder import Configuration, write_export
from benchwright.interop.training.folder_check import check_training
from benchwright.interop.training.formats import FORMATS
from benchwright.interop.training.row_types import ROW_TYPES, TrainingRow, assistant, user
from benchwright.store.parquet import read_parquet

ROWS = [
    TrainingRow(
        id=f"r{number}",
        prompt=[user(f"question {number}")],
        completion=[assistant(f"answer {number}")],
        rejected=[assistant("no")],
        label=number % 2 == 0,
        repo="ours/scales",
        licence="MIT",
        rung=number % 3 or None,
        at=f"2024-01-0{number + 1}T00:00:00Z",
        split="validation" if number == 4 else "train",
    )
    for number in range(5)
]


def configuration(kind: str = "unpaired_preference", rows: list[TrainingRow] = ROWS) -> Configuration:
    return Configuration("made", "questions | answers", ROW_TYPES[kind], "conversational", rows, {"bot": 2})


def written(folder: Path, *parts: Configuration) -> dict[str, bytes]:
    """Write an export; its files by name."""
    write_export(folder, parts or [configuration()], FORMATS["trl"], sources=[{"release": "made"}])
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def test_equal_rows_in_any_order_give_equal_bytes(tmp_path: Path) -> None:
    one = written(tmp_path / "one")
    two = written(tmp_path / "two", configuration(rows=ROWS[::-1]))

    assert one == two
    assert {name.partition("/")[0] for name in one} >= {"README.md", "manifest.json", "jsonl"}


def test_a_second_export_replaces_the_first(tmp_path: Path) -> None:
    """No file of it stays."""
    first = written(tmp_path / "out")
    second = written(tmp_path / "out", configuration(rows=ROWS[:2])._replace(name="other"))

    assert "jsonl/made/train.jsonl" in first
    assert not any("/made/" in name for name in second)
    assert written(tmp_path / "out") == first


def test_a_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.txt").write_text("mine")
    with pytest.raises(RunError, match="is not a training export"):
        written(tmp_path / "out")

    assert [each.name for each in (tmp_path / "out").iterdir()] == ["thesis.txt"]


def test_the_manifest_has_digests_counts_and_reasons(tmp_path: Path) -> None:
    files = written(tmp_path / "out")
    manifest = json.loads(files["manifest.json"])

    assert manifest["sha256"] == {
        name: hashlib.sha256(content).hexdigest()
        for name, content in files.items()
        if name not in ("manifest.json", "README.md")
    }
    assert manifest["configurations"]["made"]["rows"] == {"train": 4, "validation": 1}
    assert manifest["configurations"]["made"]["dropped"] == {"bot": 2}
    assert (manifest["licences"], manifest["time_range"]) == (
        {"MIT": 5},
        ["2024-01-01T00:00:00Z", "2024-01-05T00:00:00Z"],
    )


def test_provenance_has_the_position_of_each_row(tmp_path: Path) -> None:
    files = written(tmp_path / "out")
    rows = [json.loads(line) for line in files["jsonl/made/train.jsonl"].splitlines()]
    for about in map(json.loads, files["jsonl/meta/train.jsonl"].splitlines()):
        assert rows[about["row"]]["prompt"][0]["content"] == f"question {about['id'][1:]}"


def test_tables_have_the_rows_of_the_lines(tmp_path: Path) -> None:
    files = written(tmp_path / "out")
    for name in (each for each in files if each.endswith(".parquet")):
        table, split = name.split("/")[1], name.split("/")[2].partition("-")[0]
        lines = files[f"jsonl/{table}/{split}.jsonl"].splitlines()
        assert [row.data for row in read_parquet(tmp_path / "out" / name)] == list(map(json.loads, lines))


def test_the_card_states_each_configuration_with_its_features(tmp_path: Path) -> None:
    head = yaml.safe_load(written(tmp_path / "out")["README.md"].decode().split("---\n")[1])
    info = {each["config_name"]: each["features"] for each in head["dataset_info"]}

    assert {each["config_name"] for each in head["configs"]} == {"made", "meta"} == set(info)
    assert (head["license"], head["size_categories"]) == ("mit", ["n<1K"])
    assert info["made"][0] == {
        "name": "prompt",
        "list": [{"name": "role", "dtype": "string"}, {"name": "content", "dtype": "string"}],
    }
    assert info["made"][2] == {"name": "label", "dtype": "bool"}
    for each in head["configs"]:
        for part in each["data_files"]:
            assert list((tmp_path / "out").glob(part["path"]))


def test_a_hostile_licence_and_name_stay_text() -> None:
    """What a repository calls itself cannot add a key to the metadata or a cell to a table."""
    manifest = {
        "made_by": "benchwright",
        "format": "trl",
        "configurations": {},
        "licences": {"mit\npretty_name: x": 1},
        "repositories": {"a|b\n# title": 1},
        "time_range": [],
        "sources": [{"release": "x\n# y"}],
        "sha256": {},
    }
    text = training_card(manifest, {})

    assert yaml.safe_load(text.split("---\n")[1])["license"] == "other"
    assert "\n# title" not in text
    assert "\n# y" not in text


def test_nested_structs_are_read() -> None:
    fields = list(struct_fields('STRUCT("a" VARCHAR, "b" STRUCT("c" VARCHAR, "d" BOOLEAN)[])'))

    assert fields == [("a", "VARCHAR"), ("b", 'STRUCT("c" VARCHAR, "d" BOOLEAN)[]')]


def test_an_intact_export_passes_the_check(tmp_path: Path) -> None:
    written(tmp_path / "out")
    found = check_training(tmp_path / "out")

    assert found.holds
    assert sum(found.files.values()) == 5 * len([name for name in found.files if "train" in name])


@pytest.mark.parametrize(
    ("edit", "error"),
    [
        (lambda row: {**row, "label": "true"}, "`label`"),
        (lambda row: {**row, "repo": "x"}, "`repo`"),
        (lambda row: {**row, "completion": []}, "`completion`"),
    ],
)
def test_an_edited_file_fails_by_its_digest_and_its_row(tmp_path: Path, edit, error: str) -> None:  # type: ignore[no-untyped-def]
    written(tmp_path / "out")
    path = tmp_path / "out" / "jsonl" / "made" / "train.jsonl"
    rows = [json.loads(line) for line in path.read_bytes().splitlines()]
    rows[2] = edit(rows[2])
    path.write_bytes(b"".join(msgspec.json.encode(row) + b"\n" for row in rows))
    changed, *faults = check_training(tmp_path / "out").errors

    assert "train.jsonl" in changed
    assert any("train.jsonl:3" in each and error in each for each in faults)
