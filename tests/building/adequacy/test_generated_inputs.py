"""Grown calls: new, seeded, bounded, and told apart by the range of what the tests show."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.building.adequacy.generated_inputs import (
    MAX_WEIGHT,
    Arguments,
    ValueRange,
    calls_of_tests,
    generate_inputs,
)
from benchwright.contracts import CallCase, CallsSpec, CaseInput, CaseLevel, ExpectedResult, LevelsSpec
from benchwright.sandbox.codec import encode
from benchwright.tracks.constant_folding import weight
from kit.solved_tasks import pairs_spec

scalars = st.none() | st.booleans() | st.integers(-50, 50) | st.floats() | st.text(max_size=8)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text(max_size=3), inner, max_size=3)
        | st.sets(st.integers(), max_size=3)
    ),
    max_leaves=8,
)
calls_lists = st.lists(st.tuples(values, values), min_size=1, max_size=4)


@given(calls_lists)
def test_grown_calls_are_new_and_always_the_same(rows: list[tuple[Any, Any]]) -> None:
    """Whatever the tests pass: no two equal, none of the tests' own, all of the tests' shape, none too large."""
    calls = [Arguments(row, {}) for row in rows]
    grown = generate_inputs(calls, 12, seed="a")
    keys = [encode((each.args, each.kwargs)) for each in grown]

    assert keys == [encode((each.args, each.kwargs)) for each in generate_inputs(calls, 12, seed="a")]
    assert len({*keys, *(encode((row, {})) for row in rows)}) == len(keys) + len(
        {encode((row, {})) for row in rows}
    )
    assert all(len(each.args) == 2 and weight(each.args) <= MAX_WEIGHT for each in grown)


@given(st.lists(values, min_size=1, max_size=5))
def test_a_range_holds_what_it_was_shown(shown: list[Any]) -> None:
    """All of it."""
    taken = ValueRange()
    for value in shown:
        taken.learn(value)

    assert all(taken.holds(value) for value in shown)


@pytest.mark.parametrize(
    ("shown", "within", "beyond"),
    [
        ([3, 9], [4, 9], [-1, 10, 4.0, "4", None, True]),
        ([[1, 5], [2]], [[5, 1], [3]], [[], [6], [1, 2, 3], (1,), ["1"]]),
        (["ab", "a-b"], ["bz", "--a"], ["a", "AB", "a1", "abcd"]),
        ([{"a": 1}, {"b": 4, "c": 2}], [{"z": 3}], [{"a": 5}, {}, {"A": 1}, {1: 1}]),
        ([None, 2], [None, 2], [3, ""]),
    ],
)
def test_ranges_tell_types_and_bounds(shown: list[Any], within: list[Any], beyond: list[Any]) -> None:
    """Type by type, and inside containers."""
    taken = ValueRange()
    for value in shown:
        taken.learn(value)

    assert [value for value in within if not taken.holds(value)] == []
    assert [value for value in beyond if taken.holds(value)] == []


def test_those_within_the_range_come_first() -> None:
    """A difference on one of them is the stronger; then by size, for solutions that take long."""
    grown = generate_inputs([Arguments((n, "a b"), {}) for n in (1, 20)], 40, seed="s")
    order = [(each.beyond, each.size) for each in grown]

    assert order == sorted(order)
    assert {each.beyond for each in grown} == {False, True}


def test_what_is_empty_zero_or_one_is_tried() -> None:
    """For each parameter by its type, which chance alone would seldom find."""
    grown = generate_inputs([Arguments(([4, 5, 6], "text", 7), {})], 200, seed="s")
    seen = [{repr(each.args[place]) for each in grown} for place in range(3)]

    assert {"[]", "[4]", "[6, 5, 4]"} <= seen[0]
    assert {"''", "'t'", "'TEXT'"} <= seen[1]
    assert {"0", "1", "-1"} <= seen[2]


def test_texts_are_changed_inside() -> None:
    """A digit, a part between separators: else a text with a format would give no witness."""
    grown = {
        each.args[0]
        for each in generate_inputs([Arguments(("12:34, 5",), {}), Arguments(("7:08, 9",), {})], 60, seed="s")
    }

    assert any(
        len(text) == 8 and text[2] == ":" and text != "12:34, 5" and text[3:] == "34, 5" for text in grown
    )
    assert any(text.count(":") != 1 for text in grown)


def test_named_arguments_stay_named() -> None:
    """And nothing grows where there is nothing to grow from."""
    grown = generate_inputs([Arguments((1,), {"key": "b"})], 10, seed="s")

    assert {(len(each.args), *each.kwargs) for each in grown} == {(1, "key")}
    assert generate_inputs([], 5, seed="s") == []
    assert generate_inputs([Arguments((), {})], 5, seed="s") == []


def case(args: list[Any], **kwargs: Any) -> CallCase:
    return CallCase(
        name="c",
        level=CaseLevel.normal,
        input=CaseInput(args=args, kwargs=kwargs),
        expected=ExpectedResult(value=1),
    )


def test_own_calls_of_each_kind_of_tests() -> None:
    """Batches and cases as they are; of a program its calls of constants; a file by its path."""
    program = CallsSpec(
        entry_point="f",
        test="def check(candidate):\n    x = 3\n    assert abs(candidate(2 * 3, k=[1]) - 1) < 1\n    assert f(4)\n"
        "    assert candidate(x)\n",
    )
    levels = LevelsSpec(
        entry_point="f",
        cases=[case([{"$literal": "(1, 2)"}], k="a"), case([{"$file": "a.png"}]), case([{"a": [1]}])],
    )

    assert calls_of_tests(pairs_spec([((1,), 2)])) == [Arguments((1,), {})]
    assert calls_of_tests(program) == [Arguments((6,), {"k": [1]}), Arguments((4,), {})]
    assert calls_of_tests(levels) == [
        Arguments(((1, 2),), {"k": "a"}),
        Arguments(("/tmp/a.png",), {}),
        Arguments(({"a": [1]},), {}),
    ]


def test_a_call_as_source() -> None:
    """Whole, so that it can be pasted."""
    assert Arguments(([1, "a"],), {"key": None}).text("f") == "f([1, 'a'], key=None)"
