"""Literals of both languages: types, refusals, and proof that Go prints them as assumed here."""

from __future__ import annotations

import doctest
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.sandbox.codec import decode
from benchwright.tracks.multipl import go_calls
from benchwright.tracks.multipl.forms import UnconvertibleTest
from benchwright.tracks.multipl.java import java_calls
from benchwright.tracks.multipl.java_values import JavaReading
from kit.multipl_rows import GO_TESTS


def go_test(*rows: str) -> str:
    """Return a test with these rows."""
    before, _, after = GO_TESTS.partition("   tests := []test{\n")
    lines = "\n".join(f"     {row}" for row in rows)
    return f"{before}   tests := []test{{\n{lines}\n{after[after.index('   }') :]}"


def go_row_of(arguments: str, expected: str) -> tuple[Any, bytes, str]:
    """Return the request, the reply and the form of one row."""
    test = go_test(f"{{ actual: candidate({arguments}), expected: {expected} }},")
    (call,) = go_calls.go_calls(test, name="total_of", case="TestTotal_Of")
    return decode(call.request), decode(call.replies[0]), call.form


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("3", b"3"),
        ("-3", b"-3"),
        ("3.0", b"3"),
        ("0.1", b"0.1"),
        ("100000000000000000000.0", b"100000000000000000000"),
        ("1e21", b"1e+21"),
        ("0.00001", b"1e-05"),
        ("0.0001", b"0.0001"),
        ("-0.0", b"0"),
        ("true", b"true"),
        ("nil", b"<nil>"),
        ('"a, } b"', b"a, } b"),
        (r'"\n\"é"', '\n"é'.encode()),
        ("[]int{}", b"[]"),
        ("[]float64{1, 2.5}", b"[1 2.5]"),
        ('[][]string{[]string{}, []string{"a", "b"}}', b"[[] [a b]]"),
        ('map[string]int{"b": 1, "a": 2}', b"map[a:2 b:1]"),
        ("map[int]int{10: 1, 9: 2, -1: 3}", b"map[-1:3 9:2 10:1]"),
        ('[]interface{}{1, 2.0, "x", nil, []interface{}{true}}', b"[1 2 x <nil> [true]]"),
    ],
)
def test_what_go_prints_of_a_literal(written: str, text: bytes) -> None:
    """Both sides of the published tests are compared in the format `%v`."""
    assert go_row_of("1", written)[1] == text


def test_what_a_go_program_is_sent() -> None:
    """Types are sent as written, constants without a type, and a form without values."""
    arguments = '[]float64{1, 2}, -7, 0.5, nil, map[string]interface{}{"k": []int{1}}'
    request, _, form = go_row_of(arguments, "0")

    assert request == [
        ("[]float64", [1.0, 2.0]),
        ("", -7),
        ("", 0.5),
        ("", None),
        ("map[string]interface{}", [("k", ("[]int", [1]))]),
    ]
    assert form == "candidate([]float64{}, 1, 1.5, nil, map[string]interface{}{})"


@pytest.mark.parametrize(
    "written",
    [
        "1 + 2",
        "f(1)",
        "[]int{1.5}",
        "[]int{[]int{}}",
        "[][]int{[]interface{}{1}}",
        "[]int{1 2}",
        "9223372036854775808",
        "0x10",
        "017",
        "'a'",
        "`a`",
        r'"\x41"',
        r'"\u12"',
        'map[string]int{"a": 1, "a": 2}',
        "map[[]int]int{}",
        "[2]int{1, 2}",
        "int{}",
        "1 }, { actual: candidate(2), expected: 3",
        "[]int{" * 30 + "}" * 30,
    ],
)
def test_other_literals_of_go_stay_tests(written: str) -> None:
    """Literals that Go refuses, computes or may print differently."""
    with pytest.raises(UnconvertibleTest):
        go_row_of("1", written)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"%v", tc.actual', '"%d", tc.actual'),
        ("candidate := total_of", "candidate := other"),
        ("t.Run", "go t.Run"),
    ],
)
def test_a_test_that_does_otherwise_stays_one(old: str, new: str) -> None:
    """The code around the rows must be exactly MultiPL-E's."""
    with pytest.raises(UnconvertibleTest):
        go_calls.go_calls(GO_TESTS.replace(old, new), name="total_of", case="TestTotal_Of")


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_is_read_back_as_itself(value: float) -> None:
    """The shortest text is used, in either of its two forms."""
    text = go_calls.shown("float64", value)

    assert float(text) == value
    assert len(text.replace("e", "").replace("+", "")) <= 340


def test_the_examples_of_go_values_hold() -> None:
    """Executes the examples of the documentation."""
    assert doctest.testmod(go_calls).failed == 0


def java_value(text: str) -> tuple[str, Any]:
    """Return type and value of an expression."""
    reading = JavaReading(text)
    found = reading.value()
    reading.end()
    return found.type.text(), found.value


@pytest.mark.parametrize(
    ("written", "kind", "value"),
    [
        ("(5l)", "long", 5),
        ("-5l", "long", -5),
        ("5", "int", ("Integer", 5)),
        ("(float)-1l", "float", ("Float", -1.0)),
        ("0.1f", "float", ("Float", 0.10000000149011612)),
        ("0.1", "double", 0.1),
        ('("a\\n(\\")")', "java.lang.String", 'a\n(")'),
        (
            "(new ArrayList<Long>(Arrays.asList((long)1l, (long)2l)))",
            "java.util.ArrayList<java.lang.Long>",
            [1, 2],
        ),
        (
            "new ArrayList<Object>(Arrays.asList(4l, 2.5f))",
            "java.util.ArrayList<java.lang.Object>",
            [4, ("Float", 2.5)],
        ),
        (
            'new HashMap<String,Long>(Map.of("b", 1l, "a", 2l))',
            "java.util.HashMap<java.lang.String, java.lang.Long>",
            ("Map", ("a", 2), ("b", 1)),
        ),
        ("Pair.with(1l, true)", "org.javatuples.Pair<java.lang.Long, java.lang.Boolean>", ("Pair", 1, True)),
        ("Optional.of(2l)", "java.util.Optional<java.lang.Long>", ("Optional", 2)),
        ("Optional.empty()", "java.util.Optional<?>", ("Optional",)),
        ("new HashMap<Long,Long>()", "java.util.HashMap<java.lang.Long, java.lang.Long>", ("Map",)),
    ],
)
def test_what_a_java_expression_is(written: str, kind: str, value: Any) -> None:
    """Its type has full names, and its value is the one that is sent."""
    assert java_value(written) == (kind, value)


@pytest.mark.parametrize(
    "written",
    [
        "1l + 1l",
        "f(1l)",
        "new Object(1l)",
        "new ArrayList<Long>(Arrays.asList(1))",
        "new ArrayList<Long>(Arrays.asList((float)1.0f))",
        "new ArrayList<Long>(Map.of())",
        "new ArrayList<long>(Arrays.asList())",
        "Arrays.asList(Arrays.asList(1l))",
        "Pair.with(1l, 2l, 3l)",
        'new HashMap<String,Long>(Map.of("a", 1l, "a", 2l))',
        "new HashMap<Long,Long>(Map.of(" + ", ".join(f"{n}l, 1l" for n in range(11)) + "))",
        "(ArrayList<Long>)new ArrayList<String>(Arrays.asList())",
        "(Pair<Long, Long, Long>)Pair.with(1l, 2l)",
        "(Optional<Long>)Optional.empty()",
        "99999999999999999999l",
        "3000000000",
        r'"\u0041"' + "x",
        "'a'",
        "null",
    ],
)
def test_what_javac_refuses_or_computes_stays_a_test(written: str) -> None:
    """A row that no answer passes in MultiPL-E passes with none here either."""
    with pytest.raises(UnconvertibleTest):
        java_value(written)


@pytest.mark.parametrize(
    ("condition", "replies"),
    [
        ("f((1l)) == (5l)", [5.0, ("Float", 5.0), 5]),
        ("f((1l)) == (5)", [5.0, ("Float", 5.0), 5, ("Integer", 5)]),
        ("f((1l)) == (0.1f)", [0.10000000149011612, ("Float", 0.10000000149011612)]),
        ("f((1l)) == (true)", [True]),
        ("f((1l)).size() == (2)", [2.0, ("Float", 2.0), 2, ("Integer", 2)]),
        ('f((1l)).equals(("a"))', ["a"]),
    ],
)
def test_what_a_condition_expects(condition: str, replies: list[Any]) -> None:
    """For `==` all values that compare equal, after the promotion of both sides."""
    (call,) = java_calls([condition], function="Problem.f", parameters="long n")

    assert [decode(each) for each in call.replies] == replies


@pytest.mark.parametrize(
    "condition",
    [
        "f((1l))",
        "!f((1l))",
        "f((1l)).equals((5l))",
        'f((1l)) == ("a")',
        "Math.abs(f((1l)) - (2.0f)) < 1e-6",
        "f((1l)) < (2l)",
        "f((1l)).get(0) == (2l)",
        "g((1l)) == (2l)",
        "f((1l)) == (2l) || true",
        "f(Optional.empty()) == (2l)",
    ],
)
def test_other_conditions_stay_checks(condition: str) -> None:
    """One of them is enough for a whole row."""
    with pytest.raises(UnconvertibleTest):
        java_calls([condition], function="Problem.f", parameters="long n")


def test_a_type_that_is_inferred_is_the_parameters() -> None:
    """The type is taken from the prompt if it has one of that form."""
    (call,) = java_calls(
        ["f(Optional.empty(), (1l)) == (2l)"], function="Problem.f", parameters="Optional<Long> a, long b"
    )

    assert "(java.util.Optional<java.lang.Long>) given[0], (long) given[1]" in call.form
