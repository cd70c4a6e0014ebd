"""Rank files as Ianvs writes them: new rows are appended to those of the file, and all are sorted again.

Ianvs reads old rows with pandas, which converts a column to numbers if all cells permit it, and treats empty
cells as missing. So `16` becomes `16.0` if another algorithm lacks the hyperparameter, and does not equal a
new `16`, which is text. Columns of the file come first.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchwright.interop.ianvs.job import RankSettings
from benchwright.interop.ianvs.rank_files import (
    ALL,
    SELECTED,
    RankColumns,
    cells,
    columns_of,
    selected_columns,
    write_table,
)
from benchwright.interop.ianvs.results import CaseResult, cell_of

_NO_VALUE = frozenset(
    ("", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A")
) | {"NA", "NULL", "NaN", "None", "n/a", "nan", "null"}

RankRow = dict[str, Any]


def append_results(
    folder: Path, results: Sequence[CaseResult], metrics: Sequence[str], settings: RankSettings
) -> list[Path]:
    """Append results to the rank files of a folder, and return the written files."""
    every = columns_of(results, metrics)
    old_header, old = _read(folder / ALL)
    new = [_row(each, every) for each in results]
    header = [*old_header, *(name for name in every.header if name not in old_header)]
    numbers = [name for name in header if name not in _kept_whole(results, every.metrics)]
    rows = _sorted(_unified([*old, *new], numbers), settings)
    written = []
    if settings.all_rows:
        written.append(write_table(folder / ALL, header, _numbered(rows, header)))
    chosen = selected_columns(every, settings).header
    rows = _without_doubles(rows, chosen[:-2])
    if settings.paradigms is not None:
        rows = [row for row in rows if row.get("paradigm") in settings.paradigms]
    return [*written, write_table(folder / SELECTED, chosen, _numbered(rows, chosen))]


def with_equal_types(results: Sequence[CaseResult], metrics: Sequence[str]) -> list[CaseResult]:
    """Return results of a run with cells formatted as by pandas, as in Ianvs's file."""
    rows = [_numbers_of(each, metrics) for each in results]
    kept = _kept_whole(results, metrics)
    rows = _unified(rows, [name for name in metrics if name not in kept])
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


def _read(path: Path) -> tuple[list[str], list[RankRow]]:
    """Read the header without the rank, and the rows; empty without a file."""
    if not path.is_file():
        return [], []
    with path.open(encoding="utf-8", newline="") as file:
        header, *rows = [row[1:] for row in csv.reader(file) if row]
    columns = [_typed([row[at] if at < len(row) else "" for row in rows]) for at in range(len(header))]
    return header, [
        {
            name: column[number]
            for name, column in zip(header, columns, strict=True)
            if column[number] is not None
        }
        for number in range(len(rows))
    ]


def _typed(column: list[str]) -> list[Any]:
    """Convert the cells of a column to the first type that fits all: integers, numbers, booleans, text.

    A column with an empty cell has no integers.
    """
    held = [cell for cell in column if cell not in _NO_VALUE]
    whole = len(held) == len(column)
    kinds: list[Callable[[str], Any]] = [*([int] if whole else []), float, _truth]
    for kind in kinds if held else ():
        try:
            return [None if cell in _NO_VALUE else kind(cell) for cell in column]
        except ValueError:
            continue
    return [None if cell in _NO_VALUE else cell for cell in column]


def _kept_whole(new: Sequence[CaseResult], metrics: Sequence[str]) -> set[str]:
    """Return metrics whose columns pandas does not convert: the first value is missing and not NaN."""
    first = new[0].metrics if new else {}
    absent = {name for name in metrics if name not in first or first[name].cell == ""}
    return {name for name in absent if name not in first or not first[name].why.startswith("returned nan")}


def _unified(rows: list[RankRow], header: Sequence[str]) -> list[RankRow]:
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


def _sorted(rows: list[RankRow], settings: RankSettings) -> list[RankRow]:
    """Sort by the metrics of the job; rows without a number are last in either direction."""
    for name, ascending in reversed(settings.sort_by):
        numbered = [row for row in rows if isinstance(row.get(name), int | float)]
        rest = [row for row in rows if not isinstance(row.get(name), int | float)]
        rows = sorted(numbered, key=lambda row: row[name], reverse=not ascending) + rest
    return rows


def _without_doubles(rows: list[RankRow], names: list[str]) -> list[RankRow]:
    first: dict[tuple[Any, ...], RankRow] = {}
    for row in rows:
        first.setdefault(tuple(row.get(name) for name in names), row)
    return list(first.values())


def _numbered(rows: list[RankRow], header: Sequence[str]) -> list[list[str]]:
    return [[str(number), *(cell_of(row.get(name)) for name in header)] for number, row in enumerate(rows, 1)]
