"""Annotations by people: comments by line, or reference answers. Parsing, storage, export.

Stored: `{"annotations": [{"line_number", "annotation"}]}` for code, `{"answers": [text]}` for a question.
Exported records have the forms that `benchwright convert` reads.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from benchwright.judges.people.records import ANNOTATION, JudgedItem, Vote
from benchwright.lang.lines import split_lf
from benchwright.records import TaskId

MAX_ANNOTATION = 200_000  # characters, as typed
_LINE = re.compile(r"\s*(\d{1,6})\s*:\s*(\S.*)")
_APART = re.compile(r"^[ \t]*-{3,}[ \t]*$", re.MULTILINE)


def read_annotation(text: str, code: str) -> str | None:
    """The typed notes as JSON; None for an empty text, or a line without a number or outside the code.

    >>> read_annotation("2: why", "a = 1\\nb = 2")
    '{"annotations":[{"line_number":2,"annotation":"why"}]}'
    """
    if len(text) > MAX_ANNOTATION:
        return None
    found = _comments(text, len(split_lf(code))) if code else _answers(text)
    if not found:
        return None
    return msgspec.json.encode({"annotations" if code else "answers": found}).decode()


def _comments(text: str, lines: int) -> list[dict[str, Any]] | None:
    found = []
    for line in filter(str.strip, text.splitlines()):
        match = _LINE.fullmatch(line)
        if match is None or not 1 <= int(match[1]) <= lines:
            return None
        found.append({"line_number": int(match[1]), "annotation": match[2].strip()})
    return sorted(found, key=lambda each: int(each["line_number"]))


def _answers(text: str) -> list[str]:
    return [part.strip() for part in _APART.split(text.replace("\r\n", "\n")) if part.strip()]


def annotation_text(document: str) -> str:
    """The text form of a stored annotation."""
    stored = msgspec.json.decode(document)
    if "answers" in stored:
        return "\n---\n".join(stored["answers"])
    return "\n".join(f"{each['line_number']}: {each['annotation']}" for each in stored["annotations"])


def annotation_records(items: Iterable[JudgedItem], votes: Iterable[Vote]) -> Iterator[dict[str, Any]]:
    """A record for each judge's comments on a piece of code, and one for all answers to a question."""
    comments: dict[str, list[dict[str, Any]]] = {}
    for vote in votes:
        if vote.field == ANNOTATION and vote.round == "first":
            comments.setdefault(vote.item, []).append(msgspec.json.decode(str(vote.value)))
    for item in items:
        written = comments.get(item.item, [])
        if item.code:
            yield from (_of_code(item, number, each) for number, each in enumerate(written, 1))
        elif written:
            yield _of_question(item, [text for each in written for text in each["answers"]])


def _of_code(item: JudgedItem, number: int, written: dict[str, Any]) -> dict[str, Any]:
    return {
        "description": item.question,
        "code_snippet": item.code,
        "annotations": written["annotations"],
        "lang": item.lang,
        "id": _numbered(item.task_id, number),
    }


def _of_question(item: JudgedItem, answers: list[str]) -> dict[str, Any]:
    question, _, body = item.question.partition("\n\n")
    known = {f"answer_{number}": {"body": text} for number, text in enumerate(answers, 1)}
    return {"question": question, "body": body, **known, "id": item.task_id}


def _numbered(task_id: TaskId, number: int) -> TaskId:
    return task_id if number == 1 else f"{task_id}-{number}"
