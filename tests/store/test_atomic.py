"""A replaced file is the old one or the new one, and a failed write says what to do."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchwright.errors import RunError
from benchwright.store.atomic import replacing, write_json


def test_json_for_people_is_sorted_and_readable(tmp_path: Path) -> None:
    """Two runs are compared with `diff`, and Russian text stays readable."""
    write_json(tmp_path / "a.json", {"b": 1, "a": {"d": "ответ", "c": None}})

    expected = '{\n  "a": {\n    "c": null,\n    "d": "ответ"\n  },\n  "b": 1\n}\n'
    assert expected == (tmp_path / "a.json").read_text(encoding="utf-8")


def test_a_failure_leaves_the_old_content(tmp_path: Path) -> None:
    """Half a file never takes the place of a whole one, and no rubbish stays."""
    path = tmp_path / "a.json"
    path.write_text("old")
    with pytest.raises(KeyError), replacing(path) as file:
        file.write(b"half")
        raise KeyError("stop")

    assert (path.read_text(), [entry.name for entry in tmp_path.iterdir()]) == ("old", ["a.json"])


def test_the_leftover_of_a_crash_is_reused(tmp_path: Path) -> None:
    """A temporary file of a killed process does not stand in the way."""
    (tmp_path / ".a.json.tmp").write_bytes(b"x" * 1000)
    write_json(tmp_path / "a.json", [1])

    assert (json.loads((tmp_path / "a.json").read_text()), len(list(tmp_path.iterdir()))) == ([1], 1)


def test_a_missing_folder_is_a_run_error(tmp_path: Path) -> None:
    """The hint names the folder."""
    with pytest.raises(RunError) as caught:
        write_json(tmp_path / "none" / "a.json", {})

    assert str(tmp_path / "none") in (caught.value.hint or "")


def test_text_that_utf8_cannot_hold_is_written_all_the_same(tmp_path: Path) -> None:
    """A lone surrogate in a note never loses the document."""
    write_json(tmp_path / "a.json", {"note": "x\ud800"})

    assert json.loads((tmp_path / "a.json").read_text())["note"].startswith("x")
