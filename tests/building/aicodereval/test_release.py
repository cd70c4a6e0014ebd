"""Releases: the same bytes from the same entries, never changed, checked and compared."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from benchwright.building.aicodereval.publish_release import ENTRY_SCHEMA, publish
from benchwright.building.aicodereval.release_folder import (
    Erratum,
    add_erratum,
    check_release,
    difference,
    errata_of,
    manifest_of,
    write_release,
)
from benchwright.errors import DataError, RunError, UsageError
from benchwright.store import parquet
from benchwright.store.parquet import read_parquet
from benchwright.tracks.aicodereval.entry import BenchmarkEntry
from benchwright.tracks.aicodereval.track import TRACK
from kit.made_releases import DROPS, LEVELS, entries, released
from kit.needs import need_module


def rows(release: Path, name: str) -> list[dict[str, Any]]:
    """The rows of one of its files."""
    return [json.loads(line) for line in (release / name).read_bytes().splitlines()]


def every_file(folder: Path) -> dict[str, bytes]:
    """The content of each file of a release."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_each_entry_stands_in_the_file_of_its_tier(tmp_path: Path) -> None:
    """And with its admission, where everything that was found out is."""
    release = released(tmp_path)
    ids = {
        name: [row["task_id"] for row in rows(release, f"data/{name}.jsonl")]
        for name in ("test", "train", "unverified")
    }

    assert ids == {"test": ["word-counts"], "train": ["zero-crossings"], "unverified": ["grey-levels"]}
    assert [row["tier"] for row in rows(release, "admissions.jsonl")] == ["certified", "valid", "env-missing"]
    assert rows(release, "dropped.jsonl") == [{"unit": "bad", "reason": "secret"}]
    assert manifest_of(release)["entries"] == {"test": 1, "train": 1, "unverified": 1}


def test_equal_entries_make_equal_bytes(tmp_path: Path) -> None:
    """Whatever their execution took, and wherever they are written."""
    one, other = released(tmp_path / "one"), released(tmp_path / "other", entries(cpu_s=7.0))

    assert every_file(one) == every_file(other)


def test_the_prompts_hold_no_test_and_no_solution(tmp_path: Path) -> None:
    """Nothing of a case or of the implementation is in what a model is shown."""
    release = released(tmp_path)
    shown = (release / "prompts/test.jsonl").read_text()
    entry = rows(release, "data/test.jsonl")[0]

    assert entry["description"] in shown
    assert [case["name"] for case in entry["cases"] if f'"{case["name"]}"' in shown] == []
    assert "counts.get" in entry["implementation"]
    assert "counts.get" not in shown


def test_the_track_reads_what_is_released(tmp_path: Path) -> None:
    """Each file of entries is a data set to run."""
    release = released(tmp_path)

    assert [each.task_id for each in TRACK.load(release / "data/test.jsonl")] == ["word-counts"]
    assert [each.task_id for each in TRACK.load(release / "data/train.jsonl")] == ["zero-crossings"]


def test_a_canary_is_in_what_nobody_should_train_on(tmp_path: Path) -> None:
    """One for each release; what is made for training has none."""
    release, next_one = released(tmp_path), released(tmp_path, name="mine@1.0.1")
    canary = manifest_of(release)["canary"]
    marked = {name for name, content in every_file(release).items() if canary.encode() in content}

    assert {
        "data/test.jsonl",
        "prompts/test.jsonl",
        "README.md",
        "programs/benchmark_word-counts.py",
    } <= marked
    assert not {"data/train.jsonl", "instructions/train.jsonl"} & marked
    assert canary != manifest_of(next_one)["canary"]


def test_each_program_is_python(tmp_path: Path) -> None:
    """A file for each entry that could be executed."""
    found = {path.name: path.read_text() for path in (released(tmp_path) / "programs").iterdir()}

    assert sorted(found) == ["benchmark_word-counts.py", "benchmark_zero-crossings.py"]
    assert all(ast.parse(text) for text in found.values())


def test_the_same_release_again_is_no_other(tmp_path: Path) -> None:
    """Where it is the same, nothing is written; where it is not, the version must be another."""
    released(tmp_path)
    released(tmp_path)

    with pytest.raises(RunError, match=r"is already released, and this build differs in .*data/test.jsonl"):
        released(tmp_path, entries()[1:])


def test_what_a_kill_left_is_no_release(tmp_path: Path) -> None:
    """A folder appears whole or not at all; the rest of a killed one is cleared away."""
    (tmp_path / ".mine@1.0.0.partial/data").mkdir(parents=True)
    (tmp_path / ".mine@1.0.0.partial/data/test.jsonl").write_text("torn")

    assert check_release(released(tmp_path)) == []
    assert [path.name for path in tmp_path.iterdir()] == ["mine@1.0.0"]


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda folder: (folder / "data/test.jsonl").write_text("{}\n"), "data/test.jsonl was changed"),
        (lambda folder: (folder / "funnel.json").unlink(), "funnel.json is missing"),
        (lambda folder: (folder / "data/more.jsonl").write_text(""), "data/more.jsonl was added"),
    ],
)
def test_a_changed_release_is_found(tmp_path: Path, change: Any, fault: str) -> None:
    """By the hashes in its manifest."""
    release = released(tmp_path)
    change(release)

    assert check_release(release) == [fault]


@pytest.mark.parametrize(
    ("manifest", "error"), [(None, UsageError), ("{", DataError), ('{"sha256": 1}', DataError)]
)
def test_a_folder_that_is_no_release(tmp_path: Path, manifest: str | None, error: type[Exception]) -> None:
    """It is told from a broken one."""
    if manifest is not None:
        (tmp_path / "manifest.json").write_text(manifest)

    with pytest.raises(error):
        check_release(tmp_path)


def test_errata_stand_beside_the_release(tmp_path: Path) -> None:
    """The release stays sound; an entry that it does not have cannot be wrong."""
    release = released(tmp_path)
    add_erratum(release, Erratum(task_id="word-counts", text="a tab is no space", date="2026-01-01"))

    assert [each.text for each in errata_of(release)] == ["a tab is no space"]
    assert check_release(release) == []
    with pytest.raises(UsageError, match="no entry 'other'"):
        add_erratum(release, Erratum(task_id="other", text="no"))


def test_how_two_releases_differ(tmp_path: Path) -> None:
    """Added, removed, moved, changed; a change of what is asked or tested affects scores."""
    first, second, third = entries()
    cases = first.entry.cases[:-1]
    changed = msgspec.structs.replace(first, entry=msgspec.structs.replace(first.entry, cases=cases))
    moved = msgspec.structs.replace(
        second, split="test", entry=msgspec.structs.replace(second.entry, status="certified")
    )
    added = msgspec.structs.replace(third, entry=msgspec.structs.replace(third.entry, task_id="new"))
    found = difference(
        released(tmp_path), released(tmp_path / "later", [changed, moved, added], name="mine@1.1.0")
    )

    assert (found.added, found.removed) == (["new"], ["grey-levels"])
    assert (found.moved, found.affected) == ({"zero-crossings": "train → test"}, ["word-counts"])
    assert found.changed == {"word-counts": ["cases"], "zero-crossings": ["status"]}


def test_nothing_to_release(tmp_path: Path) -> None:
    """A build that comes to nothing says what was dropped."""
    with pytest.raises(DataError, match=r"no entry left to publish; dropped: 1 secret \(read\)"):
        publish(tmp_path, [], DROPS, name="mine@1.0.0", levels=LEVELS, gates={})


def test_a_release_that_cannot_be_written(tmp_path: Path) -> None:
    """The reason is named, and what was there before stays."""
    (tmp_path / "builds").write_text("a file")

    with pytest.raises(RunError):
        write_release(tmp_path / "builds" / "mine@1.0.0", {"a": b"b"})


def test_the_metadata_name_each_file_with_its_hash(tmp_path: Path) -> None:
    """Croissant: a file object for each split with rows, and its fields as columns that the rows have."""
    release = released(tmp_path)
    told = json.loads((release / "croissant.json").read_text())
    hashes = manifest_of(release)["sha256"]
    columns = {field["source"]["extract"]["column"] for field in told["recordSet"][0]["field"]}

    tables = [
        f"hub/{split}.{ending}"
        for split in ("test", "train", "unverified")
        for ending in ("jsonl", "parquet")
    ]
    assert {each["@id"]: each["sha256"] for each in told["distribution"]} == {
        name: hashes[name] for name in tables
    }
    assert [each["@id"] for each in told["recordSet"]] == ["test", "train", "unverified"]
    table = rows(release, "hub/test.jsonl")[0]
    assert {name: type(table[name]) for name in columns} == dict.fromkeys(columns, str)


def test_all_tables_have_the_columns_that_the_card_declares(tmp_path: Path) -> None:
    """In each split and with their types: what loads the folder as one data set refuses anything else."""
    yaml = need_module("yaml")
    release = released(tmp_path)
    head = yaml.safe_load((release / "README.md").read_text().split("---")[1])
    declared = {
        each["name"]: list if each.get("sequence") == "string" else str
        for each in head["dataset_info"]["features"]
    }

    for split in ("test", "train", "unverified"):
        for row in rows(release, f"hub/{split}.jsonl"):
            assert {name: type(value) for name, value in row.items()} == declared


def test_tables_in_parquet_are_those_in_json_lines(tmp_path: Path) -> None:
    """Row by row, in the same columns."""
    release = released(tmp_path)
    found = {
        split: [row.data for row in read_parquet(release / f"hub/{split}.parquet")]
        for split in ("test", "train", "unverified")
    }

    assert found == {split: rows(release, f"hub/{split}.jsonl") for split in found}
    assert manifest_of(release)["parquet"] is True
    assert "as Parquet" in (release / "README.md").read_text()


def test_a_release_without_duckdb_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has no Parquet, and metadata that name none; all else is as it would be."""
    monkeypatch.setattr(parquet, "find_spec", lambda name: None)
    release = released(tmp_path)

    assert [name for name in every_file(release) if name.endswith("parquet")] == []
    assert ("parquet" in (release / "croissant.json").read_text(), check_release(release)) == (False, [])
    assert "DuckDB was not installed" in (release / "README.md").read_text()


def test_a_release_keeps_the_tables_it_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """DuckDB that came, went or was changed since makes no other release of it; a changed file does."""
    with_tables = released(tmp_path / "with")
    monkeypatch.setattr(parquet, "find_spec", lambda name: None)
    without = released(tmp_path / "without")
    released(tmp_path / "with")
    monkeypatch.undo()
    released(tmp_path / "without")

    assert check_release(with_tables) == check_release(without) == []
    (with_tables / "hub/test.parquet").write_bytes(b"PAR1")
    with pytest.raises(RunError, match="is already released, and this build differs in"):
        released(tmp_path / "with")


def shape(schema: Any, defined: dict[str, Any]) -> Any:
    """A schema without names and descriptions of records, each record in place of the reference to it."""
    if isinstance(schema, list):
        return [shape(each, defined) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return shape(defined[schema["$ref"].rpartition("/")[2]], defined)
    naming = ("title", "description", "$defs")
    fields = {name: shape(each, defined) for name, each in schema.get("properties", {}).items()}
    rest = {
        name: shape(each, defined) for name, each in schema.items() if name not in (*naming, "properties")
    }
    return {**rest, "properties": fields} if fields else rest


def test_the_stored_schema_describes_the_records_of_entries() -> None:
    """Releases keep its bytes, so it is a file; fields, types and bounds are those of today's records."""
    stored, today = json.loads(ENTRY_SCHEMA.read_bytes()), msgspec.json.schema(BenchmarkEntry)

    assert shape(stored, stored["$defs"]) == shape(today, today["$defs"])
    assert "expected" in str(shape(stored, stored["$defs"]))
