"""Session logs: our own format, trajectories of OpenHands and SWE-agent, consent, and reasons for faults."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.errors import UsageError
from benchwright.records import Drop
from benchwright.sources.agent_trajectories import exit_code, line_diff, patched_files
from benchwright.sources.events import RepoEvent
from benchwright.sources.session_logs import CONSENTS, open_sessions
from benchwright.sources.session_records import changed_lines, command_and_output
from kit.marking_cleaner import drop_reasons, events_of, kinds, only_events

PATCH = "diff --git a/a.py b/a.py\nindex 1..2\n--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n"
OWN: list[dict[str, Any]] = [
    {"kind": "session", "session": "s1", "consent": "Ann, for research, 2026", "repo": "ours/scales", "actor": "ann",
     "task": "Fix the scale", "issue": "#3", "at": "2024-01-01T00:00:00Z", "licence": "MIT"},
    {"kind": "edit", "session": "s1", "path": "a.py", "diff": "@@ -1 +1 @@\n-a\n+b"},
    {"kind": "command", "session": "s1", "command": "ls", "exit_code": 0, "output": "a.py"},
    {"kind": "test", "session": "s1", "command": "pytest", "exit_code": 1, "output": "1 failed"},
    {"kind": "error", "session": "s1", "text": "boom"},
    {"kind": "tool", "session": "s1", "tool": "ruff", "output": "clean"},
    {"kind": "message", "session": "s1", "role": "assistant", "text": "Done"},
]  # fmt: skip


def _call(name: str, arguments: str | dict[str, Any], key: str) -> dict[str, Any]:
    written = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return {"id": key, "type": "function", "function": {"name": name, "arguments": written}}


def _turn(text: str | None, *calls: dict[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "content": text, "tool_calls": list(calls)}


def _result(key: str, text: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": key, "name": "x", "content": text}


RAN = "[The command completed with exit code {}.]"
EDIT = {"command": "str_replace", "path": "/w/a.py", "old_str": "a\nb", "new_str": "a\nc"}
OPENHANDS: dict[str, Any] = {
    "trajectory_id": "t1",
    "instance_id": "ours__scales-12",
    "repo": "ours/scales",
    "trajectory": [
        {"role": "system", "content": "You are a program."},
        {"role": "user", "content": [{"type": "text", "text": "Fix the scale"}]},
        _turn("I look.", _call("execute_bash", {"command": "cd /w && ls"}, "c1")),
        _result("c1", f"a.py\n{RAN.format(0)}"),
        _turn("", _call("str_replace_editor", EDIT, "c2"), _call("execute_bash", "{broken", "c3")),
        _result("c2", "edited"),
        _turn(None, _call("str_replace_editor", {"command": "view", "path": "/w/a.py"}, "c4")),
        _result("c4", "a\nc"),
        _turn(None, _call("execute_bash", {"command": "python -m pytest -q"}, "c5")),
        _result("c5", f"KeyError\n{RAN.format(1)}"),
        _turn(None, _call("finish", {"message": "Fixed."}, "c6")),
    ],
    "tools": [],
    "model_patch": PATCH,
    "exit_status": "submit",
    "resolved": True,
}
SWE_AGENT: dict[str, Any] = {
    "instance_id": "ours__scales-13",
    "model_name": "swe-agent-small",
    "target": False,
    "trajectory": [
        {"role": "system", "text": None, "system_prompt": "SETTING", "mask": False, "cutoff_date": ""},
        {"role": "user", "text": "We have an issue", "mask": False},
        {"role": "ai", "text": "I open it.\n```\nopen src/x.py\n```", "mask": True},
        {"role": "user", "text": "[File: /w/src/x.py (10 lines total)]\n1: x"},
        {"role": "ai", "text": "I edit it.\n```\nedit 1:1\ny = 1\nend_of_edit\n```"},
        {"role": "user", "text": "[File: /w/src/x.py (10 lines total)]\nupdated"},
        {"role": "ai", "text": "I test it.\n```\npython -m pytest\n```"},
        {"role": "user", "text": "== 1 failed, 2 passed in 0.1s =="},
    ],
    "exit_status": "submitted",
    "generated_patch": PATCH,
    "eval_logs": "FAILED test_x",
}
TRAJ = {
    "environment": "swe_main",
    "trajectory": [
        {
            "action": "edit 1:2\nz\nend_of_edit",
            "observation": "[File: /w/q.py (3 lines total)]",
            "thought": "So.",
        },
        {"action": "ls", "observation": "q.py", "thought": ""},
    ],
    "history": [],
    "info": {"exit_status": "submitted", "submission": PATCH},
}


def _read(folder: Path, *rows: Any, consent: str = "", options: str = "") -> list[RepoEvent | Drop]:
    text = "".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in rows)
    (folder / "log.jsonl").write_text(text)
    source = open_sessions(f"{folder / 'log.jsonl'}{options}")
    source.state_consent(consent)
    return events_of(source, folder)


def test_our_own_log(tmp_path: Path) -> None:
    found = only_events(_read(tmp_path, *OWN))
    assert [each.kind for each in found] == [
        "issue_opened",
        "code_written",
        "command",
        "test_result",
        "error_report",
        "command",
        "comment",
    ]
    assert {each.pull for each in found} == {"session:s1"} and {each.repo for each in found} == {
        "ours/scales"
    }
    assert found[0].cites == ["issue:3"] and found[0].licence == "MIT"
    assert (found[1].files[0].added, found[1].files[0].removed) == (1, 1)
    assert found[3].state == "failed" and command_and_output(found[3].text) == ("pytest", "1 failed")
    assert [each.bot for each in found] == [False] * 6 + [True]
    assert json.loads((tmp_path / CONSENTS).read_text()) == {"Ann, for research, 2026": 1}


def test_ids_sort_in_the_order_of_the_steps(tmp_path: Path) -> None:
    ids = [each.id for each in only_events(_read(tmp_path, *OWN))]
    assert ids == sorted(ids) and len(set(ids)) == len(ids)


def test_no_consent_no_session(tmp_path: Path) -> None:
    silent = [{**OWN[0], "consent": ""}, *OWN[1:]]
    found = _read(tmp_path, *silent, OPENHANDS, SWE_AGENT)
    assert drop_reasons(found) == {"consent_missing": len(OWN) + 2}
    assert only_events(found) == []
    found = _read(tmp_path, *silent, OPENHANDS, consent="own logs")
    assert {each.pull for each in only_events(found)} == {"session:s1", "session:t1"}
    assert json.loads((tmp_path / CONSENTS).read_text()) == {"own logs": 2}


def test_faults_by_name(tmp_path: Path) -> None:
    found = _read(
        tmp_path,
        *OWN[:2],
        {"kind": "talk", "session": "s1"},
        {"kind": "edit", "session": "s1", "path": 3},
        {"kind": "edit", "session": "s1", "path": "b.py", "at": "soon"},
        {"kind": "edit", "session": "other", "path": "b.py"},
        "words",
        {"kind": "edit", "session": "s1", "path": "c.py"},
        OWN[0],
        OWN[1],
        {"instance_id": "x", "trajectory": 5},
        {"trajectory": [{"action": 5}]},
        '{"kind": "edit",',
        consent="own",
    )
    assert drop_reasons(found) == {
        "line_invalid": 2,
        "date_invalid": 1,
        "session_unknown": 1,
        "not_a_record": 1,
        "duplicate_session": 2,
        "trajectory_invalid": 2,
        "record_cut": 1,
    }
    assert [each.files[0].path for each in only_events(found) if each.files] == ["a.py", "c.py"]


def test_openhands(tmp_path: Path) -> None:
    found = _read(tmp_path, OPENHANDS, consent="public data set")
    assert drop_reasons(found) == {"arguments_unreadable": 1}
    events = only_events(found)
    assert [(each.kind, each.state) for each in events] == [
        ("issue_opened", ""),
        ("comment", "assistant"),
        ("command", "exit 0"),
        ("code_written", ""),
        ("command", ""),
        ("test_result", "failed"),
        ("comment", "assistant"),
        ("code_written", ""),
        ("test_result", "passed"),
        ("command", "ended: submit"),
    ]
    assert events[0].text == "Fix the scale" and events[0].cites == ["pull:12"]
    assert events[3].text == " a\n-b\n+c" and events[3].files[0].path == "/w/a.py"
    assert events[7].files[0].path == "a.py" and events[7].files[0].added == 1
    assert events[6].text == "Fixed." and {each.tool for each in events[1:4]} == {"openhands"}


def test_swe_agent(tmp_path: Path) -> None:
    events = only_events(_read(tmp_path, SWE_AGENT, consent="public data set"))
    assert [(each.kind, each.state) for each in events] == [
        ("issue_opened", ""),
        ("comment", "assistant"),
        ("command", ""),
        ("comment", "assistant"),
        ("code_written", ""),
        ("comment", "assistant"),
        ("test_result", "failed"),
        ("code_written", ""),
        ("test_result", "failed"),
        ("command", "ended: submitted"),
    ]
    assert events[1].text == "I open it." and events[4].files[0].path == "/w/src/x.py"
    assert events[8].text == "FAILED test_x" and {each.repo for each in events} == {"ours/scales"}


def test_a_traj_file_and_a_folder(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / "ours__scales-14.traj").write_text(json.dumps(TRAJ, indent=2))
    (logs / "b.jsonl").write_text(json.dumps(OPENHANDS))
    (logs / "notes.md").write_text("nothing")
    source = open_sessions(f"{logs},guard=test_split")
    source.state_consent("own")
    events = only_events(events_of(source, tmp_path))
    assert {each.pull for each in events} == {"session:t1", "session:ours__scales-14"}
    assert {each.guard for each in events} == {"test_split"}
    edit = next(each for each in events if each.kind == "code_written" and "14" in each.pull)
    assert edit.files[0].path == "/w/q.py" and edit.text == "+z"


def test_a_text_of_json_in_the_place_of_messages(tmp_path: Path) -> None:
    row = {**OPENHANDS, "trajectory": json.dumps(OPENHANDS["trajectory"])}
    assert kinds(_read(tmp_path, row, consent="own")) == kinds(_read(tmp_path, OPENHANDS, consent="own"))


@pytest.mark.parametrize("place", ["missing", ".", "log.jsonl,guard=other", "log.jsonl,consent=x"])
def test_a_place_that_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    monkeypatch.chdir(tmp_path)
    if "log" in place:
        (tmp_path / "log.jsonl").write_text("")
    with pytest.raises(UsageError):
        open_sessions(place)


@given(st.text(max_size=60), st.text(max_size=60))
def test_a_line_diff_leads_from_old_to_new(old: str, new: str) -> None:
    lines = line_diff(old, new).split("\n") if old or new else []
    if old:
        assert "\n".join(line[1:] for line in lines if line[:1] in (" ", "-")) == old
    if new:
        assert "\n".join(line[1:] for line in lines if line[:1] in (" ", "+")) == new


@given(st.text(max_size=300))
def test_any_patch_and_any_log(text: str) -> None:
    for each in patched_files(text):
        assert each.path
    assert exit_code(text) is None or isinstance(exit_code(text), int)
    assert min(changed_lines(text)) >= 0


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=60)
@given(st.sampled_from([OPENHANDS, SWE_AGENT, TRAJ, *OWN]), st.data())
def test_any_value_in_any_field_is_read_or_counted(
    tmp_path_factory: Any, row: dict[str, Any], data: Any
) -> None:
    field = data.draw(st.sampled_from(sorted(row)))
    changed = {**row, field: data.draw(_VALUES)}
    found = _read(
        tmp_path_factory.mktemp("any"), changed, {**OPENHANDS, "trajectory_id": "last"}, consent="own"
    )
    assert "session:last" in {each.pull for each in only_events(found)}
