"""The examples of files in docs/alignment-sources.md are read without a drop."""

from __future__ import annotations

import re
from pathlib import Path

from benchwright.sources.hand_records import REASONS, open_records
from benchwright.sources.session_logs import open_sessions
from kit.marking_cleaner import drop_reasons, events_of, kinds

PAGE = (Path(__file__).parents[2] / "docs" / "alignment-sources.md").read_text(encoding="utf-8")


def _block(tag: str) -> str:
    (found,) = re.findall(rf"^```{tag}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    return str(found)


def test_the_table(tmp_path: Path) -> None:
    (tmp_path / "collected.csv").write_text(_block("csv"))
    found = events_of(open_records(f"{tmp_path / 'collected.csv'},repo=ours/scales,licence=MIT"), tmp_path)
    assert drop_reasons(found) == {}
    expected = {
        "issue_opened": 1,
        "label": 2,
        "pull_opened": 1,
        "push": 1,
        "merge": 1,
        "remark": 1,
        "comment": 1,
    }
    assert kinds(found) == expected


def test_the_session_log(tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_text(_block("json"))
    found = events_of(open_sessions(str(tmp_path / "log.jsonl")), tmp_path)
    assert drop_reasons(found) == {}
    assert kinds(found) == {
        "issue_opened": 1,
        "code_written": 1,
        "command": 1,
        "test_result": 2,
        "comment": 1,
    }


def test_all_reasons_are_explained() -> None:
    assert [reason for reason in REASONS if f"`{reason}`" not in PAGE] == []
