"""Ten prompts, in two languages and two forms: complete, different, and with an unchanged head."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.errors import UsageError
from benchwright.text.extract import extract
from benchwright.tracks.functions import humaneval, ruhumaneval
from benchwright.tracks.functions.completion import VARIANTS, completion_questions
from benchwright.tracks.prompt_templates import FORMS, languages_of, wordings_in
from kit.needs import HUMANEVAL, need_data
from kit.track_rows import humaneval_row, mera_row, write_rows

HEAD = 'def twice(x):\n    """Twice x, as in {1: {2}} or {function}."""\n'
ALL = [(language, form) for language in languages_of("completion") for form in FORMS]


def texts(language: str, form: str, head: str = HEAD) -> list[str]:
    """Return all prompts for a head."""
    return [question.text for question in completion_questions(head, language=language, form=form)]


@pytest.mark.parametrize(("language", "form"), ALL)
def test_there_are_ten_and_all_differ(language: str, form: str) -> None:
    """They also differ between the languages: no variant is only the code."""
    other = texts("en" if language == "ru" else "ru", form)

    assert len({*texts(language, form), *other}) == 2 * VARIANTS


def test_wordings_differ_as_people_do() -> None:
    """Code first and request first, fenced and bare, polite and curt, long and short all occur."""
    wordings = texts("ru", "chat")
    code_first = sum(text.startswith(("```", "def")) for text in wordings)
    fenced = sum("```" in text for text in wordings)
    lengths = sorted(len(text) - len(HEAD) for text in wordings)
    words = [sum(phrase in text for text in wordings) for phrase in ("ожалуйста", "только её тело", "тест")]

    assert (code_first, fenced, words) == (2, 5, [1, 1, 1])
    assert (lengths[0] < 20, lengths[-1] > 300) == (True, True)


@given(st.text(min_size=1))
@pytest.mark.parametrize("language", languages_of("completion"))
def test_a_base_prompt_ends_with_the_head(language: str, head: str) -> None:
    """This holds for every character, including braces, fences and line ends: the model continues from the
    last one."""
    ends = [text.endswith(head) and len(text) > len(head) for text in texts(language, "base", head)]

    assert ends == [True] * VARIANTS


@given(st.text(st.sampled_from("ab{}`\n \"'"), min_size=1).filter(lambda head: head.strip("\n")))
@pytest.mark.parametrize("language", languages_of("completion"))
def test_a_chat_prompt_shows_the_head_in_a_fence_that_holds(language: str, head: str) -> None:
    """The head is unchanged, and each fence around it is longer than any run of backticks in it."""
    shown, longest = head.strip("\n"), max(map(len, re.findall("`{3,}", head)), default=2)
    asked = texts(language, "chat", head)
    fence = "`" * (longest + 1)
    opened = [text for text in asked if f"{fence}python\n" in text]

    assert all(shown in text for text in asked)
    assert [f"{fence}python\n{shown}\n{fence}\n" in f"{text}\n" for text in opened] == [True] * 5


@pytest.mark.parametrize(("language", "form"), [("fr", "chat"), ("ru", "completion"), ("", "")])
def test_an_unknown_language_or_form_is_refused(language: str, form: str) -> None:
    """The error lists the valid ones."""
    with pytest.raises(UsageError) as caught:
        completion_questions(HEAD, language=language, form=form)

    assert (repr(language) in caught.value.message, caught.value.hint) == (
        True,
        "languages: ru, en; forms: chat, base",
    )


@pytest.mark.parametrize("form", FORMS)
def test_both_tracks_ask_on_the_row_s_function(form: str, tmp_path: Path) -> None:
    """A track fills in its head, and declares its default language and temperature."""
    rows = {"h": humaneval_row(), "r": mera_row()}
    heads = {"h": rows["h"]["prompt"], "r": rows["r"]["inputs"]["function"]}
    tracks = {"h": humaneval.TRACK, "r": ruhumaneval.TRACK}
    asked = {}
    for name, track in tracks.items():
        (task,) = track.load(write_rows(tmp_path, rows[name]))
        asked[name] = [question.text for question in track.questions(task, language="en", form=form)]

    assert asked == {name: texts("en", form, heads[name]) for name in tracks}
    assert [(track.language, track.temperature) for track in tracks.values()] == [("en", 0.6), ("ru", 0.6)]


@pytest.mark.parametrize("number", range(VARIANTS))
def test_a_base_model_that_ends_its_document_is_read(number: int) -> None:
    """If a base prompt opens a fence, a model closes it below the body; the body is still found."""
    opened = "```" in wordings_in("completion", language="ru", form="base")[number]
    closing = "```\n\nГотово: функция дописана.\n" if opened else "\n# Конец файла\n"
    problems = []
    for task in humaneval.TRACK.load(need_data(HUMANEVAL)):
        solution = task.meta["canonical_solution"]
        taken = extract(
            solution + closing, prompt=task.inputs["function"], entry_point=task.meta["entry_point"]
        )
        problems += [(task.task_id, taken.problem)] if taken.problem else []

    assert problems == []
