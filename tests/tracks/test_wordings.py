"""What prompts share: the wording that is meant, a fence that holds, and names that count from 1."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.errors import UsageError
from benchwright.tracks.wordings import fence, questions, wordings_in

KNOWN = {("ru", "chat"): ("{a}?", "нет, {a}"), ("en", "base"): ("so {a}",)}


def test_the_wordings_of_a_language_and_a_form() -> None:
    """They come as they stand."""
    assert wordings_in(KNOWN, language="en", form="base") == ("so {a}",)


@pytest.mark.parametrize(("language", "form"), [("en", "chat"), ("fr", "base"), ("", "")])
def test_no_such_wordings(language: str, form: str) -> None:
    """What there is stands in the hint."""
    with pytest.raises(UsageError) as caught:
        wordings_in(KNOWN, language=language, form=form)

    assert caught.value.hint == "languages: ru, en; forms: chat, base"


def test_questions_are_numbered_from_1() -> None:
    """Each wording filled in, under its language and number."""
    made = questions(KNOWN["ru", "chat"], {"a": "{да}"}, language="ru")

    assert [(each.variant, each.text) for each in made] == [("ru-01", "{да}?"), ("ru-02", "нет, {да}")]


@given(st.lists(st.text(st.sampled_from("`a\n"), max_size=12), max_size=3))
def test_no_text_closes_its_fence(texts: list[str]) -> None:
    """At least three backticks, and more than any of the texts has in a row."""
    made = fence(*texts)

    assert (set(made), len(made) >= 3) == ({"`"}, True)
    assert all(len(ticks) < len(made) for text in texts for ticks in re.findall("`+", text))
