"""The words that state a label, looked up one at a time."""

from __future__ import annotations

import pytest

from benchwright.text import label_words as words


@pytest.mark.parametrize(
    ("word", "strong", "weak"),
    [
        ("success", "success", "success"),
        ("passes", "success", "success"),
        ("неуспешно", "failed", "failed"),
        ("провалится", "failed", "failed"),
        ("correct", None, "success"),
        ("ошибка", None, "failed"),
        ("некорректен", None, "failed"),
        ("true", None, None),
        ("yes", None, None),
        ("да", None, None),
        ("1", None, None),
        ("bypass", None, None),
        ("test_success", None, None),
        ("провалидировать", None, None),
        ("успевает", None, None),
        ("valueerror", None, None),
        ("уверен", None, None),
    ],
)
def test_a_word_says_a_label_or_none(word: str, strong: str | None, weak: str | None) -> None:
    """Words for errors and correctness count only if weak words do; truth values and parts of words never do."""
    assert (words.polarity(word, weak=False), words.polarity(word, weak=True)) == (strong, weak)


@pytest.mark.parametrize("word", ["not", "don't", "isn't", "never", "without", "не", "без", "ни"])
def test_negators_are_known(word: str) -> None:
    """The negators of both languages, and every contraction."""
    assert words.is_negator(word)


@pytest.mark.parametrize("word", ["knot", "note", "нет-нет", "небо", "t"])
def test_a_part_of_a_word_negates_nothing(word: str) -> None:
    """Only whole words count."""
    assert not words.is_negator(word)


@pytest.mark.parametrize(
    ("word", "after", "moves"),
    [
        ("passes", ["a", "list"], True),
        ("passes", ["the", "value"], True),
        ("passed", ["to", "run"], True),
        ("проходит", ["по", "списку"], True),
        ("passes", ["the", "test"], False),
        ("passes", ["the", "assertion"], False),
        ("passes", ["all", "checks"], False),
        ("passes", ["without", "errors"], False),
        ("passes", [], False),
        ("fails", ["a", "check"], False),
        ("проходит", ["проверку"], False),
    ],
)
def test_passing_something_on_is_not_passing(word: str, after: list[str], moves: bool) -> None:
    """The next word distinguishes "passes a list" from "passes the test"."""
    assert moves is words.is_movement(word, after)


def test_no_word_is_both_filler_and_label() -> None:
    """Otherwise a bare answer could have a word that is both skipped and counted."""
    both = [word for word in words.FILLER if words.polarity(word, weak=True) or words.is_negator(word)]

    assert both == []


def test_sets_hold_words_as_they_are_looked_up() -> None:
    """The words are in lower case, with е for ё, as texts are before the look-up."""
    named = [value for value in vars(words).values() if isinstance(value, frozenset)]
    odd = [word for group in named for word in group if word != word.lower() or "ё" in word]

    assert (odd, len(named) > 10) == ([], True)
