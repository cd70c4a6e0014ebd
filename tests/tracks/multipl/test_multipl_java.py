"""Java: the class of an answer and the class of checks, which together replace one class of MultiPL-E."""

from __future__ import annotations

import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.contracts import ServedSpec
from benchwright.lang.source import cases
from benchwright.sandbox.codec import decode
from benchwright.tracks.multipl import java
from benchwright.tracks.multipl.forms import open_braces
from benchwright.tracks.multipl.java import JAVA, closing, value_first
from kit.multipl_rows import JAVA_BODY, JAVA_PROMPT, JAVA_TESTS

PARTS = JAVA.read(JAVA_PROMPT, JAVA_TESTS)
OTHER = JAVA.read(JAVA_PROMPT, JAVA_TESTS.replace("== (1)", "< (2)"))
LIST = "(new ArrayList<Long>(Arrays.asList()))"


def test_each_java_line_keeps_its_number() -> None:
    """The package is on the first line, before the prompt's code in that line."""
    made, joined = JAVA.continued(PARTS, JAVA_BODY).splitlines(), (JAVA_PROMPT + JAVA_BODY).splitlines()

    assert made[0] == f"package answer; {joined[0]}"
    assert made[1 : len(joined)] == joined[1:]
    assert made[len(joined) :] == ["    }", "", "}"]


def test_asserts_of_another_form_become_checks_that_ask_the_value() -> None:
    """The order is kept; a condition that does not use a result of the function is unchanged."""
    spec = JAVA.spec(OTHER)
    text = spec.suite.files[spec.suite.test]
    checks = [line.strip() for line in text.splitlines() if "AssertionError" in line]
    thrown = 'throw new AssertionError("not the expected value");'

    assert not isinstance(spec, ServedSpec)
    assert spec.drawn == {"ProblemTest": "ProblemTest"}
    assert checks[0] == f"if (!(({LIST}).equals(oddOnes({LIST})))) {thrown}"
    assert checks[1].startswith("if (!(((new ArrayList<Long>(Arrays.asList((long)1l)))).equals(oddOnes(")
    assert (
        checks[2] == f"if (!(oddOnes((new ArrayList<Long>(Arrays.asList((long)3l)))).size() < (2))) {thrown}"
    )
    assert "assert(" not in text
    assert "import static answer.Problem.oddOnes;" in text


def test_the_case_is_the_one_that_a_trusted_parse_finds() -> None:
    """A complete report must contain it."""
    suite = JAVA.spec(OTHER).suite

    assert [case.name for case in cases(suite.files[suite.test], "Java")] == suite.cases
    assert suite.cases == ["ProblemTest#asserts"]


def test_calls_leave_no_value_beside_a_class() -> None:
    """The code compiled with the answer has the types of the arguments, and of values compared with `==`."""
    spec = JAVA.spec(PARTS)
    assert isinstance(spec, ServedSpec)
    source = spec.suite.files[spec.suite.test]

    assert "Problem.oddOnes((java.util.ArrayList<java.lang.Long>) given[0])" in source
    assert ".size()" in source
    assert not any(digit in source for digit in ("1l", "2l", "3l", "(1)"))
    assert [decode(each) for each in spec.calls] == [(0, [[]]), (0, [[1, 2]]), (1, [[3]])]
    assert [decode(spec.expected[0][0]), decode(spec.expected[1][0])] == [[], [1]]
    assert 1 in [decode(each) for each in spec.expected[2]]


@pytest.mark.parametrize(
    "condition",
    [
        "f(1) == (2)",
        "f(1).equals(2) || true",
        "g(f(1).equals(2))",
        "f(1).equals(2).equals(3)",
        "f(1",
        'f(").equals(2)")',
        "ff(1).equals(2)",
    ],
)
def test_another_condition_stays(condition: str) -> None:
    """Only an equality test of a result with a value is reversed."""
    assert value_first(condition, "f") == condition


@given(st.text('()"\\', max_size=6), st.text("ab(), 1.", max_size=8))
def test_a_bracket_is_closed_where_java_closes_it(quoted: str, plain: str) -> None:
    """Strings between brackets are skipped by Java's rules of quoting."""
    literal = '"' + quoted.replace("\\", "\\\\").replace('"', '\\"') + '"'
    inner = f"{literal}, {plain.replace('(', '').replace(')', '')}, ({literal})"

    assert closing(f"({inner}) )", 0) == len(inner) + 1
    assert value_first(f"f({inner}).equals({literal})", "f") == f"({literal}).equals(f({inner}))"


@pytest.mark.parametrize("ending", ["", "\n    }", "\n    }\n}", "\n    }\n}\n\n"])
def test_a_java_body_is_closed_once(ending: str) -> None:
    """Models write the braces of the method and the class, or one of them, or none."""
    assert open_braces(JAVA.closed(PARTS, JAVA_BODY + ending)) == 0


@pytest.mark.parametrize("head", ["public class Problem {\n", "class Problem {\n", ""])
def test_a_whole_class_or_a_method_makes_one_class(head: str) -> None:
    """Imports are those of the prompt and of the answer."""
    method = f"    public static ArrayList<Long> oddOnes(ArrayList<Long> numbers) {{\n{JAVA_BODY}\n    }}\n"
    code = f"package mine;\nimport java.util.*;\nimport java.util.function.Function;\n{head}{method}"
    made = JAVA.whole(PARTS, code + ("}\n" if head else ""))

    assert made.count("class Problem {") == made.count("package ") == 1
    assert made.count("import java.util.*;") == made.count("import java.util.function.Function;") == 1
    assert open_braces(made) == 0


def test_what_defines_the_method() -> None:
    """A declaration with a type before the name; a call does not count, even with a brace after it."""
    assert JAVA.defines("static ArrayList<Long> oddOnes(ArrayList<Long> n) {", "oddOnes")
    assert JAVA.defines("public static long[] oddOnes(long n)\n throws Exception {", "oddOnes")
    assert not JAVA.defines("if (oddOnes(n)) {", "oddOnes")
    assert not JAVA.defines("return oddOnes(n); }  static void g() {", "oddOnes")


def test_the_example_of_turning_round_holds() -> None:
    """Executes the example of the documentation."""
    result = doctest.testmod(java)

    assert (result.failed, result.attempted > 0) == (0, True)
