"""Adapter for exported examples: a track as the model and the metrics of an Ianvs job.

It runs within the job, including in Ianvs itself. Ianvs passes a whole data set to `predict`, and the result
to each metric. Here `predict` is a run in a run folder, so that it can be resumed; metrics are the figures of
the track over the verdicts of that run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import chain
from math import nan
from pathlib import Path
from typing import Any

import msgspec

from benchwright import registry
from benchwright.contracts import JudgedAnswer, Track
from benchwright.errors import DataError, command_name
from benchwright.records import Metric, Task, TaskId, Verdict
from benchwright.running.options import JudgeOptions
from benchwright.running.pipeline import run
from benchwright.running.run_data import open_run

Prediction = list[dict[str, Any]]  # the verdicts on all answers to one item, as plain values


class TrackModel:
    """Answers and judges the rows of an exported data set. `options` are those of `benchwright.run`.

    `judge` is the spec of a model judge, as for `run --judge`.
    """

    def __init__(self, track: str, rows: str | Path, *, judge: str = "", **options: Any) -> None:
        self.track, self.rows = track, Path(rows)
        self._options = {**options, **({"judges": JudgeOptions(specs=(judge,))} if judge else {})}
        self._verdicts: dict[TaskId, list[Verdict]] = {}

    def predict(self, data: Any) -> list[Prediction]:
        """Return the verdicts on the answers to each item, in order; all items are asked together.

        `data` contains all or some items of the exported data set. Raises DataError for an item that is not
        in the file of rows, because one of both files was changed.
        """
        task_ids = [_task_id(text) for text in data.explanation]
        if not self._verdicts:
            score = run(self.track, data=str(self.rows), **self._options)
            for verdict in open_run(score.run).verdicts():
                self._verdicts.setdefault(verdict.task_id, []).append(verdict)
        absent = [task_id for task_id in task_ids if task_id not in self._verdicts]
        if absent:
            message = f"{self.rows} lacks the item {absent[0]} of the job's data set"
            raise DataError(message, hint=f"export both again: {command_name()} ianvs export --help")
        predicted: list[Prediction] = msgspec.to_builtins([self._verdicts[task_id] for task_id in task_ids])
        return predicted


def metric(track: str, name: str, rows: str | Path) -> Callable[[Sequence[Any], Sequence[Prediction]], float]:
    """Return a track's figure as a metric of Ianvs: NaN if nothing was judged, never zero.

    `NAME_judged`, `NAME_low` and `NAME_high` are the number of items and the interval of the figure NAME;
    `answers`, `answers_decided` and `undecided` are counts, as in `recomputed`.
    """

    def figure(y_true: Sequence[Any], y_pred: Sequence[Prediction]) -> float:
        verdicts = msgspec.convert(list(y_pred), list[list[Verdict]])
        if name in _COUNTS:
            return float(_COUNTS[name](verdicts))
        measured = _track(track)
        answers: dict[TaskId, list[JudgedAnswer]] = {}
        for verdict in chain.from_iterable(verdicts):
            if not verdict.outcome.is_missing:
                answers.setdefault(verdict.task_id, []).append(JudgedAnswer.of(verdict, ""))
        found = measured.measures.metrics(_tasks(track, Path(rows)), answers, measured.ks)
        return _metric_value(found, name)

    figure.__name__ = name.replace("@", "_")
    return figure


def _metric_value(found: Mapping[str, Metric], name: str) -> float:
    """Return a figure, or the part of it that the suffix of its name selects."""
    if name in found:
        return found[name].value
    base, _, part = name.rpartition("_")
    if part == "judged":
        return float(found[base].n) if base in found else 0.0
    value: float = getattr(found[base], part) if base in found and part in ("low", "high") else nan
    return value


def _decided_count(verdicts: Sequence[Verdict]) -> int:
    return sum(each.outcome.is_decided for each in verdicts)


_COUNTS: dict[str, Callable[[list[list[Verdict]]], int]] = {
    "answers": lambda items: sum(map(len, items)),
    "answers_decided": lambda items: sum(map(_decided_count, items)),
    "undecided": lambda items: sum(not _decided_count(each) for each in items),
}


@cache
def _tasks(track: str, rows: Path) -> dict[TaskId, Task]:
    return {task.task_id: task for task in _track(track).load(rows)}


def _track(name: str) -> Track:
    found: Track = registry.find("track", name)
    return found


def _task_id(explanation: str) -> TaskId:
    found: TaskId = msgspec.json.decode(str(explanation))["task_id"]  # numpy.str_ offers its own bytes
    return found
