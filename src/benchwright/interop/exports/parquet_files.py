"""Runs as Parquet files, one for each table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from benchwright.interop.exports.finished_runs import finished_runs
from benchwright.interop.exports.run_tables import RunTable, run_tables
from benchwright.records import Record
from benchwright.store.parquet import parquet_bytes
from benchwright.store.writing import make_parents, replacing


class ExportedTables(Record, frozen=True, kw_only=True):
    """Summary of written tables: rows by file."""

    out: str
    runs: list[str]
    files: dict[str, int]


def export_parquet(runs: Sequence[str | Path], out: str | Path) -> ExportedTables:
    """Write answers.parquet, verdicts.parquet and scores.parquet of finished runs into the folder `out`.

    Files of an earlier export are replaced. Raises PrerequisiteError without duckdb.
    """
    loaded_runs = finished_runs(runs)
    files = write_tables(run_tables(loaded_runs), Path(out))
    return ExportedTables(out=str(out), runs=[run.name for run in loaded_runs], files=files)


def write_tables(tables: Sequence[RunTable], folder: Path) -> dict[str, int]:
    """Write each table to NAME.parquet; return the number of rows by file name."""
    packed = {f"{table.name}.parquet": parquet_bytes(table.rows, table.columns) for table in tables}
    for name, data in packed.items():
        make_parents(folder / name)
        with replacing(folder / name) as file:
            file.write(data)
    return {f"{table.name}.parquet": len(table.rows) for table in tables}
