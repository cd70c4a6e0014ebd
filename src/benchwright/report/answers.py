"""All answers to a task as one packed text: JSON, deflated, base64. The page unpacks it on a click.

164,000 answers as HTML would be half a gigabyte, which no browser opens. Packed by task they are a
twentieth of that, cost nothing until one is looked at, and answers to one task pack well since they are
alike. Equal texts are kept once. A text beyond the limit is cut, and the cut is said beside it.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from benchwright.records import Answer, TaskId, Verdict
from benchwright.report.graded_answers import GradedRun, as_graded
from benchwright.report.programs import Programs
from benchwright.report.tally import VerdictTally

CUT = 100_000  # characters of a text that are kept
BUDGET = 16 << 20  # characters of a task's texts after which further ones are kept shorter
SHORT = 2_000


class Packed(NamedTuple):
    """The answers to one task: the task's number on the page, and the packed text."""

    number: int
    text: str


class AnswerRange(NamedTuple):
    """Where a track's answers are on the page: its first task's and its first run's number, and all runs."""

    task: int = 0
    run: int = 0
    runs: int | None = None


def pack_all(
    tasks: Sequence[TaskId],
    tallies: Sequence[VerdictTally],
    programs: Programs | None,
    *,
    labels: bool = False,
    graded: Sequence[GradedRun] = (),
    frame: AnswerRange = AnswerRange(),  # noqa: B008 (a constant)
) -> Iterator[Packed]:
    """The answers to each task of one track, of all its runs, one task at a time.

    `labels`: the answers are labels, each shown with the label read and the one expected, and no program.
    `graded`: the same runs, where answers are graded, with what their judges said.
    """
    for number, task_id in enumerate(tasks, frame.task):
        made = document(task_id, tallies, programs)
        if labels:
            made = as_labels(made, programs.gold(task_id) if programs else "")
        if graded:
            made = as_graded(made, task_id, graded, programs)
        yield Packed(number, pack(_framed(made, frame)))


def _framed(made: dict[str, Any], frame: AnswerRange) -> dict[str, Any]:
    """The document with an empty list for each run of another track: lists are by the page's runs."""
    if frame.runs is None:
        return made
    after = frame.runs - frame.run - len(made["answers"])
    questions = [*({} for _ in range(frame.run)), *made["questions"], *({} for _ in range(after))]
    answers = [*([] for _ in range(frame.run)), *made["answers"], *([] for _ in range(after))]
    return {**made, "questions": questions, "answers": answers}


def as_labels(made: dict[str, Any], expected: str) -> dict[str, Any]:
    """The document of a task whose answers are labels; `expected` is empty where it is not known."""
    programs = made["programs"]
    return {
        **made,
        "labels": True,
        "expected": expected,
        "canonical": [],
        "programs": [],
        "answers": [[_as_label(row, programs) for row in rows] for rows in made["answers"]],
    }


def _as_label(row: dict[str, Any], programs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """A row with the label that was read, without what only an execution has."""
    kept = {name: value for name, value in row.items() if name not in _EXECUTED}
    if "program" in row:
        kept["said"] = programs[row["program"]]["text"] or "no label"
    return kept


_EXECUTED = ("program", "isolation", "cpu", "wall", "stdout", "suspicious")


def pack(value: dict[str, Any]) -> str:
    """JSON, deflated, base64: letters that end no HTML element, whatever the answers hold."""
    data = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    return base64.b64encode(zlib.compress(data, 9)).decode("ascii")


def document(task_id: TaskId, tallies: Sequence[VerdictTally], programs: Programs | None) -> dict[str, Any]:
    """What the page needs to show the answers to a task."""
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
