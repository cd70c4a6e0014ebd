"""The contract of training rows: what a trainer would refuse or misread is named by row and column."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.interop.training.contract import MAX_FAULTS, check_rows, form_of, row_faults, type_of
from benchwright.interop.training.row_types import FORMS, ROW_TYPES, Form, RowType
from benchwright.store.lines import Row
from kit.examples import USUAL, examples

USER, ASSISTANT = {"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}
CALL = {"id": "c", "type": "function", "function": {"name": "run", "arguments": '{"a": 1}'}}
TOOLS = json.dumps([{"type": "function", "function": {"name": "run"}}])
CASES = [(kind, form) for kind in ROW_TYPES.values() for form in kind.forms]


def sound(kind: RowType, form: Form) -> dict[str, Any]:
    """A row that keeps the contract."""
    messages = {
        "messages": [USER, {"role": "assistant", "content": "", "tool_calls": [CALL]}, ASSISTANT],
        "prompt": [USER],
        "completion": [ASSISTANT],
        "chosen": [ASSISTANT],
        "rejected": [{"role": "assistant", "content": "b"}],
    }
    texts = {"prompt": "q", "completion": "a", "chosen": "a", "rejected": "b"}
    others = {"label": True, "completions": ["x", "y"], "labels": [True, False], "tools": TOOLS}
    chosen: dict[str, Any] = texts if form == "standard" else messages
    return copy.deepcopy({name: {**chosen, **others}[name] for name in kind.columns})


def faults(row: dict[str, Any], kind: str, form: Form = "standard") -> list[tuple[str | None, str]]:
    """Columns and messages."""
    return [(each.column, each.message) for each in row_faults(row, ROW_TYPES[kind], form)]


@pytest.mark.parametrize(("kind", "form"), CASES, ids=lambda each: getattr(each, "name", each))
def test_a_sound_row_has_no_fault(kind: RowType, form: Form) -> None:
    row = sound(kind, form)

    assert list(row_faults(row, kind, form)) == []
    assert (type_of(row), form_of(row, kind)) == (kind, form)


@pytest.mark.parametrize(("kind", "form"), CASES, ids=lambda each: getattr(each, "name", each))
def test_each_missing_column_and_each_further_one_is_named(kind: RowType, form: Form) -> None:
    row = sound(kind, form)
    for name in row:
        less = {key: value for key, value in row.items() if key != name}
        assert name in [each.column for each in row_faults(less, kind, form)]
    more = {**row, "repo": "x"}
    assert [each.column for each in row_faults(more, kind, form)] == ["repo"]


@pytest.mark.parametrize(
    ("kind", "form", "change", "column"),
    [
        ("unpaired_preference", "standard", {"label": "true"}, "label"),
        ("unpaired_preference", "standard", {"label": 1}, "label"),
        ("unpaired_preference", "standard", {"label": None}, "label"),
        ("prompt_completion", "standard", {"completion": ""}, "completion"),
        ("prompt_completion", "standard", {"completion": " \n"}, "completion"),
        ("prompt_completion", "standard", {"prompt": None}, "prompt"),
        ("prompt_completion", "standard", {"prompt": [USER]}, "prompt"),
        ("prompt_completion", "conversational", {"prompt": "q"}, "prompt"),
        ("prompt_completion", "conversational", {"prompt": []}, "prompt"),
        ("prompt_completion", "conversational", {"prompt": [{"from": "human", "value": "q"}]}, "prompt[0].from"),
        ("prompt_completion", "conversational", {"prompt": [{**USER, "role": "human"}]}, "prompt[0].role"),
        ("prompt_completion", "conversational", {"prompt": ["q"]}, "prompt[0]"),
        ("prompt_completion", "conversational", {"prompt": [USER, ASSISTANT]}, "prompt"),
        ("prompt_completion", "conversational", {"completion": [USER]}, "completion"),
        ("prompt_completion", "conversational", {"completion": [{**ASSISTANT, "content": ""}]}, "completion[0].content"),
        ("prompt_completion", "conversational", {"completion": [{**ASSISTANT, "content": None}]}, "completion[0].content"),
        ("preference", "standard", {"rejected": "a"}, "rejected"),
        ("preference", "conversational", {"rejected": [ASSISTANT]}, "rejected"),
        ("messages", "conversational", {"messages": [USER]}, "messages"),
        ("stepwise", "standard", {"labels": [True]}, "labels"),
        ("stepwise", "standard", {"labels": [True, "false"]}, "labels[1]"),
        ("stepwise", "standard", {"completions": ["x", ""]}, "completions[1]"),
        ("stepwise", "standard", {"completions": "x"}, "completions"),
        ("stepwise", "standard", {"completions": [], "labels": []}, "completions"),
        ("messages_with_tools", "conversational", {"tools": [{}]}, "tools"),
        ("messages_with_tools", "conversational", {"tools": "[{}]"}, "tools[0]"),
        ("messages_with_tools", "conversational", {"tools": "{"}, "tools"),
    ],
)  # fmt: skip
def test_a_fault_has_its_column(kind: str, form: Form, change: dict[str, Any], column: str) -> None:
    row = {**sound(ROW_TYPES[kind], form), **change}

    assert next(each for each, _ in faults(row, kind, form)) == column


def test_a_call_of_a_tool_has_arguments_as_json_text() -> None:
    """An object in their place would get a column of another type in each file."""
    call = {**CALL, "function": {"name": "run", "arguments": {"a": 1}}}
    row = sound(ROW_TYPES["messages_with_tools"], "conversational")
    row["messages"][1]["tool_calls"] = [call]

    [(column, _)] = faults(row, "messages_with_tools", "conversational")
    assert column == "messages[1].tool_calls[0].function.arguments"


def test_the_hint_names_a_column_with_a_similar_name() -> None:
    row = {"prompt": "q", "completions": "a"}
    [hint, _] = [each.hint for each in row_faults(row, ROW_TYPES["prompt_completion"], "standard")]

    assert hint == "rename it to `completion`"


def test_the_first_row_decides_the_form_of_all() -> None:
    """A file of both forms is refused at the first row of the other one."""
    first, second = (sound(ROW_TYPES["prompt_completion"], form) for form in FORMS)
    errors = list(check_rows([Row(1, first), Row(2, second)], "rows.jsonl"))

    assert {(each.path, each.line) for each in errors} == {("rows.jsonl", 2)}


def test_a_file_without_rows_is_an_error() -> None:
    [error] = check_rows([], "rows.jsonl")

    assert error.path == "rows.jsonl"


def test_errors_of_one_file_are_limited() -> None:
    rows = [Row(number, {"prompt": "", "completion": ""}) for number in range(1, MAX_FAULTS)]

    assert len(list(check_rows(rows, "rows.jsonl"))) == MAX_FAULTS


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["role", "content", "tool_calls", "function", "x"]), inner, max_size=3
        )
    ),
    max_leaves=8,
)


@given(
    st.dictionaries(
        st.sampled_from([*{name for kind in ROW_TYPES.values() for name in kind.columns}, "other"]), VALUES
    ),
    st.sampled_from(CASES),
)
@settings(max_examples=examples(USUAL * 2), deadline=None)
def test_any_json_object_is_judged(row: dict[str, Any], case: tuple[RowType, Form]) -> None:
    """Never an exception; and a row without a fault has the columns and types of its type."""
    kind, form = case
    if list(row_faults(row, kind, form)):
        return
    assert set(row) == set(kind.columns)
    assert all(isinstance(row[name], str if form == "standard" else list) for name in kind.texts)


CHANGES: list[Callable[[Any], Any]] = [lambda _: None, lambda _: 3, lambda _: {}, lambda _: "", lambda _: []]


@given(st.sampled_from(CASES), st.sampled_from(CHANGES), st.data())
@settings(max_examples=examples(USUAL * 2), deadline=None)
def test_a_value_of_another_type_is_a_fault_of_its_column(
    case: tuple[RowType, Form], change: Callable[[Any], Any], data: st.DataObject
) -> None:
    """Whichever column of a sound row is replaced by an empty value or one of another type."""
    kind, form = case
    name = data.draw(st.sampled_from(kind.columns))
    row = {**sound(kind, form), name: change(None)}
    columns = {str(each.column).partition("[")[0] for each in row_faults(row, kind, form)}

    assert name in columns
