"""Rows with odd values, and missing or doubled fields, are tasks or give an error with its place."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from benchwright import registry
from benchwright.errors import BenchwrightError
from benchwright.running.data_check import check_rows, load_all
from benchwright.running.self_check import PROFILE
from kit import track_rows
from kit.audit_rows import mbpp_row
from kit.correctness_cases import correctness_row
from kit.examples import examples
from kit.made_entries import SOUND
from kit.multipl_rows import go_row, java_row
from kit.mutating import mutants
from kit.own_rows import own_row
from kit.plus_rows import human_row, mbpp_plus_row
from kit.small_data import mera_row
from kit.small_labels import label_row
from kit.smartcoding_rows import comment_row, issue_row, row_with_tests

EACH, DEAR = 60, {"evalplus": examples(20), "mbppplus": examples(20)}
Rows = Callable[[], Any]
ROWS: dict[str, tuple[str, Rows]] = {
    "humaneval": ("humaneval", track_rows.humaneval_row),
    "humaneval_mera": ("humaneval", track_rows.mera_row),
    "ruhumaneval": ("ruhumaneval", lambda: mera_row(1)),
    "mbpp": ("mbpp", mbpp_row),
    "evalplus": ("evalplus", human_row),
    "mbppplus": ("evalplus", mbpp_plus_row),
    "multipl_go": ("multipl", go_row),
    "multipl_java": ("multipl", java_row),
    "codecorrectness": ("codecorrectness", correctness_row),
    "codecorrectness-labels": ("codecorrectness", lambda: label_row(1)),
    "codecorrectness-errors": ("codecorrectness-errors", correctness_row),
    "aicodereval": ("aicodereval", lambda: SOUND[0]),
    "comments": ("smartcoding-comments", comment_row),
    "issues": ("smartcoding-issues", issue_row),
    "refine": ("smartcoding-refine", row_with_tests),
    "own": ("own", own_row),
}


def use_all(path: Path, track_name: str) -> None:
    """Do everything that a check and a run do with a row before anything is executed."""
    track: Any = registry.find("track", track_name)
    loaded = load_all(path, track_name)
    check_rows(path, loaded)
    for task in loaded.tasks:
        for ask in (track.prompt, track.gold, track.stub, lambda each: track.spec(each, profile=PROFILE)):
            with suppress(BenchwrightError):
                ask(task)


@pytest.mark.parametrize("name", ROWS)
def test_no_row_is_a_traceback(name: str, tmp_path: Path) -> None:
    """Only Benchwright's own errors are raised, for any content of a row."""
    track_name, make = ROWS[name]
    path = tmp_path / "rows.jsonl"
    for number, row in enumerate(mutants(make(), count=DEAR.get(name, EACH), seed=len(name))):
        path.write_text(json.dumps(row) + "\n", encoding="utf-8")
        try:
            with suppress(BenchwrightError):
                use_all(path, track_name)
        except Exception as error:
            raise AssertionError(f"mutant {number} of {name}: {json.dumps(row)[:2000]}") from error
