"""The rank files of a job, all_rank.csv and selected_rank.csv, in Ianvs's layout.

By default the results of a workspace that share data, metrics and version are put in order; one whose score
is partial, or none, has no rank and comes last. Behind Ianvs's columns stand those that say what a row may be
compared with. In `strict` the files are what Ianvs writes: see `appended`.
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
    """Results in order, best first; those without a rank last, each with its reason."""

    ranked: list[CaseResult]
    unranked: list[tuple[CaseResult, str]]

    @property
    def rows(self) -> list[tuple[str, CaseResult]]:
        """Each result with its rank from 1, or with none."""
        places = [(str(number), result) for number, result in enumerate(self.ranked, 1)]
        return places + [("", result) for result, _ in self.unranked]


class RankColumns(NamedTuple):
    """Which metrics, modules and hyperparameters a rank file shows."""

    metrics: Sequence[str]
    modules: Sequence[str]
    hyperparameters: Sequence[str]

    @property
    def header(self) -> list[str]:
        """Ianvs's columns without the rank."""
        return ["algorithm", *self.metrics, "paradigm", *self.modules, *self.hyperparameters, "time", "url"]


def in_order(results: Iterable[CaseResult], settings: RankSettings) -> Standings:
    """The results by the metrics that the job sorts by; equal ones stay as they came."""
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
    """Why a result has no rank. Where nothing is sorted by, every metric must have its value."""
    for name in [name for name, _ in settings.sort_by] or result.metrics:
        measured = result.metrics.get(name)
        trouble = "not measured" if measured is None else measured.trouble
        if trouble:
            return f"{name}: {trouble}"
    return ""


def columns_of(results: Sequence[CaseResult], metrics: Sequence[str]) -> RankColumns:
    """All columns that some results need: metrics in the job's order, the rest as it first occurs."""
    modules = dict.fromkeys(kind for each in results for kind in each.modules)
    hyperparameters = dict.fromkeys(name for each in results for name in each.hyperparameters)
    return RankColumns(list(metrics), list(modules), list(hyperparameters))


def selected_columns(every: RankColumns, settings: RankSettings) -> RankColumns:
    """Those columns that the job asks for."""
    return RankColumns(
        settings.metrics if settings.metrics is not None else every.metrics,
        settings.modules if settings.modules is not None else every.modules,
        settings.hyperparameters if settings.hyperparameters is not None else every.hyperparameters,
    )


def cells(result: CaseResult, columns: RankColumns) -> list[str]:
    """A row without its rank, as Ianvs has it; a cell is empty where a case lacks what it is for."""
    metrics = [result.metrics[name].cell if name in result.metrics else "" for name in columns.metrics]
    modules = [result.modules.get(kind, "") for kind in columns.modules]
    hyperparameters = [result.hyperparameters.get(name, "") for name in columns.hyperparameters]
    return [result.algorithm, *metrics, result.paradigm, *modules, *hyperparameters, result.time, result.url]


def write_standings(
    folder: Path, standings: Standings, metrics: Sequence[str], settings: RankSettings
) -> list[Path]:
    """Write the files that the job asks for into the folder `rank`; which they are."""
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
    """Write a rank file; each row begins with its rank."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["rank", *header])
    writer.writerows(rows)
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:
        file.write(text.getvalue().encode("utf-8", "replace"))
    return path


def refuse_others(folder: Path, *, strict: bool) -> None:
    """Raise UsageError where a rank file is there that the other way of running wrote: it would be lost."""
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
