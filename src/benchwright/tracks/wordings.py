"""What prompts of every kind share: which wording is meant, a fence that holds, and numbered questions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from benchwright.contracts import Question
from benchwright.errors import UsageError
from benchwright.tracks.filling import fill

LANGUAGES = ("ru", "en")
Wordings = Mapping[tuple[str, str], tuple[str, ...]]  # by language and form, variant 1 first
_TICKS = re.compile(r"`{3,}")


def wordings_in(known: Wordings, *, language: str, form: str) -> tuple[str, ...]:
    """The wordings in one language and form. Raises UsageError where there are none."""
    found = known.get((language, form))
    if found is None:
        raise UsageError(
            f"there are no prompts in the language {language!r} and the form {form!r}",
            hint=f"languages: {', '.join(LANGUAGES)}; forms: chat, base",
        )
    return found


def questions(wordings: Sequence[str], values: Mapping[str, Any], *, language: str) -> list[Question]:
    """One question for each wording, filled in, under its name: "ru-03"."""
    return [
        Question(variant=f"{language}-{number:02}", text=fill(wording, values))
        for number, wording in enumerate(wordings, 1)
    ]


def fence(*texts: str) -> str:
    """Backticks that no line of the texts can close: a docstring may show a fence of its own."""
    longest = max((len(ticks) for text in texts for ticks in _TICKS.findall(text)), default=2)
    return "`" * (longest + 1)
