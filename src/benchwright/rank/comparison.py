"""Whether one of two models is better, in words with figures; metrics with different names."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import msgspec

from benchwright.contracts import Measure
from benchwright.display.escape import escaped_name
from benchwright.display.notebook import HtmlTable, fragment
from benchwright.display.wording import about, confidence_text, counted, p_value, points
from benchwright.errors import UsageError
from benchwright.rank.comparability import BOTH, SharedTasks, check_comparable, common_metric, shared_tasks
from benchwright.rank.contestant import Contestant
from benchwright.records import Metric, Record, TaskId
from benchwright.stats.paired import PairedDifference, paired_difference

FEW_TASKS = 12  # with fewer, what could have been found is known roughly
FEW_CLUSTERS = 10  # with fewer, an interval is wide and rests on assumptions


class EstimateChange(Record, frozen=True, kw_only=True):
    """A task on which two models' estimates differ."""

    task_id: TaskId
    a: float
    b: float

    @property
    def difference(self) -> float:
        """The first model's estimate minus the second's."""
        return round(self.a - self.b, 12)  # 0.8 - 0.2 is 0.6000000000000001


class Comparison(Record, frozen=True, kw_only=True):
    """Two runs on their shared tasks. `difference` is a minus b, in shares; `sentence` is the result in
    words.
    """

    a: str  # the names
    b: str
    metric: str
    confidence: float
    a_value: float  # means over the shared tasks
    b_value: float
    difference: PairedDifference
    grouping: str  # the key that groups the tasks; empty if each task is its own group
    changes: list[EstimateChange]  # the tasks that differ, largest difference first
    notes: list[str]
    sentence: str
    higher_is_better: bool = True

    @property
    def decided_by(self) -> str:
        """The key of the deciding figure in JSON: always the p value of the interval, never McNemar's.

        It exists for every metric and with clusters, and it agrees with the interval.
        """
        return "difference.p"

    @property
    def single(self) -> bool:
        """Whether every task is right or wrong for each model, so that changes form two lists."""
        return all({row.a, row.b} == {0.0, 1.0} for row in self.changes)

    @property
    def separated(self) -> bool:
        """Whether one model is established to be better: the interval excludes zero."""
        return not self.difference.low <= 0 <= self.difference.high

    @property
    def better(self) -> str | None:
        """The name of the better model if established, else None."""
        if not self.separated:
            return None
        return self.a if (self.difference.low > 0) == self.higher_is_better else self.b

    def __str__(self) -> str:
        return "\n".join([self.sentence, *self.notes])

    def _repr_html_(self) -> str:
        found = self.difference
        rows: list[tuple[object, ...]] = [
            (self.a, self.a_value, "", "", found.tasks),
            (self.b, self.b_value, "", "", found.tasks),
            ("difference", found.value, found.low, found.high, found.tasks),
        ]
        table = HtmlTable(("", self.metric, "low", "high", "tasks"), rows)
        interval = f"interval: {confidence_text(self.confidence)}, {p_value(found.p)}"
        return fragment(self.sentence, tables=[table], lines=[interval, *self.notes])


def compare(
    a: Contestant,
    b: Contestant,
    *,
    metric: str | None = None,
    confidence: float = 0.95,
    allow: Collection[str] = (),
) -> Comparison:
    """Compare two runs task by task, by a metric or by the first that both have.

    Raises RunError with the difference if the runs cannot be compared, UsageError for an unknown metric,
    and PrerequisiteError without the extra `stats`. For `allow` see `check_comparable`.
    """
    notes = check_comparable([a, b], allow=allow)
    metric = common_metric([a, b], metric)
    shared = shared_tasks([a, b], metric)
    ours, theirs = shared.estimates
    measure = a.measure(metric)
    found = paired_difference(ours, theirs, clusters=shared.clusters, confidence=confidence)
    if shared.clusters is not None and found.clusters < FEW_CLUSTERS:
        notes.append(f"the tasks come from only {found.clusters} groups, which widens the interval")
    notes += _beside(found, a.score.metrics[metric], b.score.metrics[metric], confidence=confidence)
    return Comparison(
        a=a.name,
        b=b.name,
        metric=metric,
        confidence=confidence,
        a_value=sum(ours) / len(ours),
        b_value=sum(theirs) / len(theirs),
        difference=found,
        grouping=shared.grouping,
        changes=_changes(shared),
        notes=notes,
        sentence=_sentence(a.name, b.name, measure, found, grouping=shared.grouping, confidence=confidence),
        higher_is_better=measure.higher_is_better,
    )


def _beside(found: PairedDifference, a: Metric, b: Metric, *, confidence: float) -> list[str]:
    """Notes on figures that seem to contradict the deciding one."""
    notes, limit = [], 1 - confidence
    separated = not found.low <= 0 <= found.high
    if separated and a.low <= b.high and b.low <= a.high:
        notes.append(
            "the intervals of the two runs overlap; the comparison by task separates them all the same, "
            "since what makes a task hard for both does not count in it"
        )
    if found.mcnemar is not None and (found.mcnemar < limit) != (found.p < limit):
        notes.append(
            f"the two p values fall on different sides of {limit:g}: {p_value(found.p)} decides, which is "
            f"that of the interval; McNemar's exact test, {p_value(found.mcnemar)}, is for comparison only"
        )
    return notes


def _changes(shared: SharedTasks) -> list[EstimateChange]:
    """Changes by size; ties: gains of the first model, then the data set's order."""
    rows = zip(shared.tasks, *shared.estimates, strict=True)
    changed = [EstimateChange(task_id=task, a=a, b=b) for task, a, b in rows if round(a - b, 12)]
    return sorted(changed, key=lambda row: (-abs(row.difference), row.difference < 0))


def _sentence(
    a: str, b: str, measure: Measure, found: PairedDifference, *, grouping: str, confidence: float
) -> str:
    if found.low <= 0 <= found.high:
        return _not_established(a, b, measure, found, grouping=grouping)
    flip = (found.low > 0) != measure.higher_is_better
    ends: Sequence[float] = [found.value, found.low, found.high]
    value, low, high = points(*([-ends[0], -ends[2], -ends[1]] if flip else ends))
    better, worse = (b, a) if flip else (a, b)
    sure = confidence_text(confidence)
    facts = f"{sure} interval {low} to {high}, {_tasks(found, grouping)}, {p_value(found.p)}"
    return f"{better} {measure.better} than {worse}: {value} points of {measure.title} ({facts})."


def _not_established(a: str, b: str, measure: Measure, found: PairedDifference, *, grouping: str) -> str:
    value, low, high = points(found.value, found.low, found.high)
    return (
        f"Not established which of {a} and {b} {measure.better}: the difference is "
        f"{value} points of {measure.title}, "
        f"and the interval {low} to {high} includes zero ({_tasks(found, grouping)}, {p_value(found.p)}). "
        f"{_least(found)}"
    )


def _least(found: PairedDifference) -> str:
    """The smallest difference that the comparison could have detected, in words."""
    if found.detectable is None:
        return "With so few tasks, no difference of any size could be detected reliably."
    roughly = ", a rough figure for so few tasks" if found.clusters < FEW_TASKS else ""
    return (
        "These tasks cannot reliably detect a difference "
        f"under about {about(found.detectable)} points{roughly}."
    )


def _tasks(found: PairedDifference, grouping: str) -> str:
    tasks = counted(found.tasks, "task")
    return f"{tasks} in {found.clusters} groups by {grouping}" if grouping else tasks


def match_metric(contestants: Sequence[Contestant], metric: str | None) -> list[Contestant]:
    """The contestants, each with the metric under the joined name; unchanged without joined names.

    Each contestant uses the first of the names that it has. Only the user knows that two tools measure the
    same, so nothing is matched automatically. Raises UsageError for a contestant with none of the names,
    and for metrics with opposite directions.
    """
    if metric is None or BOTH not in metric or any(metric in c.estimates for c in contestants):
        return list(contestants)
    names = [name.strip() for name in metric.split(BOTH)]
    own = [_metric_of(c, names) for c in contestants]
    directions = {c.measure(name).higher_is_better for c, name in zip(contestants, own, strict=True)}
    if len(directions) > 1:
        message = f"{escaped_name(metric)}: higher is better for one of them and worse for the other"
        raise UsageError(message, hint="use metrics with the same direction")
    return [_with(c, name, metric) for c, name in zip(contestants, own, strict=True)]


def _metric_of(contestant: Contestant, names: Sequence[str]) -> str:
    found = next((name for name in names if name in contestant.estimates), None)
    if found is None:
        available = ", ".join(contestant.estimates) or "none"
        requested = " nor ".join(escaped_name(name) for name in names)
        raise UsageError(
            f"{contestant.name} has neither {requested}: it has {available}",
            hint=f"--metric '{names[0]}={next(iter(contestant.estimates), 'NAME')}'",
        )
    return found


def _with(contestant: Contestant, name: str, joined: str) -> Contestant:
    """The contestant with a metric also under the joined name."""
    known = msgspec.structs.replace(contestant.measure(name), name=joined, label=joined)
    score = contestant.score
    metrics = {joined: score.metrics[name], **score.metrics}
    return msgspec.structs.replace(
        contestant,
        estimates={joined: contestant.estimates[name], **contestant.estimates},
        measured=[known, *contestant.measured],
        score=msgspec.structs.replace(score, metrics=metrics),
    )
