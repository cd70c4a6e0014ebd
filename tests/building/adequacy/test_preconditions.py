"""Promises: what a prompt says of its inputs and all tests keep, and nothing that only one of the two says."""

from __future__ import annotations

import pytest
from msgspec import structs

from benchwright.building.adequacy.examination_records import SolvedTask
from benchwright.building.adequacy.generated_inputs import Arguments
from benchwright.building.adequacy.preconditions import Preconditions
from benchwright.contracts import BatchSpec
from benchwright.sandbox.codec import encode


def task(prompt: str, *values: object) -> SolvedTask:
    """A task of one parameter whose tests show these values."""
    calls = encode([((value,), {}) for value in values])
    spec = BatchSpec(entry_point="f", calls=calls, expected=[encode(1)] * len(values))
    return SolvedTask(unit="a", revision="r", prompt=prompt, entry_point="f", gold="", spec=spec)


@pytest.mark.parametrize(
    ("prompt", "values", "other", "kept"),
    [
        ("a sorted list", ([1, 2], [3, 4, 4]), [2, 1], False),
        ("a sorted list", ([1, 2], [3, 4, 4]), [1, 5], True),
        ("a list", ([1, 2], [3, 4, 4]), [2, 1], True),
        ("return it sorted", ([2, 1], [3, 4]), [9, 1], True),
        ("a sorted list", ([1, 2],), [2, 1], True),
        ("distinct numbers", ([1, 3, 2], [3, 4]), [2, 2], False),
        ("nested parentheses", ("(())", "()[]"), "(()", False),
        ("nested parentheses", ("(())", "()[]"), "([])", True),
        ("nested parentheses", ("(())", "())"), ")(", True),
        ("a sorted list", ([1, "a"], [3, 4]), [2, 1], True),
    ],
)
def test_a_promise_needs_the_prompt_and_every_test(
    prompt: str, values: tuple[object, ...], other: object, kept: bool
) -> None:
    """What the prompt never names may be a gap in the tests, and what a test breaks is none."""
    assert Preconditions(task(prompt, *values)).are_kept(Arguments((other,), {})) is kept


@pytest.mark.parametrize(
    ("prompt", "values", "other", "kept"),
    [
        ("an array of positive integers", ([1, 2], [3]), [0, 2], False),
        ("an array of positive integers", ([1, 2], [-3]), [0, 2], True),
        ("is the sum positive", ([1, 2], [3]), [-1, 2], True),
        ("a list of non-negative numbers", ([0, 2], [3]), [-1], False),
        ("a list of non-negative numbers", ([0, 2], [3]), [0], True),
        ("a non negative integer", (0, 7), -1, False),
        ("a natural number", (1, 7), 0, False),
        ("список положительных целых чисел", ([1, 2], [3]), [0], False),
        ("a word of lowercase letters", ("ab", "c"), "aB", False),
        ("in upper case", ("AB", "C"), "aB", False),
        ("the day, as mm-dd-yyyy", ("03-11-2000", "12-01-1999"), "3-11-2000", False),
        ("the day, as mm-dd-yyyy", ("03-11-2000", "12-01-1999"), "04-12-2001", True),
        ("whether it is mm-dd-yyyy", ("03-11-2000", "x"), "3-11-2000", True),
        ("a time, HH:MM", ("10:20", "23:59"), "1:20", False),
        ("a day (dd.mm.yyyy)", ("01.02.2003", "04.05.2006"), "01-02-2003", False),
        ("a word", ("ab", "cd"), "é", False),
        ("a word", ("ab", "é"), "ü", True),
    ],
)
def test_words_and_formats_limit_inputs(
    prompt: str, values: tuple[object, ...], other: object, kept: bool
) -> None:
    """The sign of numbers, the case of letters, dates and times; letters of ASCII where there are no others."""
    assert Preconditions(task(prompt, *values)).are_kept(Arguments((other,), {})) is kept


@pytest.mark.parametrize(
    ("head", "prompt", "values", "other", "kept"),
    [
        ("x: int", "", (1, 2), True, False),
        ("x: int", "", (1, 2), 3.0, False),
        ("x: float", "", (1.0, 2.5), 3, True),
        ("x: List[int]", "", ([1], [2]), [1.5], False),
        ("x: list[str]", "", (["a"], ["b"]), "ab", False),
        ("x: typing.Dict[str, int]", "", ({"a": 1}, {"b": 2}), {"a": None}, False),
        ("x: Optional[str]", "", ("a", None), None, True),
        ("x: int | None", "", (1, None), "a", False),
        ("x: Matrix", "", (1, 2), "a", True),
        ("x: int", "", (1, 2.5), 3.0, True),
        ("x", "where 1 <= x <= 100", (1, 50), 101, False),
        ("x", "where 1 <= x <= 100", (1, 50), 99, True),
        ("x", "x is less than 10.", (1, 5), 11, False),
        ("x", "x numbers are at least 2", (2, 5), 1, False),
        ("x", "x between 1 and 9", (2, 5), 10, False),
        ("x", "the max is 10", (2, 5), 11, True),
    ],
)
def test_hints_and_bounds_limit_inputs(
    head: str, prompt: str, values: tuple[object, ...], other: object, kept: bool
) -> None:
    """By position and by name; a hint that a test breaks, or that is nobody's type, binds nothing."""
    given = structs.replace(task(prompt, *values), gold=f"def f({head}):\n    return x\n")

    assert Preconditions(given).are_kept(Arguments((other,), {})) is kept


@pytest.mark.parametrize("body", ["return sum(range(x))", "return 7 % x", "return [0 for _ in range(1, x)]"])
def test_what_counts_is_not_negative(body: str) -> None:
    """A parameter in `range` or behind `%`, unless a test is negative."""
    gold = f"def f(x):\n    {body}\n"
    positive, mixed = task("", 3, 4), task("", 3, -4)

    assert not Preconditions(structs.replace(positive, gold=gold)).are_kept(Arguments((-1,), {}))
    assert Preconditions(structs.replace(mixed, gold=gold)).are_kept(Arguments((-1,), {}))
