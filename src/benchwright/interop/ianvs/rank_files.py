"""Rank files of a job, all_rank.csv and selected_rank.csv, in Ianvs's layout.

By default, results in a workspace with equal data, metrics and version are ranked; those with a partial or
missing score have no rank and come last. Columns after Ianvs's own show which rows are comparable. With
`strict` the files equal Ianvs's: see `appended`.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from benchwright.display.escape import escaped_path, quoted
from benchwright.errors import UsageError
from benchwright.interop.ianvs.job import RankSettings
from benchwright.interop.ianvs.results import CaseResult, scored_text
from benchwright.store.durable import replacing

ALL, SELECTED = "all_rank.csv", "selected_rank.csv"
EXTRA = ("scored", "isolation", "data", "measuring", "version", "calls")
_SINCE_EVER = frozenset(EXTRA[:5])  # a file that an earlier version wrote has these


class Standings(NamedTuple):
    """Results in order, best first; unranked ones last, with reasons."""

    ranked: list[CaseResult]
    unranked: list[tuple[CaseResult, str]]

    @property
    def rows(self) -> list[tuple[str, CaseResult]]:
        """Results with ranks from 1; empty for unranked ones."""
        places = [(str(number), result) for number, result in enumerate(self.ranked, 1)]
        return places + [("", result) for result, _ in self.unranked]


class RankColumns(NamedTuple):
    """Metrics, modules and hyperparameters in a rank file."""

    metrics: Sequence[str]
    modules: Sequence[str]
    hyperparameters: Sequence[str]

    @property
    def header(self) -> list[str]:
        """Columns of Ianvs, without the rank."""
        return ["algorithm", *self.metrics, "paradigm", *self.modules, *self.hyperparameters, "time", "url"]


def in_order(results: Iterable[CaseResult], settings: RankSettings) -> Standings:
    """Sort results by the job's metrics; the order is stable."""
    ranked, unranked = [], []
    for result in results:
        if reason := _unrankable(result, settings):
            unranked.append((result, reason))
        else:
            ranked.append(result)
    for name, ascending in reversed(settings.sort_by):
        ranked.sort(key=lambda each: each.metrics[name].value or 0.0, reverse=not ascending)
    return Standings(ranked, unranked)


def _unrankable(result: CaseResult, settings: RankSettings) -> str:
    """Return why a result has no rank. Without sorting, every metric must have a value."""
    for name in [name for name, _ in settings.sort_by] or result.metrics:
        measured = result.metrics.get(name)
        trouble = "not measured" if measured is None else measured.trouble
        if trouble:
            return f"{name}: {trouble}"
    return ""


def columns_of(results: Sequence[CaseResult], metrics: Sequence[str]) -> RankColumns:
    """Return all columns of results: metrics in the job's order, others by first occurrence."""
    modules = dict.fromkeys(kind for each in results for kind in each.modules)
    hyperparameters = dict.fromkeys(name for each in results for name in each.hyperparameters)
    return RankColumns(list(metrics), list(modules), list(hyperparameters))


def selected_columns(every: RankColumns, settings: RankSettings) -> RankColumns:
    """Return the columns that the job selects."""
    return RankColumns(
        settings.metrics if settings.metrics is not None else every.metrics,
        settings.modules if settings.modules is not None else every.modules,
        settings.hyperparameters if settings.hyperparameters is not None else every.hyperparameters,
    )


def cells(result: CaseResult, columns: RankColumns) -> list[str]:
    """Return a row as in Ianvs, without the rank; cells of missing values are empty."""
    metrics = [result.metrics[name].cell if name in result.metrics else "" for name in columns.metrics]
    modules = [result.modules.get(kind, "") for kind in columns.modules]
    hyperparameters = [result.hyperparameters.get(name, "") for name in columns.hyperparameters]
    return [result.algorithm, *metrics, result.paradigm, *modules, *hyperparameters, result.time, result.url]


def write_standings(
    folder: Path, standings: Standings, metrics: Sequence[str], settings: RankSettings
) -> list[Path]:
    """Write the rank files of a job to the folder `rank`, and return their paths."""
    every = columns_of([result for _, result in standings.rows], metrics)
    written = []
    if settings.all_rows:
        written.append(write_table(folder / ALL, *_table(standings.rows, every)))
    shown = [
        (rank, each)
        for rank, each in standings.rows
        if settings.paradigms is None or each.paradigm in settings.paradigms
    ]
    return [*written, write_table(folder / SELECTED, *_table(shown, selected_columns(every, settings)))]


def _table(rows: Iterable[tuple[str, CaseResult]], columns: RankColumns) -> tuple[list[str], list[list[str]]]:
    return [*columns.header, *EXTRA], [[rank, *cells(each, columns), *_extra(each)] for rank, each in rows]


def _extra(result: CaseResult) -> list[str]:
    scored = scored_text(result.metrics) or "all"
    return [scored, result.isolation, result.data[:12], result.measuring[:12], result.version, result.calls]


def write_table(path: Path, header: Sequence[str], rows: Iterable[Sequence[str]]) -> Path:
    """Write a rank file; rows begin with their rank."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["rank", *header])
    writer.writerows(rows)
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:
        file.write(text.getvalue().encode("utf-8", "replace"))
    return path


def refuse_others(folder: Path, *, strict: bool) -> None:
    """Raise UsageError if a rank file of the other mode would be overwritten."""
    path = folder / ALL
    if not path.is_file():
        return
    with path.open(encoding="utf-8", errors="replace", newline="") as file:
        ours = set(next(csv.reader(file), [])) >= _SINCE_EVER
    if ours == strict:
        whose = "a run without `--compat strict`" if ours else "Ianvs, or a run with `--compat strict`"
        other = "leave `--compat strict` out" if ours else "add to it with `--compat strict`"
        hint = f"{other}, or move it: mv {quoted(folder)} {quoted(folder)}.before"
        raise UsageError(f"{escaped_path(path)} was written by {whose}", hint=hint)
