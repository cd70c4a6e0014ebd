"""Recorded replies: found by the question, the last of equal ones, and errors for invalid files."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchwright.contracts import Prompt
from benchwright.errors import DataError
from benchwright.models.recorded_replies import RecordedReplies
from benchwright.records import Answer
from benchwright.store.keys import content_key
from benchwright.store.writing import write_records


def reply(number: int, text: str) -> Answer:
    """A reply to question `number`."""
    return Answer(key=content_key(number), task_id="q", sample=number, model="m", text=text, tokens_in=3)


def prompt(number: int) -> Prompt:
    """Question `number`."""
    return Prompt(key=content_key(number), task_id="q", sample=number, text="?")


def kept(folder: Path, *rows: Answer) -> RecordedReplies:
    """These replies in a file."""
    write_records(folder / "replies.jsonl", rows)
    return RecordedReplies(folder / "replies.jsonl", {"name": "m"}, deterministic=True)


def test_replies_are_found_by_key_whatever_their_order(tmp_path: Path) -> None:
    """Each reply is returned unchanged for its key."""
    rows = [reply(number, f"ответ {number}") for number in (2, 0, 1)]
    model = kept(tmp_path, *rows)

    assert list(model.answer(map(prompt, range(3)), {})) == sorted(rows, key=lambda row: row.sample)
    assert model.identity() == {"name": "m"}


def test_the_later_of_two_counts(tmp_path: Path) -> None:
    """As a retried answer does that has replaced a failed one."""
    (found,) = kept(tmp_path, reply(1, "old"), reply(1, "new")).answer([prompt(1)], {})

    assert found.text == "new"


def test_a_question_without_a_reply_is_an_error_and_no_stop(tmp_path: Path) -> None:
    found = list(kept(tmp_path, reply(1, "a")).answer([prompt(2), prompt(1)], {}))

    assert [each.error is None for each in found] == [False, True]
    assert found[0].key == prompt(2).key


@pytest.mark.parametrize("line", [b"{}", b"[1]", b'{"key": 1}', b"\xff", b"[" * 100_000])
def test_a_line_that_is_no_reply_is_named(tmp_path: Path, line: bytes) -> None:
    path = tmp_path / "replies.jsonl"
    write_records(path, [reply(1, "a")])
    path.write_bytes(path.read_bytes() + line + b"\n")
    with pytest.raises(DataError, match="not a reply") as caught:
        RecordedReplies(path, {}, deterministic=True)

    assert caught.value.line == 2
