"""One stored row is one answer, or a fault with its field."""

from __future__ import annotations

from typing import Any

import pytest

from benchwright.errors import DataError
from benchwright.models.replay import StoredAnswer, read_stored
from benchwright.store.strict_json import JsonOrigin

PLACE = JsonOrigin("samples.jsonl", 9)


def test_a_row_of_nothing_but_text_has_no_other_facts() -> None:
    """What a row does not say is not made up."""
    assert StoredAnswer("1", "x", None, None, None, None) == read_stored({"task_id": 1, "answer": "x"}, PLACE)


def test_optional_fields_of_null_are_absent() -> None:
    """Tools write null for what they do not know."""
    row = {"task_id": "a", "text": "x", "seed": None, "model": None, "finish_reason": None, "error": None}

    assert StoredAnswer("a", "x", None, None, None, None) == read_stored(row, PLACE)


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"task_id": "a"}, "has no answer"),
        ({"task_id": "a", "text": "", "solution": ""}, "`solution`, `text`"),
        ({"task_id": "a", "text": "\x1b[2J" * 3, "seed": "\x1b[2J"}, "\\x1b"),
        ({"task_id": "a", "text": ["y" * 500]}, "…"),
    ],
)
def test_a_fault_is_shown_short_and_without_control_characters(row: dict[str, Any], words: str) -> None:
    """The value that is wrong is quoted, as far as it can be."""
    with pytest.raises(DataError) as caught:
        read_stored(row, PLACE)

    message = caught.value.message
    assert (
        words in message,
        message.isprintable(),
        caught.value.line,
        len(message) < 200,
    ) == (True, True, 9, True)
