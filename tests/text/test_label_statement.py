"""One sentence at a time: its label, its rule, and ambiguity."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.text.label_statement import BOTH, find_hits, read_phrase, read_statement, tokens_of


@pytest.mark.parametrize(
    ("text", "label", "rule"),
    [
        ("success", "success", "bare"),
        ("I think the test will pass", "success", "bare"),
        ("runtime error", "failed", "bare"),
        ("The code raises an error", "failed", "prose"),
        ("The function raises an error", None, "prose"),
        ("Answer: it passes, since 1 fails", "success", "cue"),
        ("So the test fails on the second call", "failed", "conclusion"),
        ("So the second call fails", "failed", "prose"),
        ("The first passes and the second fails", BOTH, "prose"),
        ("If it passes, the answer is success", None, "prose"),
        ("Does it pass?", None, "prose"),
        ("It returns 'failed'", None, "prose"),
        ("1 failed, 3 passed", "failed", "prose"),
        ("The list is empty", None, "prose"),
    ],
)
def test_a_statement_says_a_label_by_a_rule(text: str, label: str | None, rule: str) -> None:
    """From only the label to a word in a sentence."""
    read = read_statement(text)

    assert (read.label, read.rule) == (label, rule if label else read.rule)


@pytest.mark.parametrize("text", ["success or failed", "pass/fail", "success | failed", "успех или провал"])
def test_options_are_no_answer(text: str) -> None:
    """They are recognised, so that the reason can name them."""
    read = read_statement(text)

    assert (read.label, read.options) == (None, True)


@pytest.mark.parametrize(
    ("text", "pure", "corrects"),
    [
        ("success", True, False),
        ("success?", False, False),
        ("it is a success", False, False),
        ("actually failed", False, True),
        ("Нет, failed", False, True),
    ],
)
def test_a_statement_knows_its_weight(text: str, pure: bool, corrects: bool) -> None:
    """It records whether the label is alone, and whether it revokes an earlier one."""
    read = read_statement(text)

    assert (read.pure, read.corrects) == (pure, corrects)


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("passes successfully", ["success"]),
        ("fails to pass", ["failed"]),
        ("failed with an error", ["failed"]),
        ("not pass successfully", ["failed"]),
        ("does not fail and passes", ["success", "success"]),
        ("not empty, passes", ["success"]),
        ("is not None here, passes", ["success"]),
        ("success = value", []),
        ("passes a list", []),
        ("ошибок нет", ["success"]),
        ("ошибка есть", ["failed"]),
    ],
)
def test_negations_and_repetitions_are_resolved(text: str, labels: list[str]) -> None:
    """Each hit has its meaning in context."""
    assert labels == [hit.label for hit in find_hits(tokens_of(text), weak=True)]


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("success", "success"),
        (r"\text{failed}", "failed"),
        ("not success", "failed"),
        ("ошибка", "failed"),
        ("success or failed", None),
        ("success failed", BOTH),
        ("", None),
        ("42", None),
    ],
)
def test_a_phrase_in_a_box_is_an_answer(text: str, label: str | None) -> None:
    """Weak words count there, and options still do not."""
    assert label == read_phrase(text)


def test_words_are_cut_without_markup() -> None:
    """Identifiers stay whole, Russian ё becomes е, quotes and bold are removed, separators stay."""
    found = tokens_of("**Тест** `test_success` _не_ пройдёт: “won’t”, non-success!")

    assert found == ["тест", "test_success", "не", "пройдет", ":", "won't", ",", "non", "success"]


@given(st.text(max_size=60))
@settings(deadline=None)
def test_any_text_is_a_statement(text: str) -> None:
    """It states one label, both, or none, and keeps its source text."""
    read = read_statement(text)

    assert (read.label in ("success", "failed", BOTH, None), read.text) == (True, text)


def test_a_very_long_statement_is_read_from_its_end() -> None:
    """Only a bounded part is read, so the cost is bounded too."""
    read = read_statement("fails " + "word " * 1000 + "but it passes")

    assert read.label == "success"
