"""The order of models: ranking and comparisons as rows and sentences.

All figures are computed in `rank`. A pair may be separated on its own but not after correction for the
number of pairs; its sentence says both.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from benchwright.contracts import Measure
from benchwright.display.escape import escaped_code
from benchwright.display.wording import counted, joined, p_value, points
from benchwright.errors import UsageError
from benchwright.rank.comparability import common_metric, without_grades
from benchwright.rank.comparison import compare
from benchwright.rank.standing import MEANING, ModelPair, Standing, StandingRow, rank
from benchwright.records import Metric
from benchwright.report.runs import Run
from benchwright.report.tables import measures_in, score_lines


class StandingLine(NamedTuple):
    """A model of the standing; `order` is the initial sort key of the table."""

    order: int
    rank: str
    name: str
    metrics: list[Metric | None]
    tasks: int
    n: int
    date: str


class PairRow(NamedTuple):
    """Two models: the difference in points with its interval, and whether it is established."""

    above: str
    below: str
    value: str
    interval: str
    tasks: int
    p: str
    separated: str


class RunOrder(NamedTuple):
    """The ranking and comparisons; a single run has only its score."""

    runs: list[Run]  # best first
    metric: str
    places: list[StandingRow]  # in the order of `runs`; empty without a ranking
    sentences: list[str]
    pairs: list[PairRow]
    notes: list[str]

    @property
    def measure(self) -> Measure:
        """The measure that orders the runs."""
        return self.runs[0].measures.find(self.metric)

    @property
    def ranks(self) -> list[str]:
        """The range of ranks of each run, such as "1–2"; empty without a ranking."""
        return [place.range for place in self.places]


def put_in_order(runs: Sequence[Run], *, metric: str | None, allow: Collection[str] = ()) -> RunOrder:
    """The runs from best to worst by a metric, or by the first that all have. Raises as `rank` does."""
    contestants = [run.contestant for run in runs]
    if len(runs) == 1:
        return RunOrder([runs[0]], _only_metric(runs[0], metric), [], [], [], [])
    if without := without_grades(contestants):
        grade = runs[0].measures.grade
        note = f"rules only: not a ranking: no {grade} in {joined(without)}"
        return RunOrder([*runs], _only_metric(runs[0], metric), [], [], [], [escaped_code(note)])
    found = rank(contestants, metric=metric, allow=allow)
    by_name = {run.contestant.name: run for run in runs}
    ordered = [by_name[place.name] for place in found.places]
    return RunOrder(
        runs=ordered,
        metric=found.metric,
        places=found.places,
        sentences=_sentences(ordered, found, allow=allow),
        pairs=[_pair_row(pair) for pair in found.pairs],
        notes=[_meaning(found), *map(escaped_code, found.notes)],
    )


def orders(
    groups: Sequence[Sequence[Run]], *, metric: str | None, allow: Collection[str] = ()
) -> list[RunOrder]:
    """The order of each track's runs. With several tracks, those without the metric use their own."""
    having = [any(metric in run.contestant.estimates for run in runs) for runs in groups]
    if (
        metric is None or len(groups) == 1 or not any(having)
    ):  # if no run has it, the error lists the available ones
        return [put_in_order(runs, metric=metric, allow=allow) for runs in groups]
    return [
        put_in_order(runs, metric=metric if has else None, allow=allow)
        for runs, has in zip(groups, having, strict=True)
    ]


def standing_rows(order: RunOrder) -> list[StandingLine]:
    """The table of the standing, with every metric of any run."""
    measures = measures_in(order.runs, score_lines(order.runs))
    ranks = order.ranks or [""] * len(order.runs)
    return [
        StandingLine(
            order=position,
            rank=place,
            name=run.name,
            metrics=[run.score.metrics.get(each.name) for each in measures],
            tasks=len(run.contestant.tasks),
            n=run.contestant.n,
            date=run.date,
        )
        for position, (run, place) in enumerate(zip(order.runs, ranks, strict=True), 1)
    ]


def _only_metric(run: Run, metric: str | None) -> str:
    """The metric to draw; empty for a run without one, because too few answers were judged."""
    if metric is None and not run.contestant.estimates:
        return next(iter(run.measures.in_order(run.score.metrics)), "")
    if metric is None or metric in run.contestant.estimates:
        return common_metric([run.contestant], metric)
    available = ", ".join(run.contestant.estimates) or "none"
    raise UsageError(
        f"{run.name} has no metric {escaped_code(metric)}: it has {available}", hint="leave out --metric"
    )


def _sentences(ordered: Sequence[Run], found: Standing, *, allow: Collection[str]) -> list[str]:
    """A sentence on the whole standing, then on each model and the next."""
    sentences = [found.sentence] if len(ordered) > 2 else []
    for above, below in pairwise(ordered):
        each = compare(above.contestant, below.contestant, metric=found.metric, allow=allow)
        pair = found.pair(above.contestant.name, below.contestant.name)
        sentences.append(each.sentence + _corrected(pair, alone=each.separated, pairs=len(found.pairs)))
    return [escaped_code(sentence) for sentence in sentences]


def _corrected(pair: ModelPair, *, alone: bool, pairs: int) -> str:
    if alone == pair.separated:
        return ""
    conclusion = "the difference is established" if pair.separated else "it is not established"
    return f" Corrected for the {counted(pairs, 'pair')} compared here, {conclusion} ({p_value(pair.p)})."


def _pair_row(pair: ModelPair) -> PairRow:
    found = pair.difference
    value, low, high = points(found.value, found.low, found.high)
    return PairRow(
        above=escaped_code(pair.above),
        below=escaped_code(pair.below),
        value=value,
        interval=f"{low} to {high}",
        tasks=found.tasks,
        p=p_value(pair.p).removeprefix("p = ").removeprefix("p "),
        separated="yes" if pair.separated else "no",
    )


def _meaning(found: Standing) -> str:
    share = f"{100 * found.confidence:g} %"
    return f"The rank ranges {MEANING[found.method].format(share=share)}."


def as_dict(order: RunOrder) -> dict[str, Any]:
    """The page's data about the order."""
    return {
        "ranked": bool(order.ranks),
        "metrics": measures_in(order.runs, score_lines(order.runs)),
        "rows": standing_rows(order),
        "notes": order.notes,
        "caption": f"From best to worst by {order.measure.title}"
        if len(order.runs) > 1
        else "Every metric of the run",
    }
