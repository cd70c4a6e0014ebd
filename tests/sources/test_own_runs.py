"""Own runs and builds as events: judged answers, drafts with repairs, and the guard of test tasks."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.errors import RunError, UsageError
from benchwright.records import Answer, Task
from benchwright.sources.own_runs import guard_of, open_build, open_run
from benchwright.store.runfolder import RunFolder
from kit.made_runs import finished_run
from kit.marking_cleaner import drop_reasons, events_of, kinds, only_events

DATA = Path(str(files("benchwright.demo"))) / "ruhumaneval.jsonl"
TASK = Task(task_id=1, instruction="", inputs={}, outputs=None, meta={}, revision="")


def _run(folder: Path, data: Path = DATA) -> Path:
    rows: Any = {
        1: [("def tram_wait(): ...", "passed"), ("wrong one", "wrong", {"detail": "call 2 gave -1"})],
        2: [
            ("raises", "exception", {"traceback": "Traceback (most recent call last):\nKeyError: 1"}),
            ("", "model_error"),
        ],
        999: [("of no task", "passed")],
    }
    return finished_run(folder, data, rows, track="ruhumaneval", model="replay:demo.jsonl")


def test_answers_with_their_verdicts(tmp_path: Path) -> None:
    found = events_of(open_run(str(_run(tmp_path / "runs" / "mine"))), tmp_path)
    assert kinds(found) == {"issue_opened": 4, "code_written": 3, "test_result": 3, "error_report": 1}
    assert drop_reasons(found)["no_task"] == 1
    events = only_events(found)
    wrong = next(each for each in events if each.pull == "session:mine/1/1" and each.kind == "test_result")
    assert (wrong.state, wrong.text) == ("failed", "wrong: call 2 gave -1")
    assert [each.state for each in events if each.pull == "session:mine/1/0"] == ["", "", "passed"]
    report = next(each for each in events if each.kind == "error_report")
    assert report.text.endswith("KeyError: 1") and report.state == "exception"
    assert {each.tool for each in events if each.kind == "code_written"} == {"m"}
    assert {each.guard for each in events} == {""}


def test_a_folder_of_runs_and_a_test_split(tmp_path: Path) -> None:
    test = tmp_path / "test.jsonl"
    test.write_bytes(DATA.read_bytes())
    _run(tmp_path / "runs" / "one", test)
    _run(tmp_path / "runs" / "two")
    found = only_events(events_of(open_run(f"{tmp_path / 'runs'},repo=ours/runs,licence=MIT"), tmp_path))
    guards = {(each.pull.partition("/")[0], each.guard) for each in found}
    assert guards == {("session:one", "test_split"), ("session:two", "")}
    assert {each.repo for each in found} == {"ours/runs"}


def test_a_run_without_its_data_is_a_drop(tmp_path: Path) -> None:
    data = tmp_path / "rows.jsonl"
    data.write_bytes(DATA.read_bytes())
    run = _run(tmp_path / "run", data)
    data.unlink()
    assert set(drop_reasons(events_of(open_run(str(run)), tmp_path))) == {"no_task"}


@pytest.mark.parametrize(
    ("meta", "data", "guard"),
    [
        ({}, "train.jsonl", ""),
        ({}, "/data/test.jsonl.gz", "test_split"),
        ({}, "humaneval", "test_split"),
        ({"split": "test"}, "rows.jsonl", "test_split"),
        ({"meta": {"canary": "x"}}, "rows.jsonl", "canary"),
        ({"canary": "x", "split": "test"}, "rows.jsonl", "canary"),
        ({"split": "train"}, "rows.jsonl", ""),
    ],
)
def test_guards(meta: dict[str, Any], data: str, guard: str) -> None:
    assert guard_of(msgspec.structs.replace(TASK, meta=meta), data) == guard


@given(
    st.dictionaries(st.text(max_size=8), st.none() | st.text(max_size=8) | st.integers()),
    st.text(max_size=20),
)
def test_any_meta(meta: dict[str, Any], data: str) -> None:
    assert guard_of(msgspec.structs.replace(TASK, meta=meta), data) in ("", "test_split", "canary")


def _reply(unit: str, step: str, value: Any) -> Answer:
    text = value if isinstance(value, str) else json.dumps(value)
    return Answer(key=f"{unit}{step}", task_id=f"{unit}#{step}", sample=0, model="openai:small", text=text)


def _solution(body: str, **parts: Any) -> dict[str, Any]:
    return {
        "libraries": [],
        "imports": ["import math"],
        "signature": "def f(x):",
        "implementation": body,
        **parts,
    }


def _build(folder: Path, *replies: Answer) -> Path:
    manifest = {"identity": {"prompts": "1", "model": {}}, "model": "openai:small", "version": "1"}
    with RunFolder.open(folder / "replies", manifest, mode="new") as run, run.answer_writer() as writer:
        writer.append_all(replies)
    return folder


def test_a_draft_its_failures_and_its_repairs(tmp_path: Path) -> None:
    build = _build(
        tmp_path / "build",
        _reply("one", "solution", "not JSON"),
        _reply("one", "solution-again", _solution("    return 1")),
        _reply("one", "inputs", {"cases": []}),
        _reply("one", "repair-2", _solution("    return 3", analysis="Still 2.")),
        _reply("one", "repair-1", _solution("    return 2", analysis="It was 1.")),
        _reply("one", "words", {"description": "d", "docstring": "e"}),
        _reply("two", "solution", _solution("    return 9")),
    )
    (build / "data").mkdir()
    (build / "data" / "train.jsonl").write_text('{"task_id": "one"}\n')
    found = events_of(open_build(str(build)), tmp_path)
    assert drop_reasons(found) == {"reply_unreadable": 1}
    one = [each for each in only_events(found) if each.pull.endswith("/one")]
    assert [(each.kind, each.state) for each in one] == [
        ("issue_opened", ""),
        ("code_written", ""),
        ("test_result", "failed"),
        ("code_written", ""),
        ("test_result", "failed"),
        ("code_written", ""),
        ("test_result", "passed"),
    ]
    assert one[1].text == "import math\n\n\ndef f(x):\n    return 1\n" and one[2].text == "It was 1."
    two = [each for each in only_events(found) if each.pull.endswith("/two")]
    assert {each.guard for each in one} == {""} and {each.guard for each in two} == {"test_split"}
    assert [each.kind for each in two] == ["issue_opened", "code_written"]


@pytest.mark.parametrize("name", ["missing", "empty"])
def test_folders_that_are_none(tmp_path: Path, name: str) -> None:
    (tmp_path / "empty").mkdir()
    for opener in (open_run, open_build):
        with pytest.raises((RunError, UsageError)):
            opener(str(tmp_path / name))
