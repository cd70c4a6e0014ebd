"""The answers in a submission, for the owner of the golds to judge."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from benchwright.errors import UsageError
from benchwright.interop.mera.archive import UNREADABLE, read_json, read_members, read_rows
from benchwright.interop.mera.findings import Findings
from benchwright.interop.mera.task_sets import KINDS, OutputsShape
from benchwright.records import Record
from benchwright.store.strict_json import replace_lone


class SubmittedAnswer(Record, frozen=True, kw_only=True):
    """An answer in a submission, as `replay:` reads it."""

    task_id: int | str
    text: str


def answers_of(path: str | Path, names: Sequence[str]) -> Iterator[SubmittedAnswer]:
    """Yield the answers of a task set in a submission, in its order; those that are not texts are left out.

    Raises UsageError for more than one task set, or for one that holds results of calls, not answers.
    """
    if len(names) != 1 or KINDS[names[0]].shape is OutputsShape.generations:
        message = f"--answers: {' and '.join(names)} cannot be written as answers"
        raise UsageError(message, hint="name one --gold whose task set holds texts")
    found = Findings()
    member = read_members(path, found).get(names[0])
    document = UNREADABLE if member is None else read_json(member.data, member.name, found)
    rows = {} if document is UNREADABLE else read_rows(document, names[0], found) or {}
    for task_id, outputs in rows.items():
        texts = outputs[0] if isinstance(outputs, list) and outputs else [outputs]
        for text in texts if isinstance(texts, list) else []:
            if isinstance(text, str) and isinstance(task_id, int | str):
                yield SubmittedAnswer(task_id=task_id, text=replace_lone(text))
