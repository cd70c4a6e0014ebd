"""Eleven prompts for a label, in two languages and two forms: complete, different, and asking for one word."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.contracts import Question
from benchwright.errors import UsageError
from benchwright.text.label import LABELS, read_label
from benchwright.tracks.correctness.rows import (
    VARIANTS,
    build,
    correctness_questions,
    instruction,
    own_prompt,
    to_row,
)
from benchwright.tracks.correctness.track import TRACK
from benchwright.tracks.prompt_templates import FORMS, languages_of, wordings_in
from benchwright.tracks.rows import Fields
from kit.correctness_cases import correctness_row

INPUTS = {"focal_code": "\ndef f(): return {1}\n", "test_code": "assert f() == {1}\n\n", "lang": "Java"}
ALL = [(language, form) for language in languages_of("correctness") for form in FORMS]
CODE = st.text(st.sampled_from("ab{}`\n \"'"), min_size=1).filter(lambda code: code.strip("\n"))


def asked(language: str, form: str, **changes: str) -> list[Question]:
    """Return all prompts for a pair."""
    return correctness_questions({**INPUTS, **changes}, language=language, form=form)


@pytest.mark.parametrize(("language", "form"), ALL)
def test_there_are_eleven_and_all_differ(language: str, form: str) -> None:
    """They also differ between languages and forms."""
    texts = {question.text for each in ALL for question in asked(*each)}

    assert (len(asked(language, form)), len(texts)) == (VARIANTS, 4 * VARIANTS)


@pytest.mark.parametrize(("language", "form"), ALL)
def test_each_names_both_labels_letter_for_letter(language: str, form: str) -> None:
    """MERA's scorer reads no other spelling, and a model cannot guess the words."""
    named = [set(LABELS) <= set(re.findall(r"[a-z]+", question.text)) for question in asked(language, form)]

    assert named == [True] * VARIANTS


@pytest.mark.parametrize("language", languages_of("correctness"))
def test_each_asks_for_one_word(language: str) -> None:
    """Each states it explicitly, except the one that is itself a question of a word or two."""
    words = re.compile(
        r"одн(?:о|им|ого) слов|ровно одно слово|само слово|слов(?:ом|о)\b|one word|the word|exactly one", re.I
    )
    silent = [question.variant for question in asked(language, "chat") if not words.search(question.text)]

    assert silent == [f"{language}2-04"]


@pytest.mark.parametrize(("language", "form"), ALL)
def test_a_prompt_said_back_is_no_answer(language: str, form: str) -> None:
    """A model that repeats the prompt, completely or in part, has not answered it."""
    texts = [question.text for question in asked(language, form, focal_code="x", test_code="y")]
    parts = [part for text in texts for part in re.split(r"(?<=[.?])\s+|\n", text)]
    read = [text for text in (*texts, *parts) if read_label(text).value]

    assert read == []


def test_wordings_differ_as_people_do() -> None:
    """Test first and focal file first, either label first, curt and long; each fences both files."""
    texts = wordings_in("correctness", language="ru", form="chat")
    test_first = sum(text.index("{test_code}") < text.index("{focal_code}") for text in texts)
    bad_first = sum(text.rindex("failed") < text.rindex("success") for text in texts)
    lengths = sorted(len(text) for text in texts)

    assert (test_first, {text.count("{fence}") for text in texts}, bad_first) == (4, {4}, 2)
    assert (lengths[0] < 120, lengths[-1] > 700) == (True, True)


@given(CODE, CODE)
@pytest.mark.parametrize(("language", "form"), ALL)
@settings(deadline=None)
def test_both_files_are_shown_in_a_fence_that_holds(language: str, form: str, focal: str, test: str) -> None:
    """Only surrounding line ends are removed; each fence is longer than any run of backticks in the files."""
    longest = max(map(len, re.findall("`{3,}", f"{focal} {test}")), default=2)
    fence = "`" * (longest + 1)
    texts = [question.text for question in asked(language, form, focal_code=focal, test_code=test)]
    fenced = [text for text in texts if f"{fence}java\n" in text]

    assert all(code.strip("\n") in text for text in texts for code in (focal, test))
    assert [f"{fence}java\n{focal.strip(chr(10))}\n{fence}\n" in f"{text}\n" for text in fenced] == [
        True
    ] * VARIANTS


@pytest.mark.parametrize(("language", "form"), ALL)
def test_both_files_are_named_before_their_fences(language: str, form: str) -> None:
    """The last non-blank line before each fence is a heading or ends with an announcement."""
    texts = [question.text for question in asked(language, form)]
    before = [
        [line for line in text[: text.index(f"```java\n{code}")].split("\n") if line.strip()][-1]
        for text in texts
        for code in ("def f", "assert")
    ]

    assert [line for line in before if not (line.endswith(":") or line.startswith("## "))] == []


@pytest.mark.parametrize("name", ["ru-03", "ru2-03"])
def test_a_row_of_either_version_names_its_wording(name: str) -> None:
    """A set built with the earlier wordings has their texts, and is read as before."""
    row = correctness_row()
    task = build(Fields({**row, "meta": {"id": 1, "prompt": name}}, "rows", 1))

    assert (own_prompt(task), TRACK.prompt(task)) == (name, TRACK.prompt(build(Fields(row, "rows", 1))))


@pytest.mark.parametrize("language", languages_of("correctness"))
def test_a_base_prompt_ends_where_the_label_is_due(language: str) -> None:
    """After a colon, or below a heading."""
    ends = [question.text[-1] for question in asked(language, "base")]

    assert (ends.count(":"), ends.count("\n")) == (VARIANTS - 1, 1)


@pytest.mark.parametrize(("language", "form"), [("fr", "chat"), ("ru", "completion"), ("", "")])
def test_an_unknown_language_or_form_is_refused(language: str, form: str) -> None:
    """The error lists the valid ones."""
    with pytest.raises(UsageError) as caught:
        correctness_questions(correctness_row()["inputs"], language=language, form=form)

    assert caught.value.hint == "languages: ru, en; forms: chat, base"


def test_a_published_instruction_takes_turns() -> None:
    """Row 12 has the wording of row 1 again; each asks for both words and keeps MERA's fields."""
    made = [instruction(number) for number in range(1, 13)]
    fields = {"{focal_code}", "{test_code}"}

    assert [name for name, _ in made] == [f"ru2-{1 + number % 11:02}" for number in range(12)]
    assert all(set(re.findall(r"\{\w+\}", text)) - {"{lang}"} == fields for _, text in made)
    assert made[0] == made[11]


@given(st.integers(1, 11), CODE, CODE)
@settings(deadline=None)
def test_a_published_row_gives_its_instruction_and_prompt_back(number: int, focal: str, test: str) -> None:
    """The track reads it, fills it with code that may contain fences and braces, and identifies the wording."""
    name, text = instruction(number, codes=(focal, test))
    inputs = {"focal_code": focal, "test_code": test, "lang": "Python"}
    row = {"instruction": text, "inputs": inputs, "outputs": "failed", "meta": {"id": 1, "prompt": name}}
    if not (focal.strip() and test.strip()):
        return
    task = build(Fields(row, "rows", 1))
    shown = TRACK.prompt(task)

    assert (task.instruction, own_prompt(task), to_row(task)) == (text, name, row)
    assert (task.inputs["focal_code"].strip() in shown, "{fence}" in shown, "{tag}" in shown) == (
        True,
        False,
        False,
    )


@pytest.mark.parametrize("name", [3, "", "ru-3", "ru-031", "ru22-03", "../x", None])
def test_another_data_set_s_meta_is_no_prompt(name: object) -> None:
    """Only a name in our form counts; any other value is ignored."""
    row = correctness_row()
    task = build(Fields({**row, "meta": {"id": 1, "prompt": name}}, "rows", 1))

    assert own_prompt(task) == ""
