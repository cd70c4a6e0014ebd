"""Packs all answers to a task into one text: JSON, deflated, base64. The page unpacks it on demand.

164,000 answers as HTML would be half a gigabyte, which no browser opens. Packed by task they take a
twentieth of that, cost nothing until opened, and compress well because answers to one task are similar.
Equal texts are stored once. A text beyond the limit is truncated, with a note.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from benchwright.records import Answer, TaskId, Verdict
from benchwright.report.graded_answers import GradedRunData, as_graded
from benchwright.report.programs import Programs
from benchwright.report.verdict_tally import TaskRows, VerdictTally

CUT = 100_000  # characters of a text on the page
BUDGET = 16 << 20  # characters of a task's texts, after which texts are truncated to SHORT
SHORT = 2_000


class PackedAnswers(NamedTuple):
    """The packed answers to one task, and the task's number on the page."""

    number: int
    text: str


class AnswerRange(NamedTuple):
    """The position of a track's answers on the page: its first task, its first run, and the number of all
    runs.
    """

    task: int = 0
    run: int = 0
    runs: int | None = None


def pack_all(
    tasks: Sequence[TaskId],
    tallies: Sequence[VerdictTally],
    programs: Programs | None,
    *,
    labels: bool = False,
    graded: Sequence[GradedRunData] = (),
    frame: AnswerRange = AnswerRange(),  # noqa: B008 (a constant)
) -> Iterator[PackedAnswers]:
    """Pack the answers of all runs of one track, task by task.

    `labels`: answers are labels, shown with the extracted and the expected label and without a program.
    `graded`: the same runs with their judges' assessments, if answers are graded.
    """
    for number, task_id in enumerate(tasks, frame.task):
        answer_document = document(task_id, tallies, programs)
        if labels:
            answer_document = as_labels(answer_document, programs.gold(task_id) if programs else "")
        if graded:
            answer_document = as_graded(answer_document, task_id, graded, programs)
        yield PackedAnswers(number, pack(_padded_to_all_runs(answer_document, frame)))


def _padded_to_all_runs(answer_document: dict[str, Any], frame: AnswerRange) -> dict[str, Any]:
    """The document with an empty list for each run of another track, because lists are indexed by the
    page's runs.
    """
    if frame.runs is None:
        return answer_document
    after = frame.runs - frame.run - len(answer_document["answers"])
    questions = [*({} for _ in range(frame.run)), *answer_document["questions"], *({} for _ in range(after))]
    answers = [*([] for _ in range(frame.run)), *answer_document["answers"], *([] for _ in range(after))]
    return {**answer_document, "questions": questions, "answers": answers}


def as_labels(answer_document: dict[str, Any], expected: str) -> dict[str, Any]:
    """The document of a task whose answers are labels; `expected` is empty if unknown."""
    programs = answer_document["programs"]
    return {
        **answer_document,
        "labels": True,
        "expected": expected,
        "canonical": [],
        "programs": [],
        "answers": [[_as_label(row, programs) for row in rows] for rows in answer_document["answers"]],
    }


def _as_label(row: dict[str, Any], programs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """A row with the extracted label, without fields of executions."""
    shown_fields = {name: value for name, value in row.items() if name not in _EXECUTED}
    if "program" in row:
        shown_fields["said"] = programs[row["program"]]["text"] or "no label"
    return shown_fields


_EXECUTED = ("program", "isolation", "cpu", "wall", "stdout", "suspicious")


def pack(value: dict[str, Any]) -> str:
    """JSON, deflated and base64-encoded: it cannot end an HTML element."""
    data = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    return base64.b64encode(zlib.compress(data, 9)).decode("ascii")


def document(task_id: TaskId, tallies: Sequence[TaskRows], programs: Programs | None) -> dict[str, Any]:
    """The data that the page needs for the answers to a task."""
    shelf = _TextPool(programs)
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


class _TextPool:
    """Texts and programs of a task, each stored once."""

    def __init__(self, programs: Programs | None) -> None:
        self.texts: list[dict[str, Any]] = []
        self.programs: list[dict[str, Any]] = []
        self._source = programs
        self._text_at: dict[str, int] = {}
        self._program_at: dict[str, int] = {}
        self._program_places: dict[tuple[str, str | None], int | None] = {}
        self._characters_used = 0

    def add(self, answer: Answer, verdict: Verdict) -> dict[str, Any]:
        """Add an answer with its verdict; empty fields are omitted."""
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
        """Store the program of a text; equal texts are extracted once."""
        key = (answer.text, answer.finish_reason)
        if key not in self._program_places:
            program = self._source.program(answer) if self._source else None
            self._program_places[key] = None if program is None else self._place(program)
        return self._program_places[key]

    def _place(self, program: str) -> int:
        if program not in self._program_at:
            self._program_at[program] = len(self.programs)
            self.programs.append(self._cut(program))
        return self._program_at[program]

    def _cut(self, text: str) -> dict[str, Any]:
        """The text, or its beginning and its full length."""
        part = text[: CUT if self._characters_used < BUDGET else SHORT]
        self._characters_used += len(part)
        return {"text": part, "whole": len(text)} if len(part) < len(text) else {"text": part}
