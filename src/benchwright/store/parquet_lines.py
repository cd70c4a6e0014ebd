"""Write Parquet files from files of records: a column for each field, in a child process.

The child reads JSON Lines with declared columns, one thread writes them in the order of the lines, and a
field that a line lacks has its default value. So equal lines give equal bytes.
"""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile
from types import NoneType, TracebackType, UnionType
from typing import Any, Self, Union, get_args, get_origin, get_type_hints

import msgspec

from benchwright.display.escape import escaped_name, escaped_path, quoted
from benchwright.errors import PrerequisiteError, RunError, install_command
from benchwright.records import Record
from benchwright.store.atomic_files import sync_folder, write_error
from benchwright.store.parquet import can_write_parquet

_CHILD = (sys.executable, "-P", "-m", "benchwright.store.parquet_lines_child")
_PLAIN = {str: "VARCHAR", int: "BIGINT", float: "DOUBLE", bool: "BOOLEAN"}


class TableRequest(msgspec.Struct, frozen=True):
    """The request to the child for one file."""

    lines: str
    target: str
    columns: dict[str, str]  # the type of each field in the lines
    expressions: dict[str, str]  # the value of each column


class LinesToParquet:
    """Writes files one after the other, as a context manager. Raises PrerequisiteError without DuckDB."""

    def __init__(self) -> None:
        if not can_write_parquet():
            hint = install_command("parquet")
            raise PrerequisiteError("writing Parquet files needs duckdb", hint=hint)
        self._child: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self._complaint = TemporaryFile()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._child is not None:
            if kind is not None:
                self._child.kill()
            self._child.communicate()
        self._complaint.close()

    def start(self) -> subprocess.Popen[bytes]:
        """Start the child, which loads DuckDB while its caller does other work; the first file needs it."""
        if self._child is None:
            self._child = subprocess.Popen(
                _CHILD, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._complaint
            )
        return self._child

    def write(self, lines: Path, target: Path, record: type[Record]) -> None:
        """Replace a file with the table of these records in one step; a failure leaves no part of it.

        Raises RunError.
        """
        half = target.with_name(f".{target.name}.tmp")
        columns = {name: column_type(kind) for name, kind in get_type_hints(record).items()}
        request = TableRequest(
            lines=str(lines), target=str(half), columns=columns, expressions=expressions(record)
        )
        try:
            if self._ask_child(request) != b"done\n":
                raise self._error(target)
            half.replace(target)
            sync_folder(target.parent)
        except OSError as error:
            raise write_error(error, target) from None
        finally:
            with suppress(OSError):  # of a file system that became read-only
                half.unlink(missing_ok=True)

    def _ask_child(self, request: TableRequest) -> bytes:
        """The child's answer; empty if it has died."""
        child = self.start()
        assert child.stdin
        assert child.stdout
        try:
            child.stdin.write(msgspec.json.encode(request) + b"\n")
            child.stdin.flush()
            return child.stdout.readline()
        except BrokenPipeError:
            return b""

    def _error(self, target: Path) -> RunError:
        self.start().wait()
        self._complaint.seek(0)
        complaint = self._complaint.read(2000).decode("utf-8", "replace")
        for number in (errno.ENOSPC, errno.EDQUOT):
            if os.strerror(number) in complaint:
                return write_error(OSError(number, os.strerror(number)), target)
        reason = escaped_name(complaint, 500) or "the writer died"
        hint = f"ls -ld {quoted(target.parent)}   # must be writable; then start the same command again"
        return RunError(f"{escaped_path(target)} cannot be written: {reason}", hint=hint)


def column_type(kind: Any) -> str:
    """The type in DuckDB of a field's type: text, number, boolean, list, record, or one of these and None.

    >>> column_type(list[str]), column_type(int | None)
    ('VARCHAR[]', 'BIGINT')
    """
    kind = _without_none(kind)[0]
    if get_origin(kind) is list:
        return f"{column_type(get_args(kind)[0])}[]"
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        fields = get_type_hints(kind).items()
        return f"STRUCT({', '.join(f'{_quoted(name)} {column_type(each)}' for name, each in fields)})"
    return _PLAIN[kind]


def expressions(record: type[msgspec.Struct]) -> dict[str, str]:
    """The value of each column in SQL: the field, or its default where a line lacks it."""
    return _values(record, "", 0)


def _values(record: type[msgspec.Struct], prefix: str, depth: int) -> dict[str, str]:
    kinds, found = get_type_hints(record), {}
    for field in msgspec.structs.fields(record):
        value = _value(f"{prefix}{_quoted(field.name)}", kinds[field.name], depth)
        default = field.default
        plain = isinstance(default, str | int | float | bool)
        found[field.name] = f"coalesce({value}, {_literal(default)})" if plain else value
    return found


def _value(field: str, kind: Any, depth: int) -> str:
    kind, optional = _without_none(kind)
    if get_origin(kind) is list:
        inner, each = get_args(kind)[0], f"each{depth}"
        given = f"coalesce({field}, [])"
        if not _is_record(inner):
            return given
        return f"list_transform({given}, lambda {each}: {_value(each, inner, depth + 1)})"
    if _is_record(kind):
        parts = (f"{_quoted(name)} := {value}" for name, value in _values(kind, f"{field}.", depth).items())
        packed = f"struct_pack({', '.join(parts)})"
        return f"CASE WHEN {field} IS NULL THEN NULL ELSE {packed} END" if optional else packed
    return field


def _literal(value: str | float | bool) -> str:
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return str(value).lower()


def _is_record(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)


def _without_none(kind: Any) -> tuple[Any, bool]:
    """A type without None, and whether None is allowed."""
    if get_origin(kind) not in (Union, UnionType):
        return kind, False
    [only] = [each for each in get_args(kind) if each is not NoneType]
    return only, True


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
