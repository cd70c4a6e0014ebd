"""Recognising the track of a data set by the fields of its rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchwright.errors import DataError, UsageError
from benchwright.tracks.row_detection import track_of, track_of_row
from kit.own_rows import ROWS, own_file
from kit.smartcoding_rows import comment_row, issue_row, refine_row
from kit.track_rows import humaneval_row, mera_row, write_rows


@pytest.mark.parametrize(
    ("row", "track"),
    [
        (humaneval_row(), "humaneval"),
        (mera_row(), "ruhumaneval"),
        (comment_row(), "smartcoding-comments"),
        (issue_row(), "smartcoding-issues"),
        (refine_row(), "smartcoding-refine"),
        ({"inputs": {"focal_code": "", "test_code": "", "lang": "Go"}}, "codecorrectness"),
        ({"signature": "def f():", "implementation": "pass", "task_id": "a"}, "aicodereval"),
        *((row, "own") for row in ROWS),
        ({"text": "x"}, ""),
        ({"inputs": "x"}, ""),
        ({}, ""),
    ],
)
def test_fields_tell_the_track(row: dict[str, Any], track: str) -> None:
    assert track_of_row(row) == track


def test_the_first_row_that_any_track_reads_decides(tmp_path: Path) -> None:
    assert track_of(write_rows(tmp_path, {"note": 1}, humaneval_row())) == "humaneval"
    assert track_of(own_file(tmp_path)) == "own"


def test_rows_of_no_track_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no track recognises the fields") as caught:
        track_of(write_rows(tmp_path, {"text": "x"}))
    assert "--track" in str(caught.value.hint)
    with pytest.raises(DataError, match="must be a JSON object"):
        track_of(write_rows(tmp_path, [1]))
