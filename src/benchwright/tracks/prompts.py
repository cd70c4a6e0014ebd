"""Prompt variants for function completion: ten wordings of our own, in Russian and in English.

People ask in different ways, and a model's score depends on the way. So a task is not asked in one
wording that happens to suit a model, but in ten that differ as people do: polite or curt, code first or
request first, with a role or without, for the whole function, its body, or one block of code.

Variant i says the same in both languages. Names and order never change: "ru-03" means one text for good.
"""

from __future__ import annotations

from benchwright.contracts import Question
from benchwright.tracks import _prompts_en, _prompts_ru
from benchwright.tracks.wordings import Wordings, fence, questions, wordings_in

WORDINGS: Wordings = {
    ("ru", "chat"): _prompts_ru.CHAT,
    ("ru", "base"): _prompts_ru.BASE,
    ("en", "chat"): _prompts_en.CHAT,
    ("en", "base"): _prompts_en.BASE,
}
VARIANTS = 10


def completion_questions(function: str, *, language: str, form: str) -> list[Question]:
    """All variants that ask for the rest of a function, of which `function` is the head.

    "chat" shows the head and asks; "base" is text that a base model goes on from, so it ends with the head,
    character for character. Raises UsageError for another language or form.
    """
    wordings = wordings_in(WORDINGS, language=language, form=form)
    # Line ends around the code would show as empty lines in a fence; a base model needs them as they are.
    values = {"function": function if form == "base" else function.strip("\n"), "fence": fence(function)}
    return questions(wordings, values, language=language)
