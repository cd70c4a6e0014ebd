"""The outputs of rows: nesting, numbers, types, and what no honest run gives."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.interop.mera.findings import Finding, Findings, Severity
from benchwright.interop.mera.gold import Gold
from benchwright.interop.mera.kinds import KINDS
from benchwright.interop.mera.scoring import by_server, score
from benchwright.interop.mera.shapes import OutputCheck
from kit.mera_cases import EXPECTED, GOLD, HIDDEN, generations

RIGHT = {task_id: [generations(task_id)] for task_id in EXPECTED}
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=1), inner, max_size=2),
    max_leaves=12,
)


def _check(outputs: dict[Any, Any], kind: str = "ruHumanEval", gold: Gold | None = GOLD) -> list[Finding]:
    found = Findings()
    OutputCheck(KINDS[kind], gold, f"{kind}.json", found).run(outputs)
    return found.kept


def _kinds(outputs: Any, task_id: int = 1, gold: Gold | None = GOLD) -> set[str]:
    """The faults of one task's outputs, among right ones."""
    return {finding.kind for finding in _check({**RIGHT, task_id: outputs}, gold=gold)}


@pytest.mark.parametrize("gold", [GOLD, HIDDEN, None])
def test_right_outputs(gold: Gold | None) -> None:
    """No fault, whether the expected outputs are known, hidden or not given."""
    assert _check(RIGHT, gold=gold) == []


@pytest.mark.parametrize("outputs", ["def f(x): return 1", None, 5, {"a": 1}, True])
def test_outputs_that_are_no_list(outputs: Any) -> None:
    """The commonest fault of other runners: the code itself, as a string."""
    assert _kinds(outputs) == {"outputs-not-list"}


@pytest.mark.parametrize(
    "outputs",
    [
        generations(1),  # (generations, tests), as MERA's own sample has it
        [[generation] for generation in generations(1)],  # (generations, 1, tests)
        ["2", "3"],
        [None],
        [["2", "3"]],  # one generation, one level short
        [generations(1), generations(1)],
    ],
)
def test_wrong_nesting(outputs: Any) -> None:
    """All of these are scored without an error, and wrongly."""
    assert "wrong-nesting" in _kinds(outputs)


def test_code_in_place_of_results() -> None:
    """Ten strings where ten lists of results belong: each is named."""
    found = _check({**RIGHT, 1: [["def f(x):\n    return 1"] * 10]})

    assert {finding.kind for finding in found} == {"generation-not-list"}
    assert [finding.field for finding in found[:2]] == ["outputs.0.0", "outputs.0.1"]


@pytest.mark.parametrize(
    ("outputs", "expected"),
    [
        ([], "unscorable"),
        ([[]], "no-generations"),
        ([generations(1)[:9]], "few-generations"),
        ([[["2", "3"]]], "few-generations"),
        ([[*generations(1)[:9], None]], "unscorable"),
        ([[*generations(1)[:9], 5]], "unscorable"),
        ([[*generations(1)[:9], {"0": "2"}]], "unscorable"),
        ([[*generations(1)[:9], "timed out"]], "timed-out"),
        ([[*generations(1)[:9], ["2"]]], "wrong-count"),
        ([[*generations(1)[:9], []]], "wrong-count"),
        ([[*generations(1)[:9], ["2", 3]]], "not-a-string"),
        ([[*generations(1)[:9], ["2", ["3"]]]], "not-a-string"),
    ],
)
def test_one_fault_in_a_row(outputs: Any, expected: str) -> None:
    """Each fault is found among right rows and right generations."""
    assert expected in _kinds(outputs)


def test_another_number_of_generations_than_elsewhere() -> None:
    """Twelve generations of one task are scored, by a number of their own."""
    assert _kinds([[*generations(1), *generations(1)[:2]]]) == {"uneven-generations"}


def test_null_where_none_is_expected() -> None:
    """Only at the test that expects "None", and only where that is known."""
    outputs = [[[None, None, "x"]] * 10]
    found = _check({**RIGHT, 2: outputs})

    assert {(finding.kind, finding.id, finding.field) for finding in found} == {
        ("null-for-none", 2, f"outputs.0.{number}.0") for number in range(10)
    }
    assert {finding.severity for finding in found} == {Severity.warning}
    assert _kinds(outputs, 2, HIDDEN) == set()


@pytest.mark.parametrize(("value", "kind"), [("", "only-empty"), (None, "only-null")])
def test_nothing_but_placeholders(value: str | None, kind: str) -> None:
    """A file of empty strings, or of nulls, is one fault of the whole file."""
    outputs = {task_id: [[[value] * len(texts)] * 10] for task_id, texts in EXPECTED.items()}
    found = [finding for finding in _check(outputs) if finding.kind != "null-for-none"]

    assert [(finding.kind, finding.id) for finding in found] == [(kind, None)]


def test_an_answer_of_empty_strings_is_no_fault() -> None:
    """A function may return "": only a file of nothing else is a file of placeholders."""
    assert _kinds([[["", ""]] * 10]) == set()


def test_the_same_generation_ten_times_over() -> None:
    """An easy task has ten equal generations; when every task has, the samples were one sample."""
    equal = {task_id: [[texts] * 10] for task_id, texts in EXPECTED.items()}

    assert [finding.kind for finding in _check(equal)] == ["identical-generations"]
    assert _check({**equal, 3: [generations(3)]}) == []


@pytest.mark.parametrize(
    ("kind", "outputs", "faults"),
    [
        ("CodeCorrectness", "success", []),
        ("CodeCorrectness", ["success"], ["outputs-not-text"]),
        ("UnitTests", None, ["outputs-not-text"]),
        ("CodeLinterEval", [["x = 1\n"] * 10], []),
        ("CodeLinterEval", "x = 1\n", ["outputs-not-list"]),
    ],
)
def test_other_task_sets(kind: str, outputs: Any, faults: list[str]) -> None:
    """A task set of texts takes strings, and one of raw answers lists; that is all that is asked of them."""
    assert [finding.kind for finding in _check({1: outputs}, kind, None)] == faults


@given(st.dictionaries(st.sampled_from([1, 2, 3, 4]), json_values))
def test_what_the_server_refuses_is_an_error(outputs: dict[Any, Any]) -> None:
    """No JSON raises here, and no row is refused by the server without an error of ours."""
    found = _check(outputs)
    served = score({key: EXPECTED[key] for key in outputs if key in EXPECTED}, outputs, rule=by_server)
    refused = {task_id for _, task_id in served.errors}

    assert refused <= {finding.id for finding in found if finding.severity is Severity.error}


@given(st.dictionaries(st.sampled_from([1, 2, 3]), json_values, min_size=1))
def test_a_score_for_nothing_is_an_error(outputs: dict[Any, Any]) -> None:
    """A row without a right generation that the server gives points to is never let pass."""
    found = _check(outputs)
    for task_id, value in outputs.items():
        served = score({task_id: ["no such", "result", "as this"]}, {task_id: value}, rule=by_server)

        assert served.mean == 0.0 or any(
            finding.id == task_id and finding.severity is Severity.error for finding in found
        )
