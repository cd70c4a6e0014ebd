"""One pass over a run's verdicts: a few numbers per task for tables and charts."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import NamedTuple

from benchwright.contracts import worth
from benchwright.records import Answer, Outcome, TaskId, Verdict
from benchwright.report.places import RowRange, find_places, read_at, unfinished
from benchwright.store.runfolder import RunFolder

EXAMPLES = 3
TAMPERED = "wrote to the verdict's channel"  # a tampered answer without a known pattern


class SlowestAnswer(NamedTuple):
    """The answer to a task with the most processor time."""

    cpu_s: float
    sample: int
    outcome: Outcome


class Cell(NamedTuple):
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


class Cheats:
    """Answers with one kind of cheating attempt."""

    def __init__(self) -> None:
        self.outcomes: Counter[str] = Counter()
        self.examples: list[Example] = []

    def add(self, verdict: Verdict) -> None:
        """Count an answer; the first few are kept as examples."""
        self.outcomes[verdict.outcome.value] += 1
        if len(self.examples) < EXAMPLES:
            self.examples.append(Example(verdict.task_id, verdict.sample))


class VerdictTally:
    """Counts of a run's verdicts, and the position of each task's rows.

    `grade` is the score that measures an answer, if answers are graded.
    """

    def __init__(self, folder: RunFolder, grade: str = "") -> None:
        self._answers, self._verdicts, self._grade = folder.answers_path, folder.verdicts_path(), grade
        self.prompts: object = folder.manifest["identity"].get("prompts")
        self.cells: dict[TaskId, Cell] = {}
        self.outcomes: Counter[str] = Counter()
        self.isolation: Counter[str] = Counter()
        self.cheats: dict[str, Cheats] = {}
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
        self.cells[task_id] = Cell(
            Counter(verdict.outcome.value for verdict in verdicts),
            SlowestAnswer(slowest.cpu_s, slowest.sample, slowest.outcome),
            sum(worth(verdict, self._grade) or 0.0 for verdict in verdicts),
        )
        self.outcomes.update(self.cells[task_id].outcomes)
        for verdict in verdicts:
            self.isolation[verdict.isolation.value] += 1
            self.truncated += verdict.truncated
            if verdict.suspicious or verdict.outcome is Outcome.tampered:
                self.cheats.setdefault(verdict.suspicious or TAMPERED, Cheats()).add(verdict)


def _places(answers: Path, verdicts: Path) -> dict[TaskId, tuple[RowRange, RowRange]]:
    """The rows of each task in both files, which must have the same tasks in equal numbers."""
    of_answers, of_verdicts = find_places(answers), find_places(verdicts)
    for task_id in {**of_answers, **of_verdicts}:
        if task_id not in of_answers or task_id not in of_verdicts:
            raise unfinished(verdicts)
        if of_answers[task_id].rows != of_verdicts[task_id].rows:
            raise unfinished(verdicts)
    return {task_id: (place, of_verdicts[task_id]) for task_id, place in of_answers.items()}
