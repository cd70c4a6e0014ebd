"""The track of MBPP: rows to prompts, gold and stub, and rows that cannot be judged."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchwright.contracts import BatchSpec, CallsSpec
from benchwright.errors import DataError, UsageError
from benchwright.records import Answer, Task
from benchwright.tracks.functions.mbpp import TRACK, docstring, read_task
from benchwright.tracks.rows import Fields
from kit.audit_rows import mbpp_row
from kit.command_line import called
from kit.needs import need_sandbox


def task_of(**changed: Any) -> Task:
    """Return the task of a changed row."""
    return read_task(Fields(mbpp_row(**changed), "rows.jsonl", 1))


def written(path: Path, *rows: dict[str, Any]) -> Path:
    """Write a data set of these rows."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


NODE = mbpp_row(
    task_id=12,
    code="class Node: pass\ndef double(p): return p",
    test_list=["assert double(Node()) == 1"],
)


def test_a_row_makes_a_task_and_comes_back() -> None:
    """No field is lost, including unknown ones."""
    row = mbpp_row(source_file="benchmark")
    task = read_task(Fields(row, "rows.jsonl", 1))

    assert (task.task_id, task.meta["entry_point"]) == (11, "double")
    assert TRACK.to_row(task) == row


def test_the_prompt_is_a_docstring_with_all_asserts() -> None:
    """The prompt is a module by itself, so that a base model's continuation is one too."""
    prompt = TRACK.prompt(task_of())

    assert ast.get_docstring(ast.parse(prompt)) == (
        "Write a function to double a number.\n"
        "assert double(2) == 4\nassert double(-3) == -6\nassert double(10) == 20"
    )
    assert docstring(" A. ", "assert f() == 1") == '"""\nA.\nassert f() == 1\n"""\n'


@pytest.mark.parametrize("language", ["en", "ru"])
@pytest.mark.parametrize("form", ["chat", "base"])
def test_ten_questions_show_the_task_and_every_assert(language: str, form: str) -> None:
    """Only the asserts contain the function's name, so all must be shown."""
    task = task_of()
    asked = TRACK.questions(task, language=language, form=form)

    assert [each.variant for each in asked] == [f"{language}-{number:02}" for number in range(1, 11)]
    assert len({each.text for each in asked}) == 10
    assert all(test in each.text for each in asked for test in task.meta["test_list"])
    assert all("Write a function to double a number." in each.text for each in asked)


@pytest.mark.parametrize("number", range(10))
def test_a_base_model_goes_on_from_valid_code(number: int) -> None:
    """The text before the code parses in both languages; variant 8 is a form, not code."""
    for language in ("en", "ru"):
        text = TRACK.questions(task_of(), language=language, form="base")[number].text
        ast.parse(text.replace("## ", "# "))


@pytest.mark.parametrize(
    ("text", "program"),
    [
        ("```python\ndef double(x):\n    return x + x\n```", "def double(x):\n    return x + x"),
        ("Sure!\n\ndef double(x):\n    return x + x\n", "def double(x):\n    return x + x"),
    ],
)
def test_a_whole_function_is_taken_from_an_answer(text: str, program: str) -> None:
    """There is no head to complete."""
    answer = Answer(task_id=11, sample=0, text=text, key="", model="m")
    taken = TRACK.extract(task_of(), answer, profile="strict")

    assert taken.problem is None
    assert program in taken.program


def test_asserts_are_judged_as_values_or_as_a_check() -> None:
    """The kind of asserts decides."""
    tests = ["assert set(double([1])) == {1}"]

    assert isinstance(TRACK.spec(task_of(), profile="strict"), BatchSpec)
    assert isinstance(TRACK.spec(task_of(test_list=tests), profile="strict"), CallsSpec)


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({}, ""),
        ({"test_list": ["assert double(2) == int(4)", "assert isinstance(double(2), int)"]}, ""),
        (NODE, "its tests use Node of the solution, so answers cannot be judged without it"),
        (
            {"test_list": ["assert double((1, 'a'), int) == 2", "assert double(2, kind=str) == 4"]},
            "its tests pass int, str as an argument, but only values can be sent to an answer",
        ),
        ({"code": "", "test_list": ["assert double(2) == 4"]}, "the row has no solution"),
    ],
)
def test_what_cannot_be_judged(changed: dict[str, Any], why: str) -> None:
    """Each is reported with its reason."""
    assert TRACK.refusal(task_of(**changed)) == why


def test_one_form_only() -> None:
    """An unknown form is a usage error."""
    assert TRACK.in_form("batch") is TRACK
    with pytest.raises(UsageError, match="mbpp has no form 'calls'"):
        TRACK.in_form("calls")
    with pytest.raises(UsageError, match="unknown scoring profile"):
        TRACK.spec(task_of(), profile="strct")


def without(name: str) -> Callable[[dict[str, Any]], None]:
    """Return a function that removes a field."""
    return lambda row: row.pop(name)


@pytest.mark.parametrize("name", ["task_id", "text", "test_list"])
def test_a_row_without_a_field_is_refused(name: str, tmp_path: Path) -> None:
    """The error has file, line and field."""
    row = mbpp_row()
    without(name)(row)
    with pytest.raises(DataError, match=r"rows\.jsonl:1.*field"):
        list(TRACK.load(written(tmp_path / "rows.jsonl", row)))


def test_from_rows_to_a_score(tmp_path: Path) -> None:
    """Right and wrong answers get different verdicts; the row that cannot be judged is left out and reported."""
    need_sandbox()
    data = written(tmp_path / "rows.jsonl", mbpp_row(), NODE, mbpp_row(task_id=13))
    answers = written(
        tmp_path / "answers.jsonl",
        {"task_id": 11, "completion": "def double(n):\n    return n + n\n"},
        {"task_id": 13, "completion": "def double(n):\n    return 4\n"},
    )
    said = called(
        "run", "mbpp", "--data", data, "--model", f"replay:{answers}", "--json", "--out", tmp_path / "run"
    )
    identity = json.loads((tmp_path / "run" / "run.json").read_text())["identity"]

    assert (said.code, said.document["outcomes"]) == (0, {"passed": 1, "wrong": 1})
    assert said.document["metrics"]["pass@1"]["value"] == 0.5
    assert identity["excluded"] == ["12"]
    assert any("1 task of the data set left out" in note and "12: its tests use Node" in note
               for note in said.document["notes"])  # fmt: skip
