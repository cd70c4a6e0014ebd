"""Prompt variants for function completion: ten wordings of our own, in Russian and in English.

People ask in different ways, and a model's score depends on the way. So a task is not asked in one
wording that happens to suit a model, but in ten that differ as people do: polite or curt, code first or
request first, with a role or without, for the whole function, its body, or one block of code.

Variant i says the same in both languages. Names and order never change: "ru-03" means one text for good.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from benchwright.contracts import Question
from benchwright.errors import UsageError
from benchwright.tracks import _prompts_en, _prompts_ru
from benchwright.tracks.filling import fill

WORDINGS: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("ru", "chat"): _prompts_ru.CHAT,
    ("ru", "base"): _prompts_ru.BASE,
    ("en", "chat"): _prompts_en.CHAT,
    ("en", "base"): _prompts_en.BASE,
}
LANGUAGES = ("ru", "en")
VARIANTS = 10
_TICKS = re.compile(r"`{3,}")


def completion_questions(function: str, *, language: str, form: str) -> list[Question]:
    """All variants that ask for the rest of a function, of which `function` is the head.

    "chat" shows the head and asks; "base" is text that a base model goes on from, so it ends with the head,
    character for character. Raises UsageError for another language or form.
    """
    wordings = WORDINGS.get((language, form))
    if wordings is None:
        raise UsageError(
            f"there are no prompts in the language {language!r} and the form {form!r}",
            hint=f"languages: {', '.join(LANGUAGES)}; forms: chat, base",
        )
    # Line ends around the code would show as empty lines in a fence; a base model needs them as they are.
    values = {"function": function if form == "base" else function.strip("\n"), "fence": _fence(function)}
    return [
        Question(variant=f"{language}-{number:02}", text=fill(wording, values))
        for number, wording in enumerate(wordings, 1)
    ]


def _fence(function: str) -> str:
    """Backticks that no line of the function can close: a description may show a fence of its own."""
    longest = max(map(len, _TICKS.findall(function)), default=2)
    return "`" * (longest + 1)
