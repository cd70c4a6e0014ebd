"""Reading one of a task's own labels from an answer: statements of a label, and mere mentions."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.text.label_choice import take_choice
from kit.examples import examples

SPAM = ("spam", "ham")
MORE = ("bug", "feature request", "not a bug", "question")
NUMBERS = ("-1", "0", "1")


def choice(text: str, labels: tuple[str, ...] = SPAM) -> str:
    """Return the label, or "" for none."""
    return take_choice(text, labels=labels).program


@pytest.mark.parametrize(
    "text",
    [
        "spam",
        "Spam.",
        "**SPAM**",
        "`spam`",
        "- spam",
        "Answer: spam",
        "**Answer:** Spam!",
        "My final answer is spam",
        "The label = spam",
        "Ответ: spam",
        "```\nspam\n```",
        r"So it is \boxed{spam}.",
        "<answer>spam</answer>",
        '{"label": "spam", "why": "prizes"}',
        "Spam or ham? It promises a prize.\nspam",
        "ham\n\nWait, it asks for money.\n\nspam",
        "It is spam, because it promises a prize.",
        "<think>ham? ham!</think>spam",
        "<answer>spam</answer> and nothing like ham",
    ],
)
def test_a_label_that_is_said_is_read(text: str) -> None:
    assert choice(text) == "spam"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no idea",
        "spam or ham",
        "It is not spam.",
        "This isn't really spam",
        "Spammers wrote it.",
        "не spam",
    ],
)
def test_a_label_that_is_only_mentioned_is_not(text: str) -> None:
    taken = take_choice(text, labels=SPAM)

    assert (taken.program, taken.problem) == ("", "unparsable")


def test_a_longer_label_is_not_the_shorter_one_in_it() -> None:
    assert choice("I would call it not a bug.", MORE) == "not a bug"
    assert choice("Feature Request", MORE) == "feature request"
    assert choice("not a bug", MORE) == "not a bug"


@pytest.mark.parametrize(
    ("text", "said"),
    [("-1", "-1"), ("**-1**", "-1"), ("- 1", "1"), ("Answer: -1", "-1"), ("There is 1 way to see it", "")],
)
def test_numbers_are_read_only_where_they_stand_alone(text: str, said: str) -> None:
    assert choice(text, NUMBERS) == said


def test_an_answer_that_was_cut_off_says_so() -> None:
    assert take_choice("spam", labels=SPAM, finish_reason="length").truncated
    assert take_choice("<think>spam", labels=SPAM).problem == "unparsable"


@given(st.text(max_size=200))
@settings(max_examples=examples(200))
def test_reading_a_choice_never_raises(text: str) -> None:
    """The result is one of the labels, or none."""
    assert choice(text) in ("", *SPAM)


@given(st.lists(st.text(max_size=20), max_size=4), st.sampled_from(MORE))
@settings(max_examples=examples(100))
def test_a_tagged_answer_wins_over_any_text(noise: list[str], label: str) -> None:
    text = " ".join(part.replace("<", "").replace("\\", "") for part in noise)

    assert choice(f"{text}\n<answer>{label}</answer>", MORE) == label
