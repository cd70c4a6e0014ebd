"""Cases and cutting on files whose content is known because a test put it there."""

from __future__ import annotations

import re
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.lang.answers import Case
from benchwright.lang.languages import LANGUAGES
from benchwright.lang.source import cases, imports, only_case, syntax_fault, tags
from kit.lang_files import FILES, Made, widest_gap


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
    """What is left alone already stays as it is, letter for letter."""
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
