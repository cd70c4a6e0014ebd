"""What a failed check says: the call's arguments, what was expected, what came, and no more than is bounded."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.judges.reasons import (
    CALL_LIMIT,
    TEST_FILE,
    VALUE_LIMIT,
    Call,
    call_text,
    failed_assert,
    shown,
    text_of,
    traceback_of,
)


def reason(test: str, value: Any, *args: Any, name: str = "f", **kwargs: Any) -> str:
    """What is said when `check` fails on a candidate that always gives `value`, after its last call."""
    calls: list[Call] = []

    def candidate(*given: Any, **named: Any) -> Any:
        calls.append(Call(len(calls) + 1, name, given, named, value))
        return value

    namespace: dict[str, Any] = {name: candidate}
    exec(compile(test, TEST_FILE, "exec"), namespace)
    with pytest.raises(AssertionError) as caught:
        namespace["check"](candidate)
    return failed_assert(caught.value, test=test, call=calls[-1] if calls else None)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_an_assert_is_found_by_the_lines_of_the_parser(end: str) -> None:
    """Also after a form feed, a separator that only `str.splitlines` knows, and text of several bytes."""
    lines = ["# \f \u2028", "def check(candidate):", "  'ж\x0b'; assert (candidate(1)", "    > 'ю' * 7), 'щ'"]
    said = reason(end.join(lines), "3", 1)

    assert said == "`assert (candidate(1) > 'ю' * 7), 'щ'` failed: call 1, f(1), gave '3': щ"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("assert candidate([1, 2], 0.5) == 4", "call 1: f([1, 2], 0.5) gave 3, expected 4"),
        ("assert 4 == candidate(key='a')", "call 1: f(key='a') gave 3, expected 4"),
        ("assert candidate(1) == 3 and candidate(2) == 4", None),
        ("assert f(1) == 4", "call 1: f(1) gave 3, expected 4"),
        ("assert candidate(1) is None", "call 1: f(1) gave 3, expected None"),
        ("assert not candidate(1)", "call 1: f(1) gave 3, expected a false value"),
        ("assert candidate(1) == 2 + 2, 'sum'", "call 1: f(1) gave 3, expected `2 + 2`: sum"),
        (
            "assert abs(candidate(1.5) - 2.0) < 1e-6",
            "`assert abs(candidate(1.5) - 2.0) < 1e-6` failed: call 1, f(1.5), gave 3",
        ),
        (
            "for want in [3, 5]: assert candidate(want) == want",
            "call 2: f(5) gave 3, expected 5",
        ),
        (
            "got = candidate(1); assert got > 7",
            "`assert got > 7` failed: the last call, call 1, f(1), gave 3; got = 3",
        ),
        ("assert (\n        candidate(1)\n        == 4)", "call 1: f(1) gave 3, expected 4"),
        ("assert 1 == 2", "`assert 1 == 2` failed"),
        ("candidate(7); raise AssertionError('no')", "an assertion failed after call 1, f(7), which gave 3: no"),
    ],
)  # fmt: skip
def test_what_failed_is_said(line: str, said: str | None) -> None:
    """Arguments, value and expectation where the assert compares a call; else the assert and its variables."""
    found = reason(f"def check(candidate):\n    {line}\n", 3)

    if said is None:
        assert found.startswith(
            "`assert candidate(1) == 3 and candidate(2) == 4` failed: call 2, f(2), gave 3"
        )
    else:
        assert found.removesuffix(": the last call, call 1, f(1), gave 3") == said


def test_two_asserts_on_a_line_are_told_apart() -> None:
    """By the column of the instruction that raised, counted in bytes."""
    found = reason(
        "def check(candidate):\n    assert 'ж' == 'ж'; assert candidate(1) == 2; assert False\n", 3
    )

    assert found == "call 1: f(1) gave 3, expected 2"


def test_an_error_from_below_the_test_is_not_pinned_on_a_line() -> None:
    """A helper of the prompt raised it, whose source the test is not."""

    def helper() -> None:
        raise AssertionError("below")

    namespace: dict[str, Any] = {"helper": helper}
    test = "def check(candidate):\n    assert helper()\n"
    exec(compile(test, TEST_FILE, "exec"), namespace)
    with pytest.raises(AssertionError) as caught:
        namespace["check"](None)

    assert failed_assert(caught.value, test=test, call=None) == "an assertion failed: below"


def test_nested_calls_are_not_mixed_up() -> None:
    """`f(f(1))` made two calls, and only the last one is known: so the assert itself is shown."""
    found = reason("def check(candidate):\n    assert candidate(candidate(1)) == 9\n", 3)

    assert found == "`assert candidate(candidate(1)) == 9` failed: call 2, f(3), gave 3"


VALUES = st.recursive(
    st.none() | st.integers() | st.text() | st.floats() | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner) | st.tuples(inner, inner),
)


@given(VALUES, st.text(max_size=500))
def test_any_value_fits(value: Any, key: str) -> None:
    """Whatever came, the text is bounded and made without an error."""
    assert len(shown(value)) <= VALUE_LIMIT
    assert len(call_text("f", (value, value), {key: value})) <= CALL_LIMIT


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("x" * 10_000, "xxx..."),
        (10**5000, "too large to show"),
        (range(10**12), "range(0, 1000000000000)"),
    ],
    ids=["text", "integer", "range"],
)
def test_large_values_are_named(value: Any, said: str) -> None:
    """The beginning, or what it is."""
    assert said in shown(value) or "..." in shown(value)
    assert len(shown(value)) <= VALUE_LIMIT


def test_a_deep_value_is_cut() -> None:
    """By level, before anything recurses."""
    deep: Any = 1
    for _ in range(5000):
        deep = [deep]

    assert shown(deep) == "[[[[[[[[[...]]]]]]]]]"


def test_an_error_without_a_text() -> None:
    """An integer of too many digits cannot be printed; the reason says so instead of failing."""
    assert text_of(AssertionError(10**5000)) == "(its text cannot be shown)"


def test_a_traceback_has_the_line_of_the_program():
    """Bounded and escaped; a line that the program lacks is named and not shown."""
    program = "def f(x):\n    \x1b[31mreturn 1 / x" + "0" * 1000
    shown = traceback_of("ZeroDivisionError: no (line 2)", program).split("\n")

    assert [*shown[:2], shown[3]] == [
        "Traceback (most recent call last):",
        '  File "<solution>", line 2',
        "ZeroDivisionError: no",
    ]
    assert (shown[2].startswith("    \\x1b[31mreturn 1 / x0"), len(shown[2]) < 220) == (True, True)
    assert traceback_of("E: no (line 99)", program).split("\n")[1:] == [
        '  File "<solution>", line 99',
        "E: no",
    ]
    assert traceback_of("SystemExit: 1", program) == "SystemExit: 1"
