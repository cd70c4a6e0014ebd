"""Answers, verdicts and scores of runs as tables with typed columns."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from benchwright.interop.exports.finished_runs import CountedFigure, FinishedRun
from benchwright.records import Answer, Outcome, Verdict

TEXT, WHOLE, REAL, TRUTH = "VARCHAR", "BIGINT", "DOUBLE", "BOOLEAN"  # types of columns, as DuckDB names them

_RUN = {"run": TEXT, "track": TEXT, "model": TEXT}
_ANSWER = {
    "task_id": TEXT,
    "sample": WHOLE,
    "prompt": TEXT,
    "text": TEXT,
    "reasoning": TEXT,
    "finish_reason": TEXT,
    "seed": WHOLE,
    "tokens_in": WHOLE,
    "tokens_out": WHOLE,
    "error": TEXT,
}
_VERDICT = {
    "profile": TEXT,
    "task_id": TEXT,
    "sample": WHOLE,
    "outcome": TEXT,
    "passed": TRUTH,
    "isolation": TEXT,
    "rule": TEXT,
    "truncated": TRUTH,
    "suspicious": TEXT,
    "cpu_s": REAL,
    "wall_s": REAL,
    "scores": TEXT,
}
_QUOTING = {"detail": TEXT, "stdout": TEXT}  # of a verdict: may quote arguments and expected values of tests
_FIGURE = {
    "profile": TEXT,
    "metric": TEXT,
    "value": REAL,
    "low": REAL,
    "high": REAL,
    "tasks": WHOLE,
    "samples": WHOLE,
    "answers": WHOLE,
    "missing": WHOLE,
    **{f"answers_{outcome.value}": WHOLE for outcome in Outcome},
}


class RunTable(NamedTuple):
    """A table: its columns with their types, and its rows."""

    name: str
    columns: Mapping[str, str]
    rows: list[dict[str, Any]]


def run_tables(runs: Sequence[FinishedRun], *, quoting: bool = True) -> list[RunTable]:
    """Return the tables `answers`, `verdicts` and `scores`, a row for each answer, verdict and figure.

    Without `quoting`, no column may quote a task: verdicts have no detail and no output, and answers of runs
    that withhold their tasks are left out.
    """
    verdict_columns = {**_RUN, **_VERDICT, **(_QUOTING if quoting else {})}
    shown = [run for run in runs if quoting or not run.withholds_tasks]
    return [
        RunTable("answers", {**_RUN, **_ANSWER}, list(_answers(shown))),
        RunTable("verdicts", verdict_columns, [_cut(row, verdict_columns) for row in _verdicts(runs)]),
        RunTable("scores", {**_RUN, **_FIGURE}, list(_scores(runs))),
    ]


def _cut(row: dict[str, Any], columns: Mapping[str, str]) -> dict[str, Any]:
    return {name: row[name] for name in columns}


def _of_run(run: FinishedRun) -> dict[str, Any]:
    return {"run": run.name, "track": run.track, "model": run.model}


def _answers(runs: Sequence[FinishedRun]) -> Iterator[dict[str, Any]]:
    for run in runs:
        for answer in run.answers():
            yield {**_of_run(run), **_answer(answer)}


def _answer(answer: Answer) -> dict[str, Any]:
    return {**{name: getattr(answer, name) for name in _ANSWER}, "task_id": str(answer.task_id)}


def _verdicts(runs: Sequence[FinishedRun]) -> Iterator[dict[str, Any]]:
    for run in runs:
        for verdict in run.verdicts():
            yield {**_of_run(run), **verdict_row(verdict)}


def verdict_row(verdict: Verdict) -> dict[str, Any]:
    """Return the columns of a verdict. `passed` is None if it is missing, undecided or graded."""
    known = verdict.outcome.is_decided and verdict.outcome is not Outcome.scored
    columns = {name: getattr(verdict, name) for name in (*_VERDICT, *_QUOTING) if name != "passed"}
    return {
        **columns,
        "task_id": str(verdict.task_id),
        "outcome": verdict.outcome.value,
        "passed": verdict.outcome is Outcome.passed if known else None,
        "isolation": verdict.isolation.value,
        "scores": json.dumps(verdict.scores, sort_keys=True) if verdict.scores else None,
    }


def _scores(runs: Sequence[FinishedRun]) -> Iterator[dict[str, Any]]:
    for run in runs:
        for figure in run.figures():
            yield {**_of_run(run), **figure_row(figure)}


def figure_row(figure: CountedFigure) -> dict[str, Any]:
    """Return the columns of a figure: value, interval, tasks, answers, and answers by outcome."""
    metric, outcomes = figure.metric, figure.outcomes
    return {
        "profile": figure.profile,
        "metric": figure.name,
        "value": metric.value,
        "low": metric.low,
        "high": metric.high,
        "tasks": metric.n,
        "samples": metric.samples,
        "answers": sum(outcomes.values()),
        "missing": sum(count for name, count in outcomes.items() if Outcome(name).is_missing),
        **{f"answers_{outcome.value}": outcomes.get(outcome.value, 0) for outcome in Outcome},
    }
