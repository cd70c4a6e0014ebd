"""CodeCorrectness rows are checked, un-escaped if necessary, and written unchanged."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchwright.errors import BenchwrightError, DataError
from benchwright.records import Task
from benchwright.tracks.correctness.rows import filled, is_private, notes_on_rows, to_row, unescaped_fields
from benchwright.tracks.correctness.track import TRACK
from kit.correctness_cases import FOCAL, INSTRUCTION, TEST, correctness_row, escaped, load, seed_rows
from kit.examples import examples
from kit.needs import need_that
from kit.track_rows import humaneval_row, mera_row

SCALARS = st.sampled_from(
    [None, True, 0, 1.5, "", "x", "success", "failed", "Python", "{", "{focal_code}", "\\n"]
)
JSON = SCALARS | st.lists(SCALARS, max_size=2) | st.dictionaries(SCALARS.map(str), SCALARS, max_size=2)


def fault(folder: Path, row: Any) -> DataError:
    """Return the error for a row."""
    with pytest.raises(DataError) as caught:
        load(folder, row)
    return caught.value


def test_a_row_becomes_a_task(tmp_path: Path) -> None:
    """The fields are those of the row, and the id is an integer."""
    (task,) = load(tmp_path, correctness_row())

    row = correctness_row()
    expected = Task(
        task_id=7,
        instruction=INSTRUCTION,
        inputs=row["inputs"],
        outputs="success",
        meta={"id": 7},
        revision=task.revision,
        origin=f"{tmp_path}/rows.jsonl:1",
    )
    assert expected == task


@pytest.mark.parametrize(
    "row",
    [
        correctness_row(),
        correctness_row(outputs="failed", lang="Java"),
        correctness_row(outputs="", lang="Go"),
        correctness_row(subset="original", tags=["time"], split="test"),
        correctness_row(focal_code=escaped(FOCAL), test_code=escaped(TEST)),
        correctness_row(test_code=escaped(TEST), tags={"asserts": 1}, note=[1]),
    ],
)
def test_a_row_survives_the_round_trip(tmp_path: Path, row: dict[str, Any]) -> None:
    """Unknown keys, a hidden label and doubly escaped code come back byte for byte, in the same order."""
    (task,) = load(tmp_path, row)

    assert json.dumps(row) == json.dumps(to_row(task)) or row == to_row(task)
    assert json.dumps(to_row(task)["inputs"]) == json.dumps(row["inputs"])


def test_doubly_escaped_code_is_un_escaped_and_reported(tmp_path: Path) -> None:
    """The task has the intended code; its meta lists the changed fields."""
    rows = [
        correctness_row(focal_code=escaped(FOCAL), test_code=escaped(TEST)),
        correctness_row(id=8),
        correctness_row(id=9, test_code=escaped(TEST)),
    ]
    tasks = load(tmp_path, *rows)

    assert [task.inputs for task in tasks] == [correctness_row()["inputs"]] * 3
    assert [unescaped_fields(task) for task in tasks] == [["focal_code", "test_code"], [], ["test_code"]]
    assert notes_on_rows(tasks) == ["the code of 2 tasks was escaped twice and has been un-escaped: 7, 9"]


def test_many_escaped_rows_are_counted_and_a_few_named(tmp_path: Path) -> None:
    """There is one line for any number of them."""
    tasks = load(tmp_path, *(correctness_row(id=number, test_code=escaped(TEST)) for number in range(8)))

    expected = "the code of 8 tasks was escaped twice and has been un-escaped: 0, 1, 2, 3, 4, …"
    assert (notes_on_rows(tasks), notes_on_rows([])) == ([expected], [])


def test_an_escaped_row_is_the_same_task(tmp_path: Path) -> None:
    """Its revision is that of the intended code, so answers to one form are answers to the other."""
    (plain,) = load(tmp_path, correctness_row())
    (twice,) = load(tmp_path, correctness_row(focal_code=escaped(FOCAL), test_code=escaped(TEST)))

    assert (plain.revision, TRACK.prompt(plain)) == (twice.revision, TRACK.prompt(twice))


def test_the_published_example_loads() -> None:
    """The card's row is doubly escaped: after loading, both files are Python, and the row comes back
    unchanged."""
    rows = list(seed_rows())
    need_that(rows, "the card of CodeCorrectness is not beside the repository")
    from benchwright.tracks.correctness.rows import build
    from benchwright.tracks.rows import Fields

    task = build(Fields(rows[0], "card", 1))
    defined = [
        node.name for node in ast.parse(task.inputs["test_code"]).body if isinstance(node, ast.FunctionDef)
    ]

    assert (len(rows), task.outputs, to_row(task)) == (1, "success", rows[0])
    assert (defined, unescaped_fields(task)) == (
        ["test_expiration_policy_with_max_age"],
        ["focal_code", "test_code"],
    )
    assert (
        "class ExpiringCache(Cache[T]):\n" in task.inputs["focal_code"],
        task.inputs["test_code"] in filled(task.instruction, task.inputs) + "\n",
    ) == (True, True)


@pytest.mark.parametrize(("outputs", "private"), [("success", False), ("failed", False), ("", True)])
def test_a_hidden_label_makes_a_private_task(tmp_path: Path, outputs: str, private: bool) -> None:
    """It loads, so that answers can be generated."""
    (task,) = load(tmp_path, correctness_row(outputs=outputs))

    assert is_private(task) is private


@pytest.mark.parametrize(
    ("changes", "field", "hint"),
    [
        ({"lang": "python"}, "inputs.lang", "did you mean `Python`?"),
        ({"lang": "golang"}, "inputs.lang", "did you mean `Go`?"),
        ({"lang": "Jawa"}, "inputs.lang", "did you mean `Java`?"),
        ({"lang": "COBOL"}, "inputs.lang", "one of: Python, Java, Go, JavaScript"),
        ({"lang": None}, "inputs.lang", "the object has `focal_code`, `test_code`"),
        ({"lang": 3}, "inputs.lang", None),
        ({"outputs": "Success"}, "outputs", "did you mean `success`?"),
        ({"outputs": "fail"}, "outputs", "did you mean `failed`?"),
        ({"outputs": "?"}, "outputs", "`success`, `failed`, or an empty text for a private task"),
        ({"outputs": ["success"]}, "outputs", None),
        ({"outputs": None}, "outputs", None),
        ({"focal_code": None}, "inputs.focal_code", None),
        ({"focal_code": " \n"}, "inputs.focal_code", "a row needs a focal file and a test"),
        ({"test_code": 5}, "inputs.test_code", None),
        ({"test_code": "x" * (1 << 21)}, "inputs.test_code", None),
        (
            {"instruction": 4},
            "instruction",
            "replace the number by the text of that prompt",
        ),
        ({"instruction": "success?"}, "instruction", "use {focal_code}, {test_code} and {lang}"),
        ({"instruction": "{focal_code}"}, "instruction", "use {focal_code}, {test_code} and {lang}"),
        (
            {"instruction": "{focal_code}{test_code}{code}"},
            "instruction",
            "use {focal_code}, {test_code} and {lang}",
        ),
        (
            {"instruction": "{focal_code.__class__}"},
            "instruction",
            "use {focal_code}, {test_code} and {lang}",
        ),
        ({"id": None}, "meta.id", None),
        ({"id": 1.5}, "meta.id", None),
        ({"_row": {}}, "meta._row", "rename the field"),
        ({"_escaped": {}}, "meta._escaped", "rename the field"),
        ({"inputs": None}, "inputs", None),
        ({"meta": None}, "meta", None),
    ],
)
def test_a_wrong_field_is_named(
    tmp_path: Path, changes: dict[str, Any], field: str, hint: str | None
) -> None:
    """The error has the dotted name of the field, the line, and the nearest valid value as a hint."""
    error = fault(tmp_path, correctness_row(**changes))

    assert (error.field, error.line, error.hint if hint else None) == (field, 1, hint)


@pytest.mark.parametrize(("row", "track"), [(humaneval_row(), "humaneval"), (mera_row(), "ruhumaneval")])
def test_rows_of_other_tracks_are_sent_there(tmp_path: Path, row: dict[str, Any], track: str) -> None:
    """The hint names the track."""
    assert f"use the track `{track}` for it" == fault(tmp_path, row).hint


@pytest.mark.parametrize(
    ("changes", "same"),
    [
        ({"id": 8}, True),
        ({"subset": "generated", "tags": ["x"]}, True),
        ({"outputs": "failed"}, False),
        ({"lang": "Go"}, False),
        ({"test_code": TEST + "\n"}, False),
        ({"instruction": "{test_code}{focal_code}"}, False),
    ],
)
def test_the_revision_is_of_what_decides_a_verdict(
    tmp_path: Path, changes: dict[str, Any], same: bool
) -> None:
    """A tag or a new number does not invalidate stored verdicts."""
    revisions = {load(tmp_path, row)[0].revision for row in (correctness_row(), correctness_row(**changes))}

    assert (len(revisions) == 1) is same


def test_the_prompt_is_the_filled_instruction() -> None:
    """It is stripped, as in MERA; braces in code stay, and an instruction that includes the code is final."""
    inputs = {"focal_code": "d = {'a': {1}}\n", "test_code": "assert d['{x}']", "lang": "Go"}
    final = "Код d = {'a': {1}} и тест assert d['{x}'] {lang}\n"

    shown = filled("\n{lang} {focal_code} {{{test_code}}}\n", inputs)

    assert shown == "Go d = {'a': {1}}\n {assert d['{x}']}"
    assert final.strip() == filled(final, inputs)


@given(
    st.dictionaries(st.sampled_from(["instruction", "inputs", "outputs", "meta", "x"]), JSON),
    st.dictionaries(st.sampled_from(["focal_code", "test_code", "lang", "id", "tags", "_row"]), JSON),
)
@settings(
    max_examples=examples(80), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
def test_malformed_rows_never_raise_another_exception(
    tmp_path: Path, changes: dict[str, Any], inner: dict[str, Any]
) -> None:
    """A row with any replaced fields gives a task with a prompt, or a named error."""
    row = correctness_row()
    row["inputs"].update({name: value for name, value in inner.items() if name in row["inputs"]})
    row["meta"].update({name: value for name, value in inner.items() if name not in row["inputs"]})
    row.update(changes)
    try:
        kept = [to_row(task) == row and bool(TRACK.prompt(task)) for task in load(tmp_path, row)]
    except BenchwrightError as error:
        kept = [bool(error.message)]

    assert kept == [True]
