"""The folder of benchmark rows, and repositories that training data has."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from benchwright.building.alignment.benchmark.benchmark_folder import (
    BenchmarkFacts,
    ExcludedRepositories,
    require_disjoint,
    write_benchmark,
)
from benchwright.building.alignment.benchmark.comment_rows import comment_rows
from benchwright.building.alignment.benchmark.material import MinedRow
from benchwright.building.alignment.benchmark.refine_rows import refine_rows
from benchwright.errors import DataError, UsageError
from benchwright.records import Drop
from benchwright.tracks.comments.track import TRACK as COMMENTS
from benchwright.tracks.refine.track import TRACK as REFINE
from kit.made_mining import REPO, MadeRecords, answered, commenting, lines_of, remark

FACTS = BenchmarkFacts("smartcoding-refine", {"release": "made", "manifest": "0"}, (1, 2, 3))


def _found() -> list[MinedRow | Drop]:
    feedback = [remark(1, 7, "Compare with `is`."), remark(2, 2, "Unused."), remark(3, 2, "Thanks", bot=True)]
    links = [answered(1, 7), answered(2, 2)]
    return list(refine_rows(MadeRecords(feedback=feedback, links=links), lines_of(), repos={REPO}))


def _files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_folder_is_a_data_set_with_hashes_and_a_canary(tmp_path: Path) -> None:
    """The track reads its rows, and each drop is listed."""
    written = write_benchmark(_found(), tmp_path / "out", FACTS)
    files = _files(tmp_path / "out")
    manifest = json.loads(files["manifest.json"])
    tasks = list(REFINE.load(tmp_path / "out" / "data" / "test.jsonl"))

    assert (written.rows, len(tasks), written.dropped, written.licences) == (2, 2, {"bot": 1}, {"MIT": 2})
    assert all(hashlib.sha256(files[name]).hexdigest() == each for name, each in manifest["sha256"].items())
    assert all(task.meta["meta"]["canary"] == manifest["canary"] == written.canary for task in tasks)
    assert b"license: mit" in files["README.md"] and written.canary.encode() in files["README.md"]
    assert json.loads(files["dropped.jsonl"])["reason"] == "bot"


def test_equal_rows_give_equal_bytes_in_any_order(tmp_path: Path) -> None:
    """Nothing of this machine or of the order is in them."""
    for name, found in (("a", _found()), ("b", _found()[::-1])):
        write_benchmark(found, tmp_path / name, FACTS)

    assert _files(tmp_path / "a") == _files(tmp_path / "b")


def test_rows_of_collected_tracks_have_records_beside_them(tmp_path: Path) -> None:
    """In the format of the data set that the track was made for."""
    found = comment_rows(MadeRecords(events=[commenting()]), lines_of(), repos={REPO})
    write_benchmark(found, tmp_path / "out", BenchmarkFacts("smartcoding-comments", {"release": "made"}))
    record = json.loads((tmp_path / "out" / "records" / "test.jsonl").read_text())
    tasks = [list(COMMENTS.load(tmp_path / "out" / name / "test.jsonl")) for name in ("data", "records")]

    assert record["annotations"] == [{"line_number": 8, "annotation": "The scale counts in half units."}]
    assert "code_snippet" in record and tasks[0][0].revision == tasks[1][0].revision


def test_rows_of_equal_content_are_written_once(tmp_path: Path) -> None:
    """Under whatever id."""
    first = _found()[0]
    assert isinstance(first, MinedRow)
    again: list[Any] = [first, MinedRow(REPO, "MIT", {**first.row, "id": "again"}), first]
    written = write_benchmark(again, tmp_path / "out", FACTS)

    assert (written.rows, written.dropped) == (1, {"duplicate": 2})


def test_a_folder_is_not_replaced_and_needs_a_row(tmp_path: Path) -> None:
    """Both are errors with a hint, and nothing is written."""
    with pytest.raises(UsageError, match="exists"):
        write_benchmark(_found(), tmp_path, FACTS)
    with pytest.raises(DataError, match="1 bot"):
        write_benchmark([Drop(unit="a", reason="bot")], tmp_path / "out", FACTS)

    assert list(tmp_path.iterdir()) == []


def test_a_repository_of_training_data_is_refused(tmp_path: Path) -> None:
    """Whatever the case of its name."""
    rows = [each for each in _found() if isinstance(each, MinedRow)]
    require_disjoint(rows, [ExcludedRepositories("training", frozenset({"ours/other"}))])
    with pytest.raises(
        DataError, match="training data in training has 1 repository of these rows: ours/scales"
    ):
        write_benchmark(
            rows,
            tmp_path / "out",
            FACTS,
            excluded=[ExcludedRepositories("training", frozenset({"Ours/Scales"}))],
        )

    assert not (tmp_path / "out").exists()
