"""A body of plain asserts is read as data; any other body is refused with the reason."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.tracks.python_source import AssertCase, NotData, Reason, find_check, read_cases
from kit.examples import examples


def check(*lines: str, before: str = "") -> str:
    """Return a test whose `check` has these lines."""
    return before + "def check(candidate):\n" + "".join(f"    {line}\n" for line in lines)


def refuse(test: str) -> NotData:
    """Return the reason why a test is not data."""
    with pytest.raises(NotData) as caught:
        read_cases(test)
    return caught.value


@pytest.mark.parametrize(
    ("line", "args", "kwargs", "expected"),
    [
        ("assert candidate(1) == 2", (1,), {}, 2),
        ("assert 2 == candidate(1)", (1,), {}, 2),
        ("assert (candidate(1)) == (2), 'message'", (1,), {}, 2),
        ("assert candidate(1) == 2, f'{candidate(1)}'", (1,), {}, 2),
        ("assert candidate() is True", (), {}, True),
        ("assert None is candidate()", (), {}, None),
        ("assert candidate('()')", ("()",), {}, True),
        ("assert not candidate([1], -2)", ([1], -2), {}, False),
        ("assert candidate(3 * 5, b=[0] * 2) == 'a' * 3", (15,), {"b": [0, 0]}, "aaa"),
        ("assert candidate({1: {2}}) == (1, {}, set())", ({1: {2}},), {}, (1, {}, set())),
    ],
)
def test_each_spelling_of_an_equality_is_read(
    line: str, args: tuple[Any, ...], kwargs: dict[str, Any], expected: Any
) -> None:
    """Sides may be swapped, truth may be implicit, and messages are ignored."""
    case = read_cases(check(line))[0]

    assert (AssertCase(args, kwargs, expected, 2), type(expected)) == (case, type(case.expected))


def test_what_states_nothing_is_passed_over() -> None:
    """Docstrings, comments, prints, imports and true asserts are in most tests."""
    test = check(
        "'''Checks.'''",
        "# Simple cases",
        "import math",
        "print('hello', 1)",
        "print",
        "pass",
        "assert True, 'This prints if this assert fails 1 (good for debugging!)'",
        "assert candidate(1) == 1",
        before="'''A module.'''\nimport random\nMETADATA = {\n    'author': 'x'\n}\n\n",
    )

    assert [case.expected for case in read_cases(test)] == [1]


def test_the_parameter_may_have_another_name() -> None:
    """The name is read, not assumed."""
    cases = read_cases("def check(f):\n    assert f(1) == 1\n")

    assert [case.args for case in cases] == [(1,)]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("for x in [1, 2]: assert candidate(x) == x", Reason.loop),
        ("while True: assert candidate(1) == 1", Reason.loop),
        ("x = 1", Reason.statement),
        ("candidate(1)", Reason.statement),
        ("print(candidate(1))", Reason.statement),
        ("if True: assert candidate(1) == 1", Reason.statement),
        ("return", Reason.statement),
        ("def helper(): pass", Reason.statement),
        ("with open('x') as f: assert candidate(1) == 1", Reason.statement),
        ("assert abs(candidate(1.0) - 0.5) < 1e-6", Reason.tolerance),
        ("assert 1e-6 > abs(candidate(1.0) - 0.5)", Reason.tolerance),
        ("assert tuple(candidate([1])) == (1,)", Reason.nested),
        ("assert candidate(1)[0] == 1", Reason.nested),
        ("assert candidate(1) == candidate(2)", Reason.nested),
        ("assert candidate(1) == 1 and candidate(2) == 2", Reason.nested),
        ("assert all([candidate(1)])", Reason.nested),
        ("assert candidate(1) != 2", Reason.comparison),
        ("assert candidate(1) < 2", Reason.comparison),
        ("assert candidate(1) in [1, 2]", Reason.comparison),
        ("assert candidate(1) is 2", Reason.comparison),
        ("assert candidate(1) is not None", Reason.comparison),
        ("assert 1 == candidate(1) == 1", Reason.comparison),
        ("assert 1 == 1", Reason.unrelated),
        ("assert x", Reason.unrelated),
        ("assert False", Reason.unrelated),
        ("assert candidate(x) == 1", Reason.not_constant),
        ("assert candidate(1) == str(1)", Reason.not_constant),
        ("assert candidate(*[1]) == 1", Reason.not_constant),
        ("assert candidate(**{'a': 1}) == 1", Reason.not_constant),
        ("assert candidate(candidate(1)) == 1", Reason.not_constant),
        ("assert candidate([0] * 10 ** 9) == 1", Reason.not_constant),
        ("assert candidate(lambda: 1) == 1", Reason.not_constant),
        ("pass", Reason.no_asserts),
        ("assert True", Reason.no_asserts),
    ],
)
def test_each_program_is_refused_with_its_reason(line: str, reason: Reason) -> None:
    """The error has the line of the test for its author."""
    error = refuse(check(line))

    assert (reason, True) == (error.reason, error.line in (1, 2))


@pytest.mark.parametrize(
    ("test", "reason"),
    [
        ("def check(candidate:", Reason.unparsable),
        ("\0", Reason.unparsable),
        ("", Reason.no_check),
        ("def verify(candidate): pass", Reason.no_check),
        ("def check(): pass", Reason.no_check),
        ("def check(a, b): pass", Reason.no_check),
        ("def check(*a): pass", Reason.no_check),
        ("@decorate\n" + check("pass"), Reason.no_check),
        ("async def check(candidate): pass", Reason.no_check),
        (check("pass") * 2, Reason.no_check),
        ("class Test:\n    def check(candidate): pass", Reason.no_check),
        (check("pass", before="x = 1\n"), Reason.top_level),
        (check("pass", before="def helper(): pass\n"), Reason.top_level),
        (check("pass") + "check(f)\n", Reason.top_level),
    ],
)
def test_a_module_that_is_more_than_a_check_is_refused(test: str, reason: Reason) -> None:
    """A helper or a second `check` could change the meaning of an assert."""
    assert reason is refuse(test).reason


def test_values_that_are_too_large_together_are_refused() -> None:
    """Many small values add up to a large one."""
    lines = ["assert candidate([0] * 40000) == 1"] * 50

    assert "too large" in refuse(check(*lines)).detail


def test_a_check_is_found_beside_other_imports() -> None:
    """`find_check` returns the function itself."""
    assert find_check("import math\n" + check("x = math.pi")).name == "check"


PARTS = [
    *"()[]{}=,:.1+-*'\n ",
    "assert ",
    "candidate",
    "check",
    "def ",
    " == ",
    "not ",
    " is ",
    "None",
    "print",
]


@given(st.lists(st.sampled_from(PARTS), max_size=15).map("".join))
@settings(max_examples=examples(80))
def test_any_text_is_data_or_is_refused(text: str) -> None:
    """No other exception is raised for any text."""
    try:
        actual: object = read_cases(check(text))
    except NotData as error:
        actual = [error.reason]

    assert actual
