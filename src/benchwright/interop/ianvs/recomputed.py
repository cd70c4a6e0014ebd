"""Values of items in an exported example, and how it computes figures from them.

A figure is exported only if the mean of its items' values equals that of the run, up to the last digit, with
the same interval. Others (a figure over classes, pass@k) are listed as omitted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum, isclose
from typing import Any, NamedTuple

from benchwright.contracts import JudgedAnswer, MeasureSet
from benchwright.records import Answer, Metric, TaskId, Verdict
from benchwright.stats.intervals import wilson
from benchwright.stats.score import graded_metric, mean_metric

How = str | int  # "wilson", "items" or a number of draws
_EXACT = 1e-12


class ItemResult(NamedTuple):
    """Answers to an item and their values by figure; figures without a value are absent."""

    task_id: TaskId
    texts: list[str]
    outcomes: list[str]
    decided: int
    values: dict[str, float]

    def document(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "task_id": self.task_id,
            "answers": len(self.outcomes),
            "decided": self.decided,
            "values": self.values,
            "outcomes": self.outcomes,
            "texts": self.texts,
        }


def item_result(
    measures: MeasureSet, task_id: TaskId, answers: Sequence[Answer], verdicts: Sequence[Verdict]
) -> ItemResult:
    """Make the result of an item from the verdicts on its answers."""
    given = [JudgedAnswer.of(each, "") for each in verdicts if not each.outcome.is_missing]
    decided = sum(each.outcome.is_decided for each in given)
    names = [each.name for each in measures.measures if not each.is_family]
    found = {name: measures.task_value(name, given) for name in names} if given else {}
    values = {name: value for name, value in found.items() if value is not None}
    texts = [each.text for each in sorted(answers, key=lambda each: each.sample)]
    return ItemResult(task_id, texts, [each.outcome.value for each in verdicts], decided, values)


def intervals_of(
    results: Sequence[ItemResult], metrics: Mapping[str, Metric], names: Sequence[str]
) -> dict[str, How]:
    """Return the method of each figure's interval, without figures that cannot be computed from items."""
    found: dict[str, How] = {}
    for name in names:
        values = [each.values[name] for each in results if name in each.values]
        if (how := _how(values, metrics.get(name))) is not None:
            found[name] = how
    return found


def _how(values: Sequence[float], metric: Metric | None) -> How | None:
    if metric is None:
        return None if values else "items"  # nothing was judged: the figure is there, and has no value
    if len(values) != metric.n or not _near(fsum(values) / len(values), metric.value):
        return None
    draws = metric.samples
    tried: dict[How, Any] = {
        "items": graded_metric(values, samples=draws),
        draws: mean_metric(values, draws=draws, samples=draws),
    }
    if set(values) <= {0.0, 1.0}:
        tried = {"wilson": wilson(round(sum(values)), len(values)), **tried}
    same = (how for how, one in tried.items() if _near(one.low, metric.low) and _near(one.high, metric.high))
    return next(same, None)


def _near(one: float, other: float) -> bool:
    return isclose(one, other, rel_tol=_EXACT, abs_tol=_EXACT)
