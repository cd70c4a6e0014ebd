"""Rows of a JSON Lines file or of a JSON document, with line numbers and limits on sizes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from io import BufferedReader
from pathlib import Path
from typing import IO, Any, NamedTuple

import msgspec

from benchwright.display.escape import escaped_path
from benchwright.errors import DataError
from benchwright.store.documents import read_document
from benchwright.store.files import BUFFER, READ_ERRORS, broken_off, locate, open_binary
from benchwright.store.scanning import BOM, MAX_LINE, UTF16, Line, scan_lines, whole_lines
from benchwright.store.strict_json import MAX_DEPTH, NOT_JSON, JsonOrigin, Numbers, Surrogates, parse_object

__all__ = [
    "BOM",
    "MAX_LINE",
    "UTF16",
    "Line",
    "Row",
    "is_document",
    "read_rows",
    "scan_lines",
    "single_object",
    "whole_lines",
]

# `[…]`, or `{"data": […]}` with plain fields such as MERA's "access" before it.
_SCALAR = rb'(?:"[^"\\]*"|true|false|null|-?[0-9][0-9.eE+-]*)'
_DOCUMENT = re.compile(rb'\s*(?:\[|\{\s*(?:"[^"\\]*"\s*:\s*' + _SCALAR + rb'\s*,\s*)*"data"\s*:\s*\[)')


class Row(NamedTuple):
    """A row with the line (1-based) that it starts on."""

    line: int
    data: dict[str, Any]


def read_rows(
    source: str | Path,
    *,
    max_line: int = MAX_LINE,
    max_depth: int = MAX_DEPTH,
    surrogates: Surrogates = "reject",
    numbers: Numbers = "finite",
    refuse: Callable[[DataError], None] | None = None,
) -> Iterator[Row]:
    """The rows of a JSON Lines file, a JSON array, or a `{"data": […]}` document, one at a time.

    Raises DataError (file, line, field, hint) for whatever is wrong inside the file, and UsageError
    when there is no such file. `refuse`, if given, receives each row that is not a JSON object, and reading
    continues; an error that ends the file is raised.
    """
    path = locate(source)
    place = escaped_path(path)
    with open_binary(path) as stream:
        document = is_document(stream, place)
        if document:
            rows = read_document(stream, place, max_item=max_line)
        else:
            single = single_object(stream, place)
            rows = iter([(1, single)]) if single else _lines(stream, place, max_line)
        for number, data in rows:
            how: Surrogates = "reject" if document else surrogates
            try:
                origin = JsonOrigin(place, number)
                row = parse_object(data, origin, max_depth=max_depth, surrogates=how, numbers=numbers)
            except DataError as error:
                if refuse is None:
                    raise
                refuse(error)
                continue
            yield Row(number, row)


def _lines(stream: IO[bytes], place: str, max_line: int) -> Iterator[tuple[int, bytes]]:
    for number, _, data in scan_lines(stream, place, max_line=max_line):
        yield number, data


def single_object(stream: BufferedReader, path: str) -> bytes:
    """The one JSON object, over several lines, that a small stream holds; empty for any other stream."""
    try:
        head = stream.peek(BUFFER).removeprefix(BOM).strip()
    except READ_ERRORS as error:
        raise broken_off(error, path, 1) from None
    if not head.startswith(b"{") or b"\n" not in head or head.partition(b"\n")[0].rstrip().endswith(b"}"):
        return b""
    try:
        msgspec.json.decode(head, type=dict[str, msgspec.Raw])
    except NOT_JSON:
        return b""  # rows on lines of their own, or more than the first bytes hold
    return head


def is_document(stream: BufferedReader, path: str) -> bool:
    """Whether the stream holds one JSON document, judged by its first bytes, which stay unread."""
    try:
        head = stream.peek(BUFFER)
    except READ_ERRORS as error:
        raise broken_off(error, path, 1) from None
    return _DOCUMENT.match(head.removeprefix(BOM)) is not None
