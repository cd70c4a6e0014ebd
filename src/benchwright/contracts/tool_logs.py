"""Logs of other tools as comparisons read them: scores of samples under the tool's own names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from benchwright.contracts.measures import JudgedAnswer, JudgedAnswers, Measure, MeasureSet
from benchwright.records import Metric, Task, TaskId


class LoggedSample(NamedTuple):
    """One answer in a log. Without `failure` and without scores, the tool's scorers gave it no number."""

    task_id: TaskId
    epoch: int  # from 1; a task's repetitions
    scores: Mapping[str, float]  # by metric, as the tool has them; not always from 0 to 1
    failure: str = ""  # why there is no answer to score
    content: str = ""  # digest of what the task is, to tell renamed and changed tasks
    meta: Mapping[str, Any] = {}  # what may name the group that the task belongs to
    text: str = ""  # what the model answered, where it was asked for


class ToolLog(NamedTuple):
    """One log: the task, the model, and every sample that is in it, in the order of the tool's data set."""

    tool: str  # as its users write it
    path: Path
    task: str
    model: str
    samples: Sequence[LoggedSample]
    measures: Sequence[Measure]  # facts of the metrics; one that is not among them is a plain share
    expected: Sequence[TaskId] = ()  # tasks that the log says it was to hold, where it says so
    epochs: int = 1
    reported: Mapping[str, float] = {}  # the tool's own mean of a metric, to hold ours against
    notes: Sequence[str] = ()
    started: str = ""


class LogReader(Protocol):
    """Reads the logs of one tool. What is wrong inside one is a DataError that says where."""

    def recognizes(self, path: Path) -> bool:
        """Whether a file may be such a log, by its name and its first bytes."""
        ...

    def files(self, folder: Path) -> list[Path]:
        """The files of a folder that may be such logs."""
        ...

    def read(self, path: Path, *, texts: bool = False) -> ToolLog:
        """The log; `texts`: with what the models answered."""
        ...


class ToolMeasures(MeasureSet):
    """The metrics of a log, by the facts that the tool gives; what is not known of one is a plain share."""

    def __init__(self, measures: Sequence[Measure], grade: str = "") -> None:
        self.measures, self.grade = tuple(measures), grade

    @property
    def family(self) -> None:
        """None: a tool's pass@1 is a number a sample, from which no curve can be drawn."""
        return

    @property
    def headline(self) -> Measure:
        """The first metric of the log."""
        return self.measures[0]

    def find(self, name: str) -> Measure:
        """The measure of exactly this name."""
        return next(
            (each for each in self.measures if each.name == name), Measure(name=name, label=name, paired=True)
        )

    def metrics(
        self, tasks: Mapping[TaskId, Task], answers: JudgedAnswers, ks: Sequence[int]
    ) -> dict[str, Metric]:
        """None: the figures of a log are made of its samples when it is loaded."""
        return {}

    def task_value(self, name: str, answers: Sequence[JudgedAnswer]) -> float | None:
        """The mean over a task's answers that have a score of this name."""
        values = [each.scores[name] for each in answers if name in each.scores]
        return sum(values) / len(values) if values else None
