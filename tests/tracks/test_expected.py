"""Types are inferred from evidence only; expected values are checked when they are read."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.errors import DataError
from benchwright.tracks.functions.ruhumaneval import UNKNOWN, flat_outputs, read_typed, typed_values
from benchwright.tracks.rows import Fields


def fields(**data: Any) -> Fields:
    """Return the fields of a row."""
    return Fields(data, "rows.jsonl", 2)


def typed(*texts: str, returns: str = "") -> list[Any]:
    """Return the values of some texts."""
    arrow = f" -> {returns}" if returns else ""
    return typed_values(texts, function=f'def f(x){arrow}:\n    """Doc."""', entry_point="f")


@pytest.mark.parametrize(
    ("texts", "returns", "expected"),
    [
        (["1", "22"], "", [UNKNOWN, UNKNOWN]),
        (["1", "22"], "int", [1, 22]),
        (["1", "22"], "str", ["1", "22"]),
        (["None", "a"], "str", ["None", "a"]),
        (["1", "None"], "", [1, None]),
        (["True"], "", [True]),
        (["2.5", "3"], "", [2.5, 3]),
        (["[1, 2]", "[]"], "", [[1, 2], []]),
        (["[1,2]"], "", [[1, 2]]),
        (["{2, 1}"], "", [{1, 2}]),
        (["set()"], "", [set()]),
        (["0b11", "0b1"], "", [UNKNOWN, UNKNOWN]),
        (["0 1 2", "0"], "", [UNKNOWN, UNKNOWN]),
        (["a", "1.5"], "", [UNKNOWN, UNKNOWN]),
        (["'a'"], "", [UNKNOWN]),
        (["2,3", "6", "None"], "", [UNKNOWN, UNKNOWN, UNKNOWN]),
        (["(1)"], "", [UNKNOWN]),
        (["1e5"], "", [UNKNOWN]),
        ([""], "", [UNKNOWN]),
        (["inf", "1.5"], "float", [UNKNOWN, 1.5]),
        (["a", "1"], "Any", [UNKNOWN, 1]),
    ],
)
def test_a_type_needs_evidence(texts: list[str], returns: str, expected: list[Any]) -> None:
    """`22` alone may be a number or a string; an annotation or another text decides."""
    actual = typed(*texts, returns=returns)

    assert (expected, list(map(type, expected))) == (actual, list(map(type, actual)))


def test_a_head_that_does_not_parse_is_no_evidence() -> None:
    """Without a signature only the texts count, as without an annotation."""
    assert typed_values(["1"], function="def f((", entry_point="f") == [UNKNOWN]


@given(st.lists(st.text(), max_size=4), st.sampled_from(["", "int", "str", "List[str]"]))
def test_each_text_has_one_value(texts: list[str], returns: str) -> None:
    """For any texts, each has one value, and no exception is raised."""
    assert len(texts) == len(typed(*texts, returns=returns))


@pytest.mark.parametrize("outputs", [["1", "2"], [["1", "2"]], [["1", "2"]] * 10])
def test_flat_and_two_dimensional_outputs_are_one(outputs: Any) -> None:
    """The documented form and the stored form are equivalent."""
    assert flat_outputs(fields(outputs=outputs), 2) == ["1", "2"]


def test_hidden_outputs_are_empty_texts() -> None:
    """A private set may have one empty string in place of a list."""
    assert flat_outputs(fields(outputs=""), 2) == ["", ""]


@pytest.mark.parametrize(
    ("outputs", "words"),
    [
        (["1"], "1 outputs for 2 tests"),
        ([["1", "2"], ["1", "3"]], "row 1 differs"),
        ([["1", "2"], "1"], "row 1 differs"),
        ([["1", ["2"]]], "must be a string"),
        (["1", None], "must be a string"),
        (["1", 2], "must be a string"),
        ([[]], "0 outputs"),
        ([], "0 outputs"),
        (None, "must be a list"),
        ("1", "must be a list"),
        ({"0": "1"}, "must be a list"),
    ],
)
def test_outputs_of_another_shape_are_refused(outputs: Any, words: str) -> None:
    """A wrong nesting would be scored as zero elsewhere; here it is an error."""
    with pytest.raises(DataError) as caught:
        flat_outputs(fields(outputs=outputs), 2)

    assert words in caught.value.message


def test_missing_outputs_are_refused() -> None:
    """The error has the field."""
    with pytest.raises(DataError) as caught:
        flat_outputs(fields(), 2)

    assert caught.value.field == "outputs"


@pytest.mark.parametrize("typed_outputs", [["'1'", "[2]"], ["1", "[2]"]])
def test_typed_outputs_that_agree_are_accepted(typed_outputs: list[str]) -> None:
    """The text decides whether a literal belongs to its output."""
    assert read_typed(fields(typed_outputs=typed_outputs), ["1", "[2]"]) is None


@pytest.mark.parametrize("typed_outputs", [["1"], ["1", "2"], ["1", "["], ["1", 2], "12", None, ["1", "x"]])
def test_typed_outputs_that_disagree_are_refused(typed_outputs: Any) -> None:
    """Two different values for one output are an error."""
    with pytest.raises(DataError) as caught:
        read_typed(fields(typed_outputs=typed_outputs), ["1", "[2]"])

    assert (caught.value.field or "").startswith("typed_outputs")
