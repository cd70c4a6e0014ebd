"""HumanEval rows become equivalent ruHumanEval rows, or are refused with a reason."""

from __future__ import annotations

import ast
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.records import Task
from benchwright.text.literal import parse_literal
from benchwright.tracks.functions.humaneval import (
    TRACK,
    ConversionFailure,
    ConvertedTask,
    convert,
    convert_task,
    literal_text,
)
from benchwright.tracks.functions.ruhumaneval import TRACK as MERA
from benchwright.tracks.functions.ruhumaneval import UNKNOWN, typed_values
from benchwright.tracks.python_source import Reason
from kit.needs import HUMANEVAL, RUSSIAN, need_data
from kit.track_rows import humaneval_row, write_rows


def task(tmp_path: Path, **changes: Any) -> Task:
    """Return the only task of a data set with this row."""
    return next(TRACK.load(write_rows(tmp_path, humaneval_row(**changes))))


def test_a_row_is_converted_in_full(tmp_path: Path) -> None:
    """Calls by name, texts and typed values of results, and all meta of the source."""
    actual = convert_task(task(tmp_path), number=3, instruction="Допишите:\n{function}")

    assert isinstance(actual, ConvertedTask)
    expected = {
        "instruction": "Допишите:\n{function}",
        "inputs": {
            "function": humaneval_row()["prompt"],
            "tests": "[{'x': 2}, {'x': 2, 'times': 3}]",
        },
        "outputs": ["4", "6"],
        "meta": {
            "entry_point": "twice",
            "canonical_solution": "    return x * times\n",
            "natural_language": "English",
            "id": 3,
            "source_id": "Own/3",
            "typed_outputs": ["4", "6"],
        },
    }
    assert (expected, [{"x": 2}, {"x": 2, "times": 3}], [4, 6]) == (actual.row, actual.calls, actual.expected)


def test_the_types_of_results_are_kept(tmp_path: Path) -> None:
    """`str` does not distinguish 1 from "1"; the typed values do."""
    values = ["True", "1", "'1'", "1.0", "None", "'None'", "[1]", "(1,)", "{'a': 1}", "set()"]
    lines = "".join(f"    assert candidate(0) == {value}\n" for value in values)
    actual = convert_task(task(tmp_path, test="def check(candidate):\n" + lines))

    assert isinstance(actual, ConvertedTask)
    expected = [ast.literal_eval(value) if value != "set()" else set() for value in values]
    assert ([str(value) for value in expected], list(map(type, expected))) == (
        actual.row["outputs"],
        list(map(type, actual.expected)),
    )


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("assert candidate(1) == {1, 2}", Reason.ambiguous),
        ("assert candidate(1) == {'a': 1, 'b': 2}", Reason.ambiguous),
        ("assert candidate(1) == [{'a': ({1, 2},)}]", Reason.ambiguous),
        ("assert candidate(1) == 1e999", Reason.no_literal),
        ("assert candidate(-1e999) == 1", Reason.no_literal),
        ("assert candidate(1) == 1e999 * 0", Reason.no_literal),
        ("assert candidate(1) == '\\ud800'", Reason.no_literal),
        ("assert candidate(...) == 1", Reason.no_literal),
        ("assert candidate(0x1" + "0" * 5000 + ") == 1", Reason.no_literal),
        ("assert candidate(1, 2, 3) == 1", Reason.signature),
        ("assert candidate(1, y=3) == 1", Reason.signature),
        ("assert abs(candidate(1) - 2.0) < 1e-6", Reason.tolerance),
    ],
)
def test_a_row_that_cannot_be_said_in_text_is_reported(tmp_path: Path, line: str, reason: Reason) -> None:
    """Task, line and reason are reported."""
    actual = convert_task(task(tmp_path, test=f"def check(candidate):\n    {line}\n"))

    assert isinstance(actual, ConversionFailure)
    assert ("Own/3", reason, True) == (actual.task_id, actual.reason, actual.origin.endswith("rows.jsonl:1"))


@pytest.mark.parametrize(
    "prompt",
    ["def twice(*x):\n    pass\n", "def twice(x, /):\n    pass\n", "def other(x): pass", "twice(((("],
)
def test_a_head_that_gives_no_names_is_reported(tmp_path: Path, prompt: str) -> None:
    """Keyword arguments need names."""
    actual = convert_task(task(tmp_path, prompt=prompt))

    assert isinstance(actual, ConversionFailure)
    assert actual.reason is Reason.signature


def test_ids_become_free_numbers_in_order(tmp_path: Path) -> None:
    """The number of the source is used if it is free, so HumanEval/12 is 12; no id is used twice."""
    ids = ["A/5", "B/5", "none", 5, "A/06", "B/6", "C/6", "x" + "9" * 30]
    tasks = TRACK.load(write_rows(tmp_path, *(humaneval_row(task_id=task_id) for task_id in ids)))
    numbers = [each.row["meta"]["id"] for each in convert(tasks) if isinstance(each, ConvertedTask)]

    assert ([5, 6, 2, 7], len(ids)) == (numbers[:4], len(set(numbers)))


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.text() | st.integers(), inner, max_size=3)
        | st.sets(st.text() | st.integers(), max_size=3)
    ),
    max_leaves=10,
)


@given(VALUES)
def test_the_text_of_a_value_is_a_literal_of_it(value: Any) -> None:
    """Reading the text returns the value, with the same types throughout."""
    text = literal_text(value)

    assert (value, text) == (parse_literal(text), literal_text(parse_literal(text)))


def test_the_text_of_a_set_does_not_depend_on_the_process() -> None:
    """The order of a set of strings differs between processes; a data set must not."""
    assert literal_text({"c", "a", "b"}) == "{'a', 'b', 'c'}"


@given(st.lists(st.tuples(VALUES, VALUES), min_size=1, max_size=3))
def test_a_converted_row_says_what_the_asserts_said(
    tmp_path_factory: pytest.TempPathFactory, pairs: list[tuple[Any, Any]]
) -> None:
    """After writing and reading, calls and results are those of the test, or the row is refused."""
    folder = tmp_path_factory.mktemp("rows")
    lines = "".join(f"    assert candidate({value!r}) == {result!r}\n" for value, result in pairs)
    made = convert_task(task(folder, test="def check(candidate):\n" + lines))
    if isinstance(made, ConversionFailure):
        assert made.reason in (Reason.ambiguous, Reason.no_literal)
        return
    back = next(MERA.load(write_rows(folder, made.row)))

    calls, results = [{"x": value} for value, _ in pairs], [result for _, result in pairs]
    typed = [parse_literal(text) for text in back.meta["typed_outputs"]]
    assert (calls, results) == (parse_literal(back.inputs["tests"]), typed)


REAL = {
    HUMANEVAL: (
        153,
        {Reason.statement: 4, Reason.tolerance: 2, Reason.nested: 2, Reason.loop: 2, Reason.ambiguous: 1},
    ),
    RUSSIAN: (78, {Reason.loop: 1, Reason.statement: 1}),
}


@pytest.mark.parametrize("name", REAL)
def test_real_data_sets_convert(tmp_path: Path, name: str) -> None:
    """Most rows are data; the rest are counted by reason; converted rows load as a MERA data set."""
    results = list(convert(TRACK.load(need_data(name))))
    made = [each for each in results if isinstance(each, ConvertedTask)]
    reasons = Counter(each.reason for each in results if isinstance(each, ConversionFailure))
    loaded = list(MERA.load(write_rows(tmp_path, *(each.row for each in made))))

    assert (REAL[name], len(made)) == ((len(made), dict(reasons)), len(loaded))


@pytest.mark.parametrize("name", REAL)
def test_types_told_from_text_alone_are_never_wrong(name: str) -> None:
    """A type that is inferred from real texts is the type in the assert."""
    wrong = []
    for each in convert(TRACK.load(need_data(name))):
        if isinstance(each, ConvertedTask):
            head, entry_point = each.row["inputs"]["function"], each.row["meta"]["entry_point"]
            told = typed_values(each.row["outputs"], function=head, entry_point=entry_point)
            pairs = zip(told, each.expected, strict=True)
            wrong += [
                each.task_id
                for one, two in pairs
                if one is not UNKNOWN and json.dumps(one) != json.dumps(two)
            ]

    assert wrong == []
