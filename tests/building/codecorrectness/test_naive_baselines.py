"""Patterns of style: planted ones are found, chance and the tests' own words are not."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from benchwright.building.codecorrectness.naive_baselines import StyledText, label_patterns, patterns_of
from benchwright.store.keys import content_key

WORDS = [f"word{number}" for number in range(60)]


def _bit(*parts: object) -> int:
    return int(content_key(*map(str, parts))[:8], 16)


def _text(number: int) -> str:
    """Thirty words by a hash, as honest files hold them."""
    return " ".join(WORDS[_bit("word", number, at) % len(WORDS)] for at in range(30))


def _rows(count: int, marked: float = 0.0, *, paired: bool = False) -> Iterator[StyledText]:
    """Files with labels by a hash; `marked`: the share of failed ones that hold `not (`."""
    for number in range(count):
        marks = _bit("mark", number) % 100 < 100 * marked
        text, mark = _text(number), " not ( x )" if marks else ""
        source = f"file {number}"
        if paired:
            yield StyledText("success", text, f"test {number}", source)
            yield StyledText("failed", text + mark, f"test {number}", source)
        else:
            label = "failed" if _bit("label", number) % 2 else "success"
            yield StyledText(label, text + (mark if label == "failed" else ""), f"test {number}", source)


@pytest.mark.parametrize("paired", [False, True])
def test_honest_rows_have_none(paired: bool) -> None:
    """A thousand patterns that hang on nothing: none passes the correction."""
    assert label_patterns(_rows(400, paired=paired)) == []


def test_a_mark_of_failing_files_is_found() -> None:
    """One in five is enough among four hundred; the counts tell what was seen."""
    found = label_patterns(_rows(400, marked=0.22))
    clearest = next(each for each in found if each.pattern == "not (")

    assert {each.pattern for each in found} <= {"not", "(", ")", "x", "not (", "( x", "x )", *WORDS} | {
        each.pattern for each in found if each.pattern.endswith(" not")
    }
    assert (clearest.success, clearest.failed > 30, clearest.paired, clearest.p < 0.01) == (
        0,
        True,
        False,
        True,
    )


def test_a_mark_between_versions_of_a_test_is_found() -> None:
    """Where each test has a version of both labels, files as wholes tell nothing and their pairs do."""
    found = label_patterns(_rows(100, marked=0.3, paired=True))

    assert [each.pattern for each in found if each.paired and each.pattern == "not ("] == ["not ("]


def test_a_file_counts_once() -> None:
    """A hundred rows of one file with a word of its own say nothing about the label."""
    many = [StyledText("failed", "only here", f"test {number}", "one file") for number in range(100)]
    others = [StyledText("success", "plain", f"other {number}", f"file {number}") for number in range(20)]

    assert label_patterns([*many, *others]) == []


def test_versions_of_a_test_count_once() -> None:
    """Ten mutants of one test with the same mark are one piece of evidence."""
    plain = [StyledText("success", "a b", f"test {number}", "file") for number in range(5)]
    marked = [
        StyledText("failed", "a mark b", f"test {number}", "file") for number in range(5) for _ in range(10)
    ]

    assert label_patterns([*plain, *marked]) == []


def test_a_mark_of_passing_rows_is_found_too() -> None:
    """The sides are alike."""
    turned = [
        each._replace(label="success" if each.label == "failed" else "failed")
        for each in _rows(400, marked=0.3)
    ]

    assert any(each.pattern == "not (" and each.success > each.failed for each in label_patterns(turned))


def test_tokens() -> None:
    """Names, numbers and whole operators, alone and by twos."""
    assert patterns_of("x!= y2(") == {"x", "!=", "y2", "(", "x !=", "!= y2", "y2 ("}


def test_no_rows() -> None:
    """Nothing, and rows of one label, have no pattern."""
    assert label_patterns([]) == []
    assert label_patterns(each for each in _rows(50) if each.label == "failed") == []
