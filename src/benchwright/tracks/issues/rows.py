"""Rows of the issue track: a question and its known answers.

{"instruction": "…{question}…{body}…", "inputs": {"question", "body"?, "asked_at"?, "author"?, "updated_at"?},
"outputs": {"references": [{"body", "strength"?, "author"?, "role"?, "created_at"?, "updated_at"?,
"reactions"?, "number"?, "non_answer"?}]}, "meta": {"id", …}}, in MERA's format. Other keys survive
a round trip.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from benchwright.contracts import IssueSpec, Reference, Strength
from benchwright.display.escape import escaped_name
from benchwright.records import Task
from benchwright.tracks.mera_rows import items, optional_text, parts_of, remembered, task_of
from benchwright.tracks.rows import Fields

STRENGTHS: tuple[str, ...] = get_args(Strength)
NON_ANSWER = "non_answer"
MAX_REFERENCES = 1000
MAX_TEXT = 1 << 17  # limit of one text in characters: it must also be accepted as an answer


def build(fields: Fields) -> Task:
    """Read a task from a row. Raises DataError with file, line, task, field and hint."""
    return task_of(fields, read_spec, kind="smartcoding-issues", shown="question")


@remembered
def spec_of(task: Task) -> IssueSpec:
    """The spec of a loaded task."""
    return read_spec(*parts_of(task))


def read_spec(inputs: Fields, outputs: Fields) -> IssueSpec:
    """Read the spec from a row's inputs and outputs. Raises DataError for an invalid field."""
    question = inputs.text("question", limit=MAX_TEXT)
    body = optional_text(inputs, "body", limit=MAX_TEXT)
    if not (question.strip() or body.strip()):
        raise inputs.error("is empty, and so is the body", field="question", hint="a row needs a question")
    return IssueSpec(
        question=question,
        body=body,
        asked_at=optional_text(inputs, "asked_at", limit=80),
        references=ordered(_references(outputs)),
    )


def ordered(references: Sequence[Reference]) -> list[Reference]:
    """Sort references by strength, then by reactions, then in the order of the row."""
    return sorted(references, key=lambda each: (STRENGTHS.index(each.strength), -each.reactions))


def _references(outputs: Fields) -> list[Reference]:
    given = items(outputs, "references")
    if not given:
        hint = "a row needs at least one reference answer; remove rows without one"
        raise outputs.error("there is no reference answer", field="references", hint=hint)
    if len(given) > MAX_REFERENCES:
        hint = f"keep the {MAX_REFERENCES:,} strongest"
        raise outputs.error(f"there are {len(given):,} reference answers", field="references", hint=hint)
    found = [_reference(each) for each in given if not _is_no_answer(each)]
    if not found:
        hint = "remove the row: votes and courtesies are not answers"
        raise outputs.error(f"all reference answers are marked `{NON_ANSWER}`", field="references", hint=hint)
    return found


def _is_no_answer(given: Fields) -> bool:
    """Whether a reference is marked as a vote or courtesy; answers are not compared with it."""
    value = given.data.get(NON_ANSWER, False)
    if not isinstance(value, bool):
        raise given.error("must be true or false", field=NON_ANSWER, hint=f'write "{NON_ANSWER}": true')
    return value


def _reference(given: Fields) -> Reference:
    body = given.text("body", limit=MAX_TEXT)
    if not body.strip():
        raise given.error("is empty", field="body", hint="remove the answer")
    strength = optional_text(given, "strength", limit=20) or "any"
    if strength not in STRENGTHS:
        hint = f"one of: {', '.join(STRENGTHS)}"
        raise given.error(f"{escaped_name(strength)!r} is not a strength", field="strength", hint=hint)
    return Reference(
        body=body,
        strength=strength,  # type: ignore[arg-type]  # just checked
        author=optional_text(given, "author", limit=200),
        role=optional_text(given, "role", limit=80),
        created_at=optional_text(given, "created_at", limit=80),
        updated_at=optional_text(given, "updated_at", limit=80),
        reactions=_count(given, "reactions"),
        number=_count(given, "number"),
    )


def _count(given: Fields, name: str) -> int:
    value = given.data.get(name, 0)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 1 << 31:
        raise given.error("must be a count", field=name, hint=f'write "{name}": 0')
    return value
