"""Rank files of Ianvs: order, columns, and rows appended as pandas would write them."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.display.escape import escaped_path, quoted
from benchwright.errors import UsageError
from benchwright.interop.ianvs.case_results import CaseResult, cell_of, scored_text
from benchwright.interop.ianvs.job_records import RankSettings
from benchwright.store.atomic_files import replacing

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


def rank_results(results: Iterable[CaseResult], settings: RankSettings) -> Standings:
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
    paths = []
    if settings.all_rows:
        paths.append(write_table(folder / ALL, *_table(standings.rows, every)))
    shown = [
        (rank, each)
        for rank, each in standings.rows
        if settings.paradigms is None or each.paradigm in settings.paradigms
    ]
    return [*paths, write_table(folder / SELECTED, *_table(shown, selected_columns(every, settings)))]


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


def check_rank_files(folder: Path, *, strict: bool) -> None:
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


_NO_VALUE = frozenset(
    ("", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A")
) | {"NA", "NULL", "NaN", "None", "n/a", "nan", "null"}

RankRow = dict[str, Any]


def append_results(
    folder: Path, results: Sequence[CaseResult], metrics: Sequence[str], settings: RankSettings
) -> list[Path]:
    """Append results to the rank files of a folder, and return the written files."""
    every = columns_of(results, metrics)
    old_header, old = _read_rank_file(folder / ALL)
    new = [_row(each, every) for each in results]
    header = [*old_header, *(name for name in every.header if name not in old_header)]
    numbers = [name for name in header if name not in _integer_metrics(results, every.metrics)]
    rows = _sort_rows(_unify_numbers([*old, *new], numbers), settings)
    paths = []
    if settings.all_rows:
        paths.append(write_table(folder / ALL, header, _number_rows(rows, header)))
    chosen = selected_columns(every, settings).header
    rows = _without_duplicates(rows, chosen[:-2])
    if settings.paradigms is not None:
        rows = [row for row in rows if row.get("paradigm") in settings.paradigms]
    return [*paths, write_table(folder / SELECTED, chosen, _number_rows(rows, chosen))]


def with_equal_types(results: Sequence[CaseResult], metrics: Sequence[str]) -> list[CaseResult]:
    """Return results of a run with cells formatted as by pandas, as in Ianvs's file."""
    rows = [_numbers_of(each, metrics) for each in results]
    integer_metrics = _integer_metrics(results, metrics)
    rows = _unify_numbers(rows, [name for name in metrics if name not in integer_metrics])
    return [_with_cells(each, row) for each, row in zip(results, rows, strict=True)]


def _numbers_of(result: CaseResult, metrics: Sequence[str]) -> RankRow:
    found = [(name, result.metrics[name]) for name in metrics if name in result.metrics]
    return {name: _number(each.cell) for name, each in found if each.value is not None}


def _with_cells(result: CaseResult, row: RankRow) -> CaseResult:
    cells = {name: result.metrics[name]._replace(cell=cell_of(value)) for name, value in row.items()}
    return result._replace(metrics={**result.metrics, **cells})


def _row(result: CaseResult, columns: RankColumns) -> RankRow:
    """Make a new row: metrics keep their types, everything else is text."""
    row: RankRow = dict(zip(columns.header, cells(result, columns), strict=True))
    for name in columns.metrics:
        row[name] = _number(row[name])
    return {name: value for name, value in row.items() if value != ""}


def _number(cell: str) -> Any:
    for make in (int, float):
        try:
            return make(cell)
        except ValueError:
            continue
    return cell


def _read_rank_file(path: Path) -> tuple[list[str], list[RankRow]]:
    """Read the header without the rank, and the rows; empty without a file."""
    if not path.is_file():
        return [], []
    with path.open(encoding="utf-8", newline="") as file:
        header, *rows = [row[1:] for row in csv.reader(file) if row]
    columns = [_typed_column([row[at] if at < len(row) else "" for row in rows]) for at in range(len(header))]
    return header, [
        {
            name: column[number]
            for name, column in zip(header, columns, strict=True)
            if column[number] is not None
        }
        for number in range(len(rows))
    ]


def _typed_column(column: list[str]) -> list[Any]:
    """Convert the cells of a column to the first type that fits all: integers, numbers, booleans, text.

    A column with an empty cell has no integers.
    """
    filled = [cell for cell in column if cell not in _NO_VALUE]
    whole = len(filled) == len(column)
    kinds: list[Callable[[str], Any]] = [*([int] if whole else []), float, _truth]
    for kind in kinds if filled else ():
        try:
            return [None if cell in _NO_VALUE else kind(cell) for cell in column]
        except ValueError:
            continue
    return [None if cell in _NO_VALUE else cell for cell in column]


def _integer_metrics(new: Sequence[CaseResult], metrics: Sequence[str]) -> set[str]:
    """Return metrics whose columns pandas does not convert: the first value is missing and not NaN."""
    first = new[0].metrics if new else {}
    absent = {name for name in metrics if name not in first or first[name].cell == ""}
    return {name for name in absent if name not in first or not first[name].why.startswith("returned nan")}


def _unify_numbers(rows: list[RankRow], header: Sequence[str]) -> list[RankRow]:
    """Use one type of number per column: integers become floats next to a fraction or an empty cell."""
    mixed = []
    for name in header:
        column = [row.get(name) for row in rows]
        kinds = {type(value) for value in column}
        if int in kinds and kinds <= {int, float, type(None)} and len(kinds) > 1:
            mixed.append(name)
    return [{name: float(value) if name in mixed else value for name, value in row.items()} for row in rows]


def _truth(cell: str) -> bool:
    if cell not in ("True", "False"):
        raise ValueError(cell)
    return cell == "True"


def _sort_rows(rows: list[RankRow], settings: RankSettings) -> list[RankRow]:
    """Sort by the metrics of the job; rows without a number are last in either direction."""
    for name, ascending in reversed(settings.sort_by):
        numbered = [row for row in rows if isinstance(row.get(name), int | float)]
        rest = [row for row in rows if not isinstance(row.get(name), int | float)]
        rows = sorted(numbered, key=lambda row: row[name], reverse=not ascending) + rest
    return rows


def _without_duplicates(rows: list[RankRow], names: list[str]) -> list[RankRow]:
    first: dict[tuple[Any, ...], RankRow] = {}
    for row in rows:
        first.setdefault(tuple(row.get(name) for name in names), row)
    return list(first.values())


def _number_rows(rows: list[RankRow], header: Sequence[str]) -> list[list[str]]:
    return [[str(number), *(cell_of(row.get(name)) for name in header)] for number, row in enumerate(rows, 1)]
