"""Rows of MultiPL-E are read completely; rows in another form are refused with the field."""

from __future__ import annotations

from typing import Any

import pytest

from benchwright.errors import DataError
from benchwright.records import Task
from benchwright.tracks.multipl.track import form_of, parts_of, read_task, to_row
from benchwright.tracks.rows import Fields
from kit.multipl_rows import GO_PROMPT, GO_TESTS, JAVA_PROMPT, JAVA_TESTS, go_row, java_row


def multipl_task(row: dict[str, Any]) -> Task:
    """Return the task of a row."""
    return read_task(Fields(row, "rows.jsonl", 3))


@pytest.mark.parametrize("row", [go_row(), java_row(), go_row(language="go", canonical_solution="x")])
def test_a_row_of_multipl_comes_back(row: dict[str, Any]) -> None:
    """No field is lost, including unknown ones."""
    task = multipl_task(row)

    assert to_row(task) == row
    assert (task.task_id, task.inputs["function"]) == (row["name"], row["prompt"])


def test_names_and_languages_are_told() -> None:
    """The function is the last one that the prompt begins."""
    go, java = multipl_task(go_row()), multipl_task(java_row())

    assert (form_of(go).lang, parts_of(go).name, parts_of(go).case) == ("Go", "total_of", "TestTotal_Of")
    assert (form_of(java).lang, parts_of(java).name) == ("Java", "oddOnes")
    assert (go.meta["entry_point"], java.meta["entry_point"]) == ("total_of", "oddOnes")


@pytest.mark.parametrize(
    ("row", "field", "message"),
    [
        (go_row(language="rkt"), "language", "answers in 'rkt' cannot be judged"),
        (go_row(name=""), "name", "the id is empty"),
        (go_row(prompt="func f() int {\n"), "prompt", "must be a package, imports in brackets"),
        (go_row(prompt=GO_PROMPT + "    return 1\n}\n"), "prompt", "last the head of a function"),
        (go_row(prompt=GO_PROMPT.replace('"fmt"', '"os"')), "prompt", 'imports "os", which MultiPL-E'),
        (go_row(tests=GO_TESTS.replace("TestTotal_Of", "CheckIt")), "tests", "must hold one function TestX"),
        (go_row(tests=GO_TESTS + GO_TESTS), "tests", "must hold one function TestX"),
        (go_row(stop_tokens="x"), "stop_tokens", "must be a list of texts"),
        (go_row(stop_tokens=[""]), "stop_tokens", "must be a list of texts"),
        (
            java_row(prompt=JAVA_PROMPT.replace("Problem", "Other")),
            "prompt",
            "must be imports, `class Problem {`",
        ),
        (java_row(prompt="class A {}\n" + JAVA_PROMPT), "prompt", "must be imports, `class Problem {`"),
        (
            java_row(prompt=JAVA_PROMPT + "        return null;\n"),
            "prompt",
            "last the head of a static method",
        ),
        (java_row(tests=JAVA_TESTS.removeprefix("    }\n")), "tests", "must end the method"),
        (
            java_row(tests=JAVA_TESTS.replace("    assert(odd", "    check(odd")),
            "tests",
            "only asserts",
        ),
        (
            java_row(tests="    }\n    public static void main(String[] args) {\n    }\n\n}\n"),
            "tests",
            "asserts",
        ),
        (
            {key: value for key, value in java_row().items() if key != "tests"},
            "tests",
            "the field is missing",
        ),
    ],
)
def test_other_shapes_are_refused(row: dict[str, Any], field: str, message: str) -> None:
    """The error has the field: a row that is read in part would be judged in part."""
    with pytest.raises(DataError) as caught:
        multipl_task(row)

    assert message in str(caught.value)
    assert f"field `{field}`" in str(caught.value)
    assert "rows.jsonl:3" in str(caught.value)
