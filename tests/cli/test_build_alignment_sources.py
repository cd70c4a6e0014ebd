"""`benchwright build alignment` with sources of events by name: one release, counted faults, recorded consent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kit.command_line import called
from kit.made_gerrit import COMMENTS, change
from kit.needs import need_module

RECORDS = """type,id,number,title,text,created_at,on,author
issue,1,3,Crash,It crashes,2024-01-01,,ann
issue,1,4,Again,,2024-01-01,,ann
comment,2,,,me too,soon,issue:3,ben
comment,3,,,"me too, with
Traceback (most recent call last):
  File ""a.py"", line 1, in f
KeyError: 1",2024-01-02,issue:3,ben
"""
SESSION = [
    {"kind": "session", "session": "s1", "repo": "ours/scales", "actor": "ann", "task": "Fix"},
    {"kind": "command", "session": "s1", "command": "ls", "exit_code": 0},
    {"kind": "test", "session": "s1", "command": "pytest", "exit_code": 1, "output": "1 failed"},
]


@pytest.fixture
def sources(tmp_path: Path) -> list[str]:
    """Records, a session log without consent, and a page of Gerrit."""
    need_module("duckdb")
    (tmp_path / "rows.csv").write_text(RECORDS)
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(each) + "\n" for each in SESSION))
    (tmp_path / "page").write_text(json.dumps([change(1, comments=COMMENTS)]))
    return [
        f"records:{tmp_path / 'rows.csv'},repo=ours/scales,licence=MIT",
        f"sessions:{tmp_path / 'log.jsonl'},licence=MIT",
        f"gerrit:{tmp_path / 'page'},licence=MIT",
    ]


def _built(out: Path, sources: list[str], *options: str) -> dict[str, Any]:
    given = [part for each in sources for part in ("--from", each)]
    said = called("build", "alignment", *given, "--licence-unknown", "keep", "--out", out, *options)
    assert said.code == 0, said.err
    manifest: dict[str, Any] = json.loads((out / "release" / "manifest.json").read_text())
    return manifest


def _events(out: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted((out / "events").rglob("*.jsonl"))}


def test_one_release_of_all_sources(tmp_path: Path, sources: list[str]) -> None:
    manifest = _built(tmp_path / "out", sources, "--consent", "Ann, 2026")
    assert manifest["repositories"] == ["ours/scales", "tools/scale"]
    assert manifest["consents"] == {"Ann, 2026": 1}
    assert manifest["gaps"] == {"date_invalid": 1, "duplicate_id": 1}
    stored = b"".join(_events(tmp_path / "out").values())
    for kind in ("issue_opened", "error_report", "test_result", "remark", "thread_resolved", "force_push"):
        assert f'"kind":"{kind}"'.encode() in stored
    assert b"example.com" not in stored


def test_the_same_call_gives_the_same_bytes(tmp_path: Path, sources: list[str]) -> None:
    first = _built(tmp_path / "out", sources, "--consent", "Ann, 2026")
    events = _events(tmp_path / "out")
    assert _built(tmp_path / "out", sources, "--consent", "Ann, 2026") == first
    assert _events(tmp_path / "out") == events


def test_sessions_without_consent_are_counted(tmp_path: Path, sources: list[str]) -> None:
    manifest = _built(tmp_path / "out", sources)
    assert manifest["gaps"]["consent_missing"] == len(SESSION) and manifest["consents"] == {}


def test_consent_without_sessions(tmp_path: Path, sources: list[str]) -> None:
    said = called("build", "alignment", "--from", sources[0], "--consent", "Ann", "--out", tmp_path / "out")
    assert said.code == 2 and "no source has session logs" in said.err
