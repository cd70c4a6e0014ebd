"""Reads a run's verdicts once: counts for tables and charts, and the place of each task's rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, Protocol, TypeVar

import msgspec

from benchwright.contracts import worth
from benchwright.display.escape import escaped_path
from benchwright.errors import RunError
from benchwright.records import Answer, Outcome, TaskId, Verdict
from benchwright.store.runfolder import RunFolder
from benchwright.store.writing import Head, decode_record

EXAMPLES = 3
TAMPERED = "wrote to the verdict's channel"  # a tampered answer without a known pattern


class SlowestAnswer(NamedTuple):
    """The answer to a task with the most processor time."""

    cpu_s: float
    sample: int
    outcome: Outcome


class OutcomeTally(NamedTuple):
    """The outcomes of one model's answers to one task."""

    outcomes: Counter[str]
    slowest: SlowestAnswer
    worth: float  # sum over answers: 1 for a passed one, the score of a graded one

    @property
    def passed(self) -> int:
        """The number of passed answers."""
        return self.outcomes[Outcome.passed.value]

    @property
    def judged(self) -> int:
        """The number of decided answers: neither missing nor undecided."""
        return sum(number for name, number in self.outcomes.items() if Outcome(name).is_decided)


class Example(NamedTuple):
    """An answer to link to."""

    task_id: TaskId
    sample: int


class CheatTally:
    """Answers with one kind of cheating attempt."""

    def __init__(self) -> None:
        self.outcomes: Counter[str] = Counter()
        self.examples: list[Example] = []

    def add(self, verdict: Verdict) -> None:
        """Count an answer; the first few are kept as examples."""
        self.outcomes[verdict.outcome.value] += 1
        if len(self.examples) < EXAMPLES:
            self.examples.append(Example(verdict.task_id, verdict.sample))


class TaskRows(Protocol):
    """The answers of a run by task, with their verdicts."""

    prompts: object  # the part of the run's identity on prompt variants

    def rows(self, task_id: TaskId) -> list[tuple[Answer, Verdict]]:
        """The answers to a task with their verdicts."""


class VerdictTally:
    """Counts of a run's verdicts, and the position of each task's rows.

    `grade` is the score that measures an answer, if answers are graded.
    """

    def __init__(self, folder: RunFolder, grade: str = "") -> None:
        self._answers, self._verdicts, self._grade = folder.answers_path, folder.verdicts_path(), grade
        self.prompts: object = folder.manifest["identity"].get("prompts")
        self.cells: dict[TaskId, OutcomeTally] = {}
        self.outcomes: Counter[str] = Counter()
        self.isolation: Counter[str] = Counter()
        self.cheats: dict[str, CheatTally] = {}
        self.truncated = 0
        self._places = _places(self._answers, self._verdicts)
        for task_id, (_, place) in self._places.items():
            self._add(task_id, read_at(self._verdicts, place, Verdict))

    @property
    def total(self) -> int:
        """The number of answers."""
        return self.outcomes.total()

    def rows(self, task_id: TaskId) -> list[tuple[Answer, Verdict]]:
        """The answers to a task with their verdicts. Raises RunError if the files do not match."""
        if task_id not in self._places:
            return []
        of_answers, of_verdicts = self._places[task_id]
        answers = read_at(self._answers, of_answers, Answer)
        verdicts = read_at(self._verdicts, of_verdicts, Verdict)
        if [answer.sample for answer in answers] != [verdict.sample for verdict in verdicts]:
            raise unfinished(self._verdicts)
        return list(zip(answers, verdicts, strict=True))

    def _add(self, task_id: TaskId, verdicts: list[Verdict]) -> None:
        slowest = max(verdicts, key=lambda verdict: verdict.cpu_s)
        self.cells[task_id] = OutcomeTally(
            Counter(verdict.outcome.value for verdict in verdicts),
            SlowestAnswer(slowest.cpu_s, slowest.sample, slowest.outcome),
            sum(worth(verdict, self._grade) or 0.0 for verdict in verdicts),
        )
        self.outcomes.update(self.cells[task_id].outcomes)
        for verdict in verdicts:
            self.isolation[verdict.isolation.value] += 1
            self.truncated += verdict.truncated
            if verdict.suspicious or verdict.outcome is Outcome.tampered:
                self.cheats.setdefault(verdict.suspicious or TAMPERED, CheatTally()).add(verdict)


def _places(answers: Path, verdicts: Path) -> dict[TaskId, tuple[RowRange, RowRange]]:
    """The rows of each task in both files, which must have the same tasks in equal numbers."""
    of_answers, of_verdicts = find_places(answers), find_places(verdicts)
    for task_id in {**of_answers, **of_verdicts}:
        if task_id not in of_answers or task_id not in of_verdicts:
            raise unfinished(verdicts)
        if of_answers[task_id].rows != of_verdicts[task_id].rows:
            raise unfinished(verdicts)
    return {task_id: (place, of_verdicts[task_id]) for task_id, place in of_answers.items()}


R = TypeVar("R")


class RowRange(NamedTuple):
    """The offset of a task's rows, and their number."""

    offset: int
    rows: int


def find_places(path: Path) -> dict[TaskId, RowRange]:
    """The position of each task's rows. Raises RunError for an unfinished file."""
    found: dict[TaskId, RowRange] = {}
    current: TaskId | None = None
    decode = msgspec.json.Decoder(Head).decode
    for offset, number, line in _lines(path):
        task = decode_record(decode, line, path, number).task_id
        if task != current and task in found:
            raise unfinished(path)
        start = found.get(task, RowRange(offset, 0))
        found[task] = RowRange(start.offset, start.rows + 1)
        current = task
    return found


def read_at(path: Path, place: RowRange, kind: type[R]) -> list[R]:
    """The rows of one task."""
    decode = msgspec.json.Decoder(kind).decode
    with path.open("rb") as file:
        file.seek(place.offset)
        return [decode_record(decode, file.readline(), path, 0) for _ in range(place.rows)]


def unfinished(path: Path) -> RunError:
    """The error for files of an unfinished run."""
    hint = "repeat the command of the run to finish it, then report it"
    return RunError(f"{escaped_path(path)} is incomplete or was edited", hint=hint)


def _lines(path: Path) -> Iterator[tuple[int, int, bytes]]:
    """Each complete line with its offset and its number."""
    if not path.is_file():
        raise unfinished(path)
    offset = 0
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if not line.endswith(b"\n"):
                raise unfinished(path)
            yield offset, number, line
            offset += len(line)
