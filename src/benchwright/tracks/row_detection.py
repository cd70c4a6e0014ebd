"""Recognise the track of a row by its fields; values are ignored."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from benchwright.display.escape import quoted
from benchwright.errors import DataError, UsageError, command_name
from benchwright.registry import TrackDeclaration, built_in_tracks, installed_tracks
from benchwright.store.data_files import no_rows, open_rows, place


def track_of_row(row: Mapping[str, Any]) -> str:
    """The name of the built-in track that declares the fields of a row; empty if there is none.

    The first one of the registry takes the row. No track is imported.

    >>> track_of_row({"task_id": 1, "prompt": "…", "test": "…"})
    'humaneval'
    """
    return _first_track(built_in_tracks(), row)


def track_of(source: str | Path) -> str:
    """The track, built in or installed, that reads the first recognised row of a data set.

    Raises UsageError if no row is recognised, and DataError for a file without rows or that cannot be read.
    """
    installed: list[TrackDeclaration] | None = None
    refused: list[DataError] = []
    row = None
    for _, row in open_rows(source, refuse=refused.append):
        if track := track_of_row(row):
            return track
        installed = list(installed_tracks()) if installed is None else installed
        if track := _first_track(installed, row):
            return track
    if refused:
        raise refused[0]
    if row is None:
        raise no_rows(place(source))
    message = f"{place(source)}: no track recognises the fields of its rows"
    example = f"{command_name()} check {quoted(place(source))} --track own"
    raise UsageError(message, hint=f"name the track: {example}")


def _first_track(tracks: Iterable[TrackDeclaration], row: Mapping[str, Any]) -> str:
    return next((track.name for track in tracks if _is_row_of(track, row)), "")


def _is_row_of(track: TrackDeclaration, row: Mapping[str, Any]) -> bool:
    return any(all(_has(row, name) for name in names) for names in track.row_fields)


def _has(row: Mapping[str, Any], name: str) -> bool:
    first, _, rest = name.partition(".")
    inner = row.get(first)
    return first in row and (not rest or (isinstance(inner, Mapping) and _has(inner, rest)))
