"""Tasks that a track cannot judge: excluded from the plan, listed in its identity, and reported."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchwright.errors import UsageError
from benchwright.running.options import RunOptions, notes_on_refused, refusals, without_refused
from benchwright.running.plan import Plan, make_plan
from benchwright.tracks.functions import humaneval, mbpp
from benchwright.tracks.functions.mbpp import read_row
from benchwright.tracks.rows import Fields
from kit.audit_rows import mbpp_row
from kit.needs import need_sandbox

NODES = [
    mbpp_row(
        task_id=number,
        code="class Node: pass\ndef double(p): return p",
        test_list=["assert double(Node()) == 1"],
    )
    for number in range(20, 27)
]


def written(folder: Path, *rows: dict[str, object]) -> str:
    """Write a data set of these rows."""
    path = folder / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def planned(data: str, **options: object) -> Plan:
    """Return the plan of a run of gold answers."""
    need_sandbox()
    return make_plan(RunOptions(track="mbpp", data=data, model="gold:", **options))  # type: ignore[arg-type]


def test_a_plan_is_without_them(tmp_path: Path) -> None:
    """Tasks excluded by the user stay excluded, and none is listed twice."""
    data = written(tmp_path, mbpp_row(), mbpp_row(task_id=12), *NODES[:2])
    plan = planned(data, exclude=("12", "20"))

    assert list(plan.tasks) == [11]
    assert plan.identity["excluded"] == ["12", "20", "21"]


def test_all_that_were_chosen(tmp_path: Path) -> None:
    """No task is left."""
    data = written(tmp_path, mbpp_row(), NODES[0])
    with pytest.raises(UsageError, match="all chosen tasks are excluded"):
        planned(data, tasks=("20",))


def test_few_are_named_with_their_reasons(tmp_path: Path) -> None:
    """With many, the first ones."""
    tasks = {task.task_id: task for task in mbpp.TRACK.load(written(tmp_path, *NODES))}
    note = notes_on_refused(mbpp.TRACK, tasks)[0]

    assert len(refusals(mbpp.TRACK, tasks)) == 7
    assert note.startswith("7 tasks of the data set left out, not to be judged here: 20: its tests use Node")
    assert "24: its" in note
    assert note.endswith("; and 2 more")


def test_most_tracks_refuse_nothing(tmp_path: Path) -> None:
    """Their options stay the same object."""
    options = RunOptions(track="humaneval", data="x", model="gold:")

    assert refusals(humaneval.TRACK, {}) == {}
    assert notes_on_refused(humaneval.TRACK, {}) == []
    assert without_refused(options, {}) is options


def test_asserts_that_are_rewritten_still_tell_what_they_pass() -> None:
    """Types are looked up under the entry point's name."""
    row = read_row(Fields(mbpp_row(test_list=["assert double(2, int) == 4"]), "rows.jsonl", 1))

    assert row.lacks == "its tests pass int as an argument, but only values can be sent to an answer"
