"""The section on graded runs: metrics with their shares of rules and judges, judges, indicators."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, groupby
from typing import Any, NamedTuple

from benchwright.contracts import Indicator, Measure, read_indicators
from benchwright.display.escape import escaped_code, visible_name
from benchwright.display.wording import counted, interval, percent
from benchwright.records import Metric
from benchwright.report import chart_kinds
from benchwright.report.chart_canvas import Drawing
from benchwright.report.runs import Run
from benchwright.running.human_labels import people_of

_COUNTS = ("judged", "undecided", "unparsable", "missing", "contradictions")


class GradeRow(NamedTuple):
    """A metric of one run, and its shares decided by rules and by judges."""

    run: str
    measure: Measure
    metric: Metric
    rule: str
    judge: str
    calibrated: str


class PeopleRow(NamedTuple):
    """A metric of one run by judges, by people and by both, with intervals if known."""

    run: str
    measure: Measure
    judge: Metric | None
    people: Metric
    both: Metric | None
    labels: str
    calibrated: str


class JudgeRow(NamedTuple):
    """A model judge of one run: its decisions and its self-check."""

    run: str
    judge: str
    model: str
    counts: list[int]
    proof: str
    own_family: int
    calibrated: str


class IndicatorRow(NamedTuple):
    """An indicator with its value in each run: figure and interval, or the reason why it is missing."""

    name: str
    about: str
    cells: list[tuple[str, str]]


def grades_part(runs: Sequence[Run]) -> dict[str, Any] | None:
    """The data of the section; None if no run records how its scores were made."""
    if not any(run.graded for run in runs):
        return None
    part = {
        "rows": [row for run in runs for row in _grade_rows(run)],
        "weights": _weights(runs),
        "judges": [row for run in runs for row in _judge_rows(run)],
        "judge_counts": _COUNTS,
        "people": [row for run in runs for row in _people_rows(run)],
        "votes": [line for run in runs for line in _votes(run, several=len(runs) > 1)],
        "indicators": _indicators(runs),
        "runs": [run.name for run in runs],
    }
    return part if part["rows"] or part["indicators"] else None


def distribution_drawing(runs: Sequence[Run]) -> Drawing | None:
    """The distribution of total scores; None if no run has them."""
    found = [(line, run, tenths) for line, run in enumerate(runs) if any(tenths := _tenths(run))]
    if not found:
        return None
    rows = [
        _bar(line, run.name, tenth, tenths) for line, run, tenths in found for tenth in range(len(tenths))
    ]
    summary = "; ".join(
        f"{run.name}: {counted(sum(tenths), 'answer')}, the median {_median(tenths)}"
        for _, run, tenths in found
    )
    make = chart_kinds.histogram_chart(rows, [run.name for run in runs])
    return Drawing("totals", "Answers by their total", summary, make)


def _tenths(run: Run) -> list[int]:
    return [int(each) for each in run.score.details.get("distribution", [])]


def _bar(line: int, name: str, tenth: int, tenths: Sequence[int]) -> dict[str, Any]:
    width = 100 // len(tenths)
    start, end = width * tenth, width * (tenth + 1)
    share = 100 * tenths[tenth] / sum(tenths)
    description = f"{name}: {counted(tenths[tenth], 'answer')} with a total from {start} to {end} %"
    return {"line": line, "start": start, "share": share, "said": description}


def _median(tenths: Sequence[int]) -> str:
    """The tenth with the median."""
    middle = next(at for at, below in enumerate(accumulate(tenths)) if 2 * below >= sum(tenths))
    width = 100 // len(tenths)
    return f"between {width * middle} and {width * (middle + 1)} %"


def _grade_rows(run: Run) -> Iterator[GradeRow]:
    """Rows of format, accuracy and logic, or of the run's own shares."""
    shares: Mapping[str, Mapping[str, float]] = run.score.details.get("shares", {})
    calibrated = _is_calibrated(run)
    for name in run.measures.in_order(shares):
        metric = run.score.metrics.get(name)
        if metric is not None:
            rule, judge = (shares[name].get(who, 0.0) for who in ("rule", "judge"))
            calibration = "" if not judge else "calibrated" if calibrated else "uncalibrated"
            yield GradeRow(run.name, run.measures.find(name), metric, _part(rule), _part(judge), calibration)


def _part(share: float) -> str:
    return f"{100 * share:.0f} %"


def _people_rows(run: Run) -> Iterator[PeopleRow]:
    people = people_of(run.score)
    for name, figure in people.figures.items() if people else ():
        yield PeopleRow(
            run=run.name,
            measure=run.measures.find(name),
            judge=figure.judge,
            people=figure.people,
            both=figure.both,
            labels=f"{figure.labels:,} of {figure.answers:,}",
            calibrated="" if figure.both is None else "yes" if figure.calibrated else "uncalibrated",
        )


def _votes(run: Run, *, several: bool) -> Iterator[str]:
    """The number of votes of a run, their result, and the agreement of people."""
    people = people_of(run.score)
    if people is None:
        return
    agreed = (
        f"{escaped_code(field)} {percent(found.share)} % of {counted(found.items, 'item')}"
        for field, found in people.agreement.items()
    )
    who = f"{run.name}: " if several else ""
    summary = f"{who}{people.summary}"
    agreements = ", ".join(agreed)
    yield f"{summary}; two people say the same of {agreements}." if agreements else f"{summary}."


def _is_calibrated(run: Run) -> bool:
    facts = _facts(run)
    people = people_of(run.score)
    if people is not None and people.decided:
        return True  # decided by people themselves if no model judge was asked
    return bool(facts) and all(fact.get("calibrated") for fact in facts.values())


def _facts(run: Run) -> Mapping[str, Mapping[str, Any]]:
    found: Mapping[str, Mapping[str, Any]] = run.score.details.get("judges", {})
    return found


def _weights(runs: Sequence[Run]) -> str:
    weights: Mapping[str, float] = runs[0].score.details.get("weights", {})
    names = runs[0].measures.in_order(weights)
    return ", ".join(f"{escaped_code(name)} {weights[name]:.2g}" for name in names)


def _judge_rows(run: Run) -> Iterator[JudgeRow]:
    for judge, fact in _facts(run).items():
        yield JudgeRow(
            run=run.name,
            judge=visible_name(judge),
            model=escaped_code(fact.get("model", "")),
            counts=[int(fact.get(name, 0)) for name in _COUNTS],
            proof=_self_check_text(fact.get("self_check", {})),
            own_family=int(fact.get("own_family", 0)),
            calibrated="yes" if fact.get("calibrated") else "uncalibrated",
        )


def _self_check_text(check: Mapping[str, Any]) -> str:
    """The result of a judge's self-check on answers with known order."""
    if not check:
        return "not recorded"
    right = int(check.get("pairs", 0)) - int(check.get("wrong", 0))
    return (
        f"{right} of {int(check.get('pairs', 0))} pairs ordered rightly, "
        f"{int(check.get('obeyed', 0))} of {int(check.get('injections', 0))} injections obeyed"
    )


def _indicators(runs: Sequence[Run]) -> list[tuple[str, list[IndicatorRow]]]:
    """By quality, a row for each indicator of any run."""
    found = [{(each.quality, each.name): each for each in read_indicators(run.score.details)} for run in runs]
    keys = list(dict.fromkeys(key for each in found for key in each))
    rows = [
        (quality, _indicator(name, [each.get((quality, name)) for each in found])) for quality, name in keys
    ]
    return [(quality, [row for _, row in group]) for quality, group in groupby(rows, key=lambda row: row[0])]


def _indicator(name: str, each: Sequence[Indicator | None]) -> IndicatorRow:
    first = next(found for found in each if found is not None)
    about = f"{first.about} ({first.unit})" + ("" if first.higher_is_better else "; less is better")
    return IndicatorRow(
        escaped_code(name.replace("_", " ")), escaped_code(about), [_cell(found) for found in each]
    )


def _cell(found: Indicator | None) -> tuple[str, str]:
    if found is None or found.metric is None:
        return "not measured", escaped_code(found.absent) if found else ""
    return f"{percent(found.metric.value)} %", interval(found.metric)
