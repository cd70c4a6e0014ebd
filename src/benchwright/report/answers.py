"""All answers to a task as one packed text: JSON, deflated, base64. The page unpacks it on a click.

164,000 answers as HTML would be half a gigabyte, which no browser opens. Packed by task they are a
twentieth of that, cost nothing until one is looked at, and answers to one task pack well since they are
alike. Equal texts are kept once. A text beyond the limit is cut, and the cut is said beside it.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from benchwright.records import Answer, TaskId, Verdict
from benchwright.report.programs import Programs
from benchwright.report.tally import Tally

CUT = 100_000  # characters of a text that are kept
BUDGET = 16 << 20  # characters of a task's texts after which further ones are kept shorter
SHORT = 2_000


class Packed(NamedTuple):
    """The answers to one task: the task's number on the page, and the packed text."""

    number: int
    text: str


def pack_all(
    tasks: Sequence[TaskId], tallies: Sequence[Tally], programs: Programs | None
) -> Iterator[Packed]:
    """The answers to each task, of all runs, one task at a time."""
    for number, task_id in enumerate(tasks):
        yield Packed(number, pack(document(task_id, tallies, programs)))


def pack(value: dict[str, Any]) -> str:
    """JSON, deflated, base64: letters that end no HTML element, whatever the answers hold."""
    data = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    return base64.b64encode(zlib.compress(data, 9)).decode("ascii")


def document(task_id: TaskId, tallies: Sequence[Tally], programs: Programs | None) -> dict[str, Any]:
    """What the page needs to show the answers to a task."""
    shelf = _Shelf(programs)
    questions, answers = [], []
    for tally in tallies:
        rows = tally.rows(task_id)
        variants = {answer.prompt for answer, _ in rows}
        questions.append(programs.questions(task_id, tally.prompts, variants) if programs else {})
        answers.append([shelf.add(*row) for row in rows])
    return {
        "canonical": programs.canonical(task_id) if programs else [],
        "questions": questions,
        "answers": answers,
        "texts": shelf.texts,
        "programs": shelf.programs,
    }


class _Shelf:
    """Texts and programs of a task, each kept once."""

    def __init__(self, programs: Programs | None) -> None:
        self.texts: list[dict[str, Any]] = []
        self.programs: list[dict[str, Any]] = []
        self._source = programs
        self._text_at: dict[str, int] = {}
        self._program_at: dict[str, int] = {}
        self._taken: dict[tuple[str, str | None], int | None] = {}
        self._spent = 0

    def add(self, answer: Answer, verdict: Verdict) -> dict[str, Any]:
        """One answer with its verdict; fields that say nothing are left out."""
        row = {
            "sample": answer.sample,
            "outcome": verdict.outcome.value,
            "text": self._keep_text(answer.text),
            "program": self._keep_program(answer),
            "why": answer.error or verdict.detail,
            "rule": verdict.rule,
            "suspicious": verdict.suspicious,
            "truncated": "yes" if verdict.truncated else "",
            "variant": answer.prompt,
            "isolation": verdict.isolation.value,
            "cpu": round(verdict.cpu_s, 4),
            "wall": round(verdict.wall_s, 4),
            "tokens": answer.tokens_out,
            "stdout": verdict.stdout,
        }
        return {name: value for name, value in row.items() if value is not None and value != ""}

    def _keep_text(self, text: str) -> int:
        if text not in self._text_at:
            self._text_at[text] = len(self.texts)
            self.texts.append(self._cut(text))
        return self._text_at[text]

    def _keep_program(self, answer: Answer) -> int | None:
        """What extraction takes from equal texts is equal, so it is asked once."""
        key = (answer.text, answer.finish_reason)
        if key not in self._taken:
            program = self._source.program(answer) if self._source else None
            self._taken[key] = None if program is None else self._place(program)
        return self._taken[key]

    def _place(self, program: str) -> int:
        if program not in self._program_at:
            self._program_at[program] = len(self.programs)
            self.programs.append(self._cut(program))
        return self._program_at[program]

    def _cut(self, text: str) -> dict[str, Any]:
        """The text, or its beginning and how long the whole of it is."""
        part = text[: CUT if self._spent < BUDGET else SHORT]
        self._spent += len(part)
        return {"text": part, "whole": len(text)} if len(part) < len(text) else {"text": part}
