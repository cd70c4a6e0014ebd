"""Rows with graders: their checks and specs, and unchanged rows without graders."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from benchwright.contracts import BatchSpec, GradersSpec, LabelSpec
from benchwright.errors import DataError
from benchwright.records import Answer
from benchwright.tracks.own.track import TRACK
from kit.own_rows import CALLS, LABEL, ROWS, RUBRIC, own_file, own_row, own_task

TEXT: dict[str, Any] = {"id": "t", "prompt": "Capital of France?", "contains": "Paris", "reference": "Paris."}
FUNCTION = "def check(answer):\n    return True\n"


@pytest.mark.parametrize(
    ("base", "change", "field", "message", "hint"),
    [
        (TEXT, {"contains": []}, None, "no other grader", "contains"),
        (TEXT, {"contains": [""]}, "contains", "1 to 100 texts", "Paris"),
        (TEXT, {"contains": ["a"] * 101}, "contains", "1 to 100 texts", "Paris"),
        (TEXT, {"contains": 5}, "contains", "expected", ""),
        (TEXT, {"regex": "("}, "regex", "invalid pattern", "single quotes"),
        (TEXT, {"regex": "a" * 1_001}, "regex", "1 to 1,000 characters", "regex"),
        (TEXT, {"regex": "a{99999999999}"}, "regex", "invalid pattern", "single quotes"),
        (
            TEXT,
            {"json_schema": {"type": "objekt"}},
            "json_schema",
            "invalid JSON Schema at $.type",
            "json-schema",
        ),
        (
            TEXT,
            {"json_schema": {"$ref": "http://x/y"}},
            "json_schema",
            "does not contain: http://x/y",
            "$defs",
        ),
        (TEXT, {"json_schema": {"$ref": "#/$defs/a"}}, "json_schema", "does not contain", "$defs"),
        (TEXT, {"json_schema": {"enum": list(range(10_001))}}, "json_schema", "more than 10,000", "fewer"),
        (TEXT, {"function": "def check(:"}, "function", "invalid Python", "def check(answer)"),
        (TEXT, {"function": "def grade(a): pass"}, "function", "does not define", "def check(answer)"),
        (TEXT, {"threshold": 0.5}, "threshold", "needs a function", "add `function`"),
        (TEXT, {"function": FUNCTION, "threshold": 2}, "threshold", "at most 1", "threshold"),
        (TEXT, {"max_cost": 0}, "max_cost", "more than 0", "max_cost = 1"),
        (TEXT, {"max_seconds": -1}, "max_seconds", "more than 0", "max_seconds = 1"),
        (TEXT, {"max_seconds": "5"}, "max_seconds", "expected", ""),
        (TEXT, {"contains": None, "max_cost": 1}, "max_cost", "nothing else judges", "contains"),
        (TEXT, {"contains": None}, None, "no other grader", "regex, json_schema or function"),
        (RUBRIC, {"contains": "one"}, "contains", "a rubric is judged alone", "two tasks"),
        (RUBRIC, {"max_cost": 1}, "max_cost", "a rubric is judged alone", "two tasks"),
    ],
)
def test_a_fault_of_a_grader_is_named(
    tmp_path: Path, base: dict[str, Any], change: dict[str, Any], field: str | None, message: str, hint: str
) -> None:
    """The error has the field, the fault, and a correction."""
    with pytest.raises(DataError) as caught:
        list(TRACK.load(own_file(tmp_path, own_row(base, **change))))

    assert (caught.value.line, caught.value.field) == (1, field)
    assert message in caught.value.message
    assert hint in str(caught.value.hint)


def test_rows_without_graders_keep_their_specs_and_revisions(tmp_path: Path) -> None:
    """Stored verdicts stay valid; each grader changes the revision."""
    assert all(
        not isinstance(TRACK.spec(own_task(tmp_path, row), profile="strict"), GradersSpec) for row in ROWS
    )
    changes: list[dict[str, Any]] = [
        {},
        {"contains": "a"},
        {"regex": "a"},
        {"json_schema": {"type": "string"}},
        {"function": FUNCTION},
        {"function": FUNCTION, "threshold": 0.5},
        {"max_cost": 1},
        {"max_seconds": 1},
    ]
    assert len({own_task(tmp_path, LABEL, **change).revision for change in changes}) == len(changes)


def test_graders_are_added_to_the_other_judge(tmp_path: Path) -> None:
    """Its spec is the base; the answer's text and the cost of its request are passed with the program."""
    spec = TRACK.spec(own_task(tmp_path, CALLS, max_cost=0.5), profile="strict")
    assert isinstance(spec, GradersSpec) and isinstance(spec.base, BatchSpec)
    assert (spec.executes, spec.max_cost) == (True, 0.5)
    task = own_task(tmp_path, LABEL, contains="sure", max_seconds=1)
    label = TRACK.spec(task, profile="strict")
    assert isinstance(label, GradersSpec) and isinstance(label.base, LabelSpec)
    assert label.executes is False
    packed = msgspec.msgpack.encode(label)
    assert msgspec.msgpack.decode(packed, type=GradersSpec) == label

    said = Answer(key="k", task_id="spam", sample=0, model="m", text="sure\nspam", tokens_out=3, seconds=0.25)
    taken = TRACK.extract(task, said, profile="strict")

    assert (taken.program, taken.text, taken.measured) == (
        "spam",
        "sure\nspam",
        {"tokens_out": 3, "seconds": 0.25},
    )
    assert (TRACK.measured(task), TRACK.measured(own_task(tmp_path, LABEL))) == ({"seconds"}, frozenset())


def test_a_task_of_graders_alone_is_judged_by_its_text(tmp_path: Path) -> None:
    """Its reference is the answer that must pass; an empty text must fail."""
    task = own_task(tmp_path, TEXT)
    answer = Answer(key="k", task_id="t", sample=0, model="m", text="<think>Rome?</think>Paris")

    assert (TRACK.gold(task), TRACK.stub(task)) == ("Paris.", "")
    assert TRACK.extract(task, answer, profile="strict").text == "Paris"
    assert TRACK.spec(task, profile="strict") == GradersSpec(contains=["Paris"])
