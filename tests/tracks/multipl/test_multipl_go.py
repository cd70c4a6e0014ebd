"""Go: the answer's file and the tests' file, which together replace one file of MultiPL-E."""

from __future__ import annotations

import doctest

import pytest

from benchwright.contracts import ServedSpec
from benchwright.sandbox.codec import decode
from benchwright.tracks.multipl import forms
from benchwright.tracks.multipl.forms import open_braces, without_last_braces
from benchwright.tracks.multipl.go import ANSWER, GO, TESTS
from kit.multipl_rows import GO_BODY, GO_PROMPT, GO_TESTS

PARTS = GO.read(GO_PROMPT, GO_TESTS)


def test_each_line_keeps_its_number() -> None:
    """Compiler messages on an answer have the line numbers of MultiPL-E's file."""
    made, joined = GO.continued(PARTS, GO_BODY).splitlines(), (GO_PROMPT + GO_BODY).splitlines()

    assert len(made) == len(joined)
    assert made[6:] == joined[6:]
    assert (made[0], made[5]) == ("package answer", "); var (_ testing.TB; _ = fmt.Sprint)")


def test_a_test_of_another_form_is_a_file_of_its_own() -> None:
    """It has its own imports and a random name, and contains no expected values."""
    spec = GO.spec(GO.read(GO_PROMPT, GO_TESTS.replace("expected: 3", "expected: 1 + 2")))
    text = spec.suite.files[TESTS]

    assert not isinstance(spec, ServedSpec)
    assert list(spec.suite.files) == [TESTS]
    assert "candidate([]int{1, 2}), expected: 1 + 2" in text
    assert "Errorf" not in text
    assert text.startswith('package answer\n\nimport (\n    "testing"\n    "fmt"\n)\n')
    assert text.endswith("\nfunc TestTotal_Of(t *testing.T) {}\n")
    assert (spec.suite.focal, spec.suite.lang) == (ANSWER, "Go")
    assert spec.drawn == {spec.suite.cases[0]: "TestTotal_Of"}


def test_calls_leave_no_value_beside_the_answer() -> None:
    """The code compiled with the answer has only the types of the arguments."""
    spec = GO.spec(PARTS)

    assert isinstance(spec, ServedSpec)
    assert spec.suite.cases == []
    assert "candidate([]int{})" in spec.suite.files[TESTS]
    assert "1, 2" not in spec.suite.files[TESTS]
    assert [decode(each) for each in spec.calls] == [[("[]int", [])], [("[]int", [1, 2])]]
    assert [[decode(each) for each in replies] for replies in spec.expected] == [[b"0"], [b"3"]]


@pytest.mark.parametrize(
    "imports",
    [
        'import "strings"\n',
        'import (\n\t"testing"\n\t"strings"\n)\n',
        'import "fmt"\nimport "strings" // why\n',
    ],
)
def test_a_whole_file_brings_its_imports(imports: str) -> None:
    """Each import occurs once, below one package clause."""
    code = f"// Sums.\npackage main\n\n{imports}\nfunc total_of(numbers []int) int {{\n{GO_BODY}"
    made = GO.whole(PARTS, code)

    assert made.count('"strings"') == made.count('"fmt"') == made.count('"testing"') == 1
    assert made.count("package ") == 1
    assert made.count("import") == 1
    assert GO_BODY in made


def test_what_defines_the_function() -> None:
    """The definition is at the top level, with parameters of types or values; a call or another name does not
    count."""
    assert GO.defines("x\nfunc total_of(n []int) int {", "total_of")
    assert GO.defines("func total_of[T any](n []T) T {", "total_of")
    assert not any(
        GO.defines(code, "total_of")
        for code in ("func total_offs() {", "return total_of(n)", "// func total_of(")
    )


@pytest.mark.parametrize("body", ["    return 1", "    return 1\n}", "    if x {\n    }\n    return 1\n}\n"])
def test_a_body_is_closed_once(body: str) -> None:
    """Models write or omit the last brace."""
    assert open_braces(GO.closed(PARTS, body)) == 0


def test_braces_in_texts_and_comments_close_nothing() -> None:
    """Only braces of the code count."""
    assert open_braces("a { \"}\" '}' `}` // }\n /* } */ }") == 0
    assert open_braces('s := "\\"}"') == 0
    assert without_last_braces("a } b } ", 1) == "a } b "
    assert without_last_braces("a } b } ", 0) == "a } b } "


def test_the_example_of_braces_holds() -> None:
    """Executes the example of the documentation."""
    result = doctest.testmod(forms)

    assert (result.failed, result.attempted > 0) == (0, True)
