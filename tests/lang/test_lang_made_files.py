"""Cases and cutting on test files made by hypothesis: what is in them is known, because a test put it there.

Each case holds a word of its own (`mark_3`), and so does each helper (`help_2`), so a test can say what must be
left of a file without parsing it.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.lang.languages import LANGUAGES
from benchwright.lang.protocol import Case
from benchwright.lang.source import cases, imports, only_case, syntax_fault, tags


class Made(NamedTuple):
    """A test file: its code, its cases by name with the mark of each, and the marks of its helpers."""

    lang: str
    code: str
    cases: dict[str, str]
    helpers: list[str]


class Piece(NamedTuple):
    """A definition of a file: its lines, and the case that it is, if it is one."""

    text: str
    case: str = ""
    mark: str = ""


GAPS = st.sampled_from(["\n", "\n\n", "\n\n\n", "\n\n\n\n\n"])
_REMARKS = st.sampled_from(["", "# a remark\n", "# two\n# lines\n"])


def _python_case(number: int, remark: str, style: int) -> Piece:
    mark = f"mark_{number}"
    body = [
        f"    {mark} = 1\n    assert {mark} == 1\n",
        f'    """Says {mark}."""\n    assert True\n',
        f"    text = '''\n\n\n{mark}\n'''\n    assert text\n",
        f"    if True:\n        {mark} = [\n            1,\n\n        ]\n    assert {mark}\n",
    ][style]
    decorator = "@pytest.mark.slow\n" if style == 1 else ""
    prefix = "async " if style == 2 else ""
    return Piece(f"{remark}{decorator}{prefix}def test_{number}():\n{body}", f"test_{number}", mark)


def _python_class(number: int, count: int, gap: str) -> list[Piece]:
    """A class of several cases with a set-up; each of its cases is a piece for the file's table alone."""
    name = f"TestClass{number}"
    marks = [f"mark_{number}_{index}" for index in range(count)]
    methods = [f"    def test_{index}(self):\n        assert '{mark}'\n" for index, mark in enumerate(marks)]
    setup = f"    def setup_method(self):\n        self.help_{number} = 1\n"
    text = f"class {name}:\n" + gap.join([setup, *methods])
    cases = [Piece("", f"{name}::test_{index}", mark) for index, mark in enumerate(marks)]
    return [Piece(text), *cases]


def _python_helper(number: int) -> Piece:
    return Piece(f"def help_{number}():\n    return {number}\n", mark=f"help_{number}")


@st.composite
def python_files(draw: st.DrawFn) -> Made:
    """Functions, classes and helpers in any order, with gaps of any width between them."""
    pieces: list[Piece] = []
    for number in range(draw(st.integers(1, 5))):
        kind = draw(st.sampled_from(["case", "case", "class", "helper"])) if number else "case"
        if kind == "case":
            pieces.append(_python_case(number, draw(_REMARKS), draw(st.integers(0, 3))))
        elif kind == "class":
            gap = draw(st.sampled_from(["", "\n", "\n\n"]))
            pieces += _python_class(number, draw(st.integers(1, 3)), gap)
        else:
            pieces.append(_python_helper(number))
    return _joined(draw, "Python", "import os\nimport pytest\n", pieces, "")


@st.composite
def java_files(draw: st.DrawFn) -> Made:
    """One class with cases, helpers and a field."""
    pieces: list[Piece] = []
    for number in range(draw(st.integers(1, 5))):
        mark = f"mark_{number}"
        if number and draw(st.booleans()):
            text = f"    private int help_{number}() {{\n        return {number};\n    }}\n"
            pieces.append(Piece(text, mark=f"help_{number}"))
            continue
        remark = draw(st.sampled_from(["", "    // a remark\n", "    /** Two\n     * lines. */\n"]))
        body = draw(
            st.sampled_from(
                [
                    f'        String text = "{mark}";\n',
                    f"        int {mark} = 1;\n\n        assert {mark} == 1;\n",
                ]
            )
        )
        text = f"{remark}    @Test\n    void case{number}() {{\n{body}    }}\n"
        pieces.append(Piece(text, f"MadeTest#case{number}", mark))
    head = "package made;\n\nimport org.junit.jupiter.api.Test;\n\nclass MadeTest {\n    private int field = 1;\n"
    return _joined(draw, "Java", head, pieces, "}\n")


@st.composite
def go_files(draw: st.DrawFn) -> Made:
    """Test functions and helpers."""
    pieces: list[Piece] = []
    for number in range(draw(st.integers(1, 5))):
        mark = f"mark_{number}"
        if number and draw(st.booleans()):
            pieces.append(
                Piece(f"func help_{number}() int {{\n\treturn {number}\n}}\n", mark=f"help_{number}")
            )
            continue
        remark = draw(st.sampled_from(["", "// A remark.\n", "// Two\n// lines.\n"]))
        body = draw(st.sampled_from([f'\tt.Log("{mark}")\n', f"\ttext := `\n\n\n{mark}`\n\tt.Log(text)\n"]))
        text = f"{remark}func Test{number}(t *testing.T) {{\n{body}}}\n"
        pieces.append(Piece(text, f"Test{number}", mark))
    return _joined(draw, "Go", 'package made\n\nimport "testing"\n', pieces, "")


def _joined(draw: st.DrawFn, lang: str, head: str, pieces: list[Piece], end: str) -> Made:
    texts = [piece.text for piece in pieces if piece.text]
    gaps = [draw(GAPS) for _ in texts]
    code = head + "".join(gap + text for gap, text in zip(gaps, texts, strict=True)) + end
    cases = {piece.case: piece.mark for piece in pieces if piece.case}
    helpers = [piece.mark for piece in pieces if piece.mark and not piece.case]
    return Made(lang, code, cases, helpers)


FILES = st.one_of(python_files(), java_files(), go_files())


def widest_gap(code: str) -> int:
    """Blank lines in the longest run of them."""
    longest = run = 0
    for line in code.split("\n")[:-1]:
        run = 0 if line.strip() else run + 1
        longest = max(longest, run)
    return longest


def marks_in(code: str) -> set[str]:
    """The marks of cases and helpers that a text holds."""
    return set(re.findall(r"(?:mark|help)_\d+(?:_\d+)?", code))


def cut(made: Made, name: str) -> str:
    """The file with one case."""
    return only_case(made.code, Case(name=name, first_line=1, last_line=1), made.lang)


@given(FILES)
@settings(max_examples=30, deadline=None)
def test_cases_are_those_that_were_put_there(made: Made) -> None:
    """All of them and no other, in the file's order."""
    assert [case.name for case in cases(made.code, made.lang)] == list(made.cases)


@given(FILES)
@settings(max_examples=30, deadline=None)
def test_lines_of_a_case_hold_its_mark_and_no_other(made: Made) -> None:
    """The ranges of two cases have no line in common."""
    lines = made.code.split("\n")
    found = cases(made.code, made.lang)
    held = {case.name: marks_in("\n".join(lines[case.first_line - 1 : case.last_line])) for case in found}
    ends = sorted((case.first_line, case.last_line) for case in found)

    assert {name: {mark} for name, mark in made.cases.items()} == held
    assert all(one[1] < other[0] for one, other in pairwise(ends))


@given(FILES)
@settings(max_examples=30, deadline=None)
def test_exactly_the_one_case_is_left(made: Made) -> None:
    """By the reader of cases, and by the marks: no word of another case stays, each helper of a file does."""
    for name, mark in made.cases.items():
        left = cut(made, name)

        assert [case.name for case in cases(left, made.lang)] == [name]
        assert {each for each in marks_in(left) if each.startswith("mark")} == {mark}
        assert set(made.helpers) <= marks_in(left)


@given(FILES)
@settings(max_examples=30, deadline=None)
def test_what_is_left_parses_and_imports_what_it_needs(made: Made) -> None:
    """No import is gone but one that is no longer used: `pytest` where no decorator of what is left names it."""
    before = {each.module for each in imports(made.code, made.lang)}
    for name in made.cases:
        left = cut(made, name)

        assert syntax_fault(left, made.lang) is None
        assert before - {each.module for each in imports(left, made.lang)} <= {"pytest"}
        assert ("pytest" in before and "@pytest" in left) <= ("import pytest" in left)


@given(FILES)
@settings(max_examples=30, deadline=None)
def test_no_gap_tells_that_something_was_cut(made: Made) -> None:
    """No run of blank lines is longer than the file had, and the file's end is as it was."""
    for name in made.cases:
        left = cut(made, name)

        assert widest_gap(left) <= widest_gap(made.code)
        assert (left.startswith("\n"), left.endswith("\n\n"), left.endswith("\n")) == (False, False, True)


@given(FILES)
@settings(max_examples=30, deadline=None)
def test_every_line_that_is_left_was_there(made: Made) -> None:
    """In the same order: cutting writes nothing new."""
    for name in made.cases:
        whole = iter(line for line in made.code.split("\n") if line.strip())

        assert all(line in whole for line in cut(made, name).split("\n") if line.strip())


@given(FILES)
@settings(max_examples=20, deadline=None)
def test_cutting_twice_is_cutting_once(made: Made) -> None:
    """A file with one case stays unchanged, byte for byte."""
    for name in made.cases:
        left = cut(made, name)

        assert only_case(left, Case(name=name, first_line=1, last_line=1), made.lang) == left


@given(FILES.filter(lambda made: len(made.cases) == 1))
@settings(max_examples=30, deadline=None)
def test_a_file_of_one_case_is_not_touched(made: Made) -> None:
    """Wide gaps and all."""
    (name,) = made.cases

    assert cut(made, name) == made.code


@given(FILES)
@settings(max_examples=20, deadline=None)
def test_tags_count_lines_and_see_no_dynamic_cases(made: Made) -> None:
    """A file whose cases all stand in its text has none that no parse can see."""
    found = tags("x = 1\n", made.code, made.lang)

    assert (found["dynamic_cases"], found["test_lines"] > 0) == (False, True)


@given(FILES, st.integers(0, 10_000))
@settings(max_examples=30, deadline=None)
def test_a_torn_file_has_cases_or_none(made: Made, place: int) -> None:
    """A text that was cut off anywhere never raises, and names only what it holds."""
    torn = made.code[: place % (len(made.code) + 1)]
    found = {case.name for case in cases(torn, made.lang)}

    assert found <= set(made.cases)


@given(FILES)
@settings(max_examples=30, deadline=None)
def test_line_ends_of_windows_change_no_case(made: Made) -> None:
    """The same cases at the same lines."""
    windows = made.code.replace("\n", "\r\n")

    assert cases(windows, made.lang) == cases(made.code, made.lang)


@given(FILES, st.sampled_from(LANGUAGES))
@settings(max_examples=30, deadline=None)
def test_a_file_of_another_language_has_none_of_these(made: Made, lang: str) -> None:
    """A wrong language is found out by there being no case, not by an error."""
    found = {case.name for case in cases(made.code, lang)}

    assert found == (set(made.cases) if lang == made.lang else set())
