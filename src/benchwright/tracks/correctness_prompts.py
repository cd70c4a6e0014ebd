"""Prompts that ask whether a test passes: eleven wordings of our own, in Russian and in English.

They differ as people do: polite or curt, test first or code first, with a role or without, explicit about
what counts as failed or silent, and in which of the two words they name first. All ask for exactly one word.

A data set that is built here has the Russian ones as its rows' own instructions, one each in turn.

Variant i says the same in both languages. Names and order never change: "ru-03" means one text for good.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from benchwright.contracts import Question
from benchwright.tracks.wordings import fence, questions, wordings_in

VARIANTS = 11


def correctness_questions(inputs: Mapping[str, Any], *, language: str, form: str) -> list[Question]:
    """All variants that ask about a pair of files: `focal_code`, `test_code` and `lang` of the inputs.

    "chat" asks; "base" is text that a base model goes on from, so it ends where the label is due. Raises
    UsageError for another language or form.
    """
    wordings = wordings_in("correctness", language=language, form=form)
    values = {
        "lang": inputs["lang"],
        "tag": inputs["lang"].lower(),
        "focal_code": inputs["focal_code"].strip("\n"),
        "test_code": inputs["test_code"].strip("\n"),
        "fence": fence(inputs["focal_code"], inputs["test_code"]),
    }
    return questions(wordings, values, language=language)


def instruction(number: int, *, codes: Iterable[str] = ()) -> tuple[str, str]:
    """The name and the text of the Russian wording that a published row has: row `number`, counted from 1.

    The text keeps {focal_code}, {test_code} and {lang}, which is all that MERA fills. The fence is written
    out, longer than any in `codes`, and names the language as the data set writes it.

    >>> instruction(12)[0]
    'ru-01'
    """
    variant = (number - 1) % VARIANTS
    wording = wordings_in("correctness", language="ru", form="chat")[variant]
    text = wording.replace("{fence}", fence(*codes)).replace("{tag}", "{lang}")
    return f"ru-{variant + 1:02}", text
