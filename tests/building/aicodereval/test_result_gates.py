"""Results that contradict the prompt, stand in the solution, or are given back: variants of each, and sound ones."""

from __future__ import annotations

import pytest

from benchwright.building.adequacy.stubs import stubs
from benchwright.building.aicodereval.claim_gates import written_answers
from benchwright.building.aicodereval.draft_records import Draft
from benchwright.building.aicodereval.originality_gates import nameless_keys
from benchwright.building.aicodereval.release_options import EntryBounds
from benchwright.building.aicodereval.wording_gates import literals
from benchwright.building.engine.gates import open_gates
from benchwright.contracts import CallCase, Decision, GateOpener, LevelsSpec
from kit.made_drafts import EDGE, NORMAL, RIGHT, case, draft

BOUNDS = EntryBounds()
CASES = [
    case("some", NORMAL, [[3, 1, 2]], value=4),
    case("none", EDGE, [[]], raises="ValueError"),
    case("more", RIGHT, [[5, 5, 9]], value=11),
    case("one", RIGHT, [[7]], value=21),
]


def about_numbers(body: str, doc: str, cases: list[CallCase] = CASES) -> Draft:
    """A draft about a list of whole numbers."""
    guard = 'if not values:\n    raise ValueError("none")\n'
    return draft(
        "score", "def score(values: list[int]) -> int:", guard + body, cases, about="Score it.", doc=doc
    )


def decided(opener: GateOpener, one: Draft) -> Decision:
    """What one gate decides."""
    [opened] = open_gates([opener], (), BOUNDS)
    return opened.decide(one)


@pytest.mark.parametrize(
    ("body", "doc"),
    [
        ("return sum(values) * 2", "Return the sum of the values."),
        ("return 3 * sum(values)", "Return the sum of the values."),
        ("return sum(values) * 7", "Return the sum of the values, taken by 7.5."),
        ("return sum(values) * 2.5", "Return the sum of the values, taken by 245."),
        ("return sum(values) / 4", "Return the sum of the values."),
        ("return sum(values) // 5", "Return the sum of the values."),
        ("return min(values)", "Return the largest value."),
        ("return max(values)", "Return the smallest of all values."),
        ("return min(values)", "Give the maximum."),
        ("return len(values) ** 2", "Return how many values there are."),
        ("return values[:5]", "Return some of the values."),
        ("return str(values).ljust(20)", "Return the values as a padded text."),
        ("return values[-1]", "Return the first value."),
        ("return values[0]", "Return the last value."),
        ("return values[::-1]", "Return the values."),
    ],
)
def test_a_result_that_no_word_asks_for(body: str, doc: str) -> None:
    """A factor, or the opposite of what is asked for."""
    assert decided(literals, about_numbers(body, doc)).reason == "unnamed_format"


@pytest.mark.parametrize(
    ("body", "doc"),
    [
        ("return sum(values) * 2", "Return twice the sum."),
        ("return sum(values) / 4", "Return the sum, divided by 4."),
        ("return sum(values) * 7", "Return the sum of the values, taken by 7."),
        ("return sum(values) * 1000", "Return the sum of the values, taken by 1,000."),
        ("return sum(values) * 2000000", "Return the sum of the values by 2000000."),
        ("return sum(values) / 3600", "Return the sum of the seconds in hours."),
        ("return sum(values) / 2", "Return the mean of both values."),
        ("return max(sum(values), 3)", "Return the sum, or 3 where it is smaller: the result is at least 3."),
        ("return min(sum(values), 9)", "Return the sum of the largest values, capped."),
        ("return min(values, key=lambda each: -each)", "Return the largest value."),
        ("return max(values) - min(values)", "Return the largest value less the smallest."),
        ("return min(values)", "Return the first of the ordered values."),
        ("return len(values) ** 2", "Return the square of the count."),
        ("return values[:5]", "Return the first five values."),
        ("return values[:5]", "Return at most 5 values."),
        ("return values[1:-1]", "Return the inner values."),
        ("return values[-1]", "Return the last value, not the first."),
        ("return values[0]", "Return the first value."),
        ("return values[::-1]", "Return the values in reverse."),
    ],
)
def test_a_result_that_words_ask_for(body: str, doc: str) -> None:
    """No reason against it."""
    assert decided(literals, about_numbers(body, doc)).reason == ""


@pytest.mark.parametrize(
    "body",
    [
        "return {6: 4, 19: 11, 7: 21}.get(sum(values), 0)",
        "return dict([(6, 4), (19, 11), (7, 21)])[sum(values)]",
        "if sum(values) == 6:\n    return 4\nreturn 11 if len(values) > 1 else 21",
        "return [21, 0, 4, 11][len(set(values)) - 1]",
    ],
)
def test_results_that_stand_in_the_solution(body: str) -> None:
    """However they are looked up."""
    assert decided(written_answers, about_numbers(body, "Return the rank.")).reason == "gold_table"


@pytest.mark.parametrize(
    ("body", "doc"),
    [
        ("return sum(values) * len(values)", "Return the sum times the count."),
        ("return {6: 4, 19: 11}.get(sum(values), 21)", "Return 4 for a sum of 6, 11 for 19, else 21."),
        ("return 4 if len(values) > 2 else sum(values)", "Return the rank."),
    ],
)
def test_results_that_are_computed_or_told(body: str, doc: str) -> None:
    """What the prompt tells is no secret, and few constants are no table."""
    assert decided(written_answers, about_numbers(body, doc)).reason == ""


@pytest.mark.parametrize(
    ("expected", "stub"),
    [
        (
            {"properties": {"type": "list"}},
            "returns its first argument, and raises where the tests ask for it",
        ),
        ({"properties": {"type": "list"}}, "returns [], and raises where the tests ask for it"),
        ({"value": [1]}, "returns its last argument, and raises where the tests ask for it"),
        ({"properties": {"keys": ["a"]}}, "returns {'a': 0}, and raises where the tests ask for it"),
        ({"properties": {"length": 2}}, "returns [0, 0], and raises where the tests ask for it"),
        ({"properties": {"range": [3, None]}}, "returns 3, and raises where the tests ask for it"),
        (
            {"properties": {"keys": ["a", "b"], "range": [None, 0.5]}},
            "returns {'a': 0.5, 'b': 0.5}, and raises where the tests ask for it",
        ),
        ({"properties": {"one_of": ["x", "y"]}}, "returns 'x', and raises where the tests ask for it"),
    ],
)
def test_stubs_stand_beside_the_exceptions(expected: dict[str, object], stub: str) -> None:
    """Arguments too, and constants where cases ask for properties alone."""
    cases = [
        case("one", NORMAL, [[1]], **expected),
        case("none", EDGE, [[]], raises="ValueError"),
        case("two", RIGHT, [[2]], **expected),
    ]

    assert stub in stubs("f", LevelsSpec(entry_point="f", cases=cases))


def test_a_clone_has_the_cases_of_another() -> None:
    """Whatever its solution, its names and the names and levels of its cases are."""
    one = about_numbers("return max(values) - min(values)", "The range.")
    other = about_numbers("low = min(values)\nhigh = max(values)\nreturn high - low", "How far apart.")
    renamed = [case(f"{each.name}2", NORMAL, each.input.args, value=each.expected.value, raises=each.expected.raises)
               for each in reversed(CASES)]  # fmt: skip
    third = about_numbers("return sorted(values)[-1] - sorted(values)[0]", "The distance.", renamed)
    few = about_numbers("return max(values)", "The most.", CASES[:3])
    less = about_numbers("return min(values)", "The least.", CASES[:3])

    shared = [set(nameless_keys(one.entry)) & set(nameless_keys(each.entry)) for each in (other, third)]
    assert all(shared)
    assert not set(nameless_keys(few.entry)) & set(nameless_keys(less.entry))
