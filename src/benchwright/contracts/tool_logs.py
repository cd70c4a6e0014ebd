"""Logs of other tools, for comparisons: scores of samples by the tool's own metric names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from benchwright.contracts.measures import JudgedAnswer, JudgedAnswers, Measure, MeasureSet
from benchwright.records import Metric, Task, TaskId


class LoggedSample(NamedTuple):
    """One answer in a log. If it has neither `failure` nor scores, the tool's scorers gave no number."""

    task_id: TaskId
    epoch: int  # repetition of the task, from 1
    scores: Mapping[str, float]  # by metric, on the tool's scale; not always from 0 to 1
    failure: str = ""  # why there is no answer to score
    content: str = ""  # digest of the task, to detect renamed and changed tasks
    meta: Mapping[str, Any] = {}  # metadata, which may name the task's group
    text: str = ""  # the model's answer, if texts were requested


class ToolLog(NamedTuple):
    """One log: task, model, and all samples in the order of the tool's data set."""

    tool: str  # the tool's name as its users write it
    path: Path
    task: str
    model: str
    samples: Sequence[LoggedSample]
    measures: Sequence[Measure]  # facts about the metrics; other metrics are treated as shares
    expected: Sequence[TaskId] = ()  # tasks that the log should contain, if it lists them
    epochs: int = 1
    reported: Mapping[str, float] = {}  # the tool's own means by metric, for comparison with ours
    notes: Sequence[str] = ()
    started: str = ""


class LogReader(Protocol):
    """Reads the logs of one tool. An invalid log raises a DataError with its position."""

    def recognizes(self, path: Path) -> bool:
        """Whether a file may be a log, by its name and first bytes."""
        ...

    def files(self, folder: Path) -> list[Path]:
        """Files of a folder that may be logs."""
        ...

    def read(self, path: Path, *, texts: bool = False) -> ToolLog:
        """Read a log; with `texts`, include the models' answers."""
        ...


class ToolMeasures(MeasureSet):
    """Metrics of a log, with the facts that the tool gives; metrics without facts are treated as shares."""

    def __init__(self, measures: Sequence[Measure], grade: str = "") -> None:
        self.measures, self.grade = tuple(measures), grade

    @property
    def family(self) -> None:
        """None: a tool's pass@1 is one number per sample, from which no curve can be computed."""
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
        """None: figures of a log are computed from its samples when it is loaded."""
        return {}

    def task_value(self, name: str, answers: Sequence[JudgedAnswer]) -> float | None:
        """Mean over a task's answers that have a score with this name."""
        values = [each.scores[name] for each in answers if name in each.scores]
        return sum(values) / len(values) if values else None
