"""Conversion of whole data sets between rows and collected records, one record at a time.

An invalid record is reported and skipped. Tracks declare their converters (`TrackDeclaration.converter`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from benchwright import registry
from benchwright.display.escape import quoted
from benchwright.errors import DataError, command_name
from benchwright.records import Task
from benchwright.registry import TrackDeclaration
from benchwright.store.data_files import no_rows, place
from benchwright.store.lenient_json import JsonRepair, read_loose
from benchwright.tracks.collected import ianvs_records
from benchwright.tracks.collected.records import IANVS, ImportOptions, RecordConverter
from benchwright.tracks.row_detection import track_of_row
from benchwright.tracks.rows import Fields, row_of


def converted_tracks() -> list[TrackDeclaration]:
    """Built-in tracks that declare a converter."""
    return [track for track in registry.built_in_tracks() if track.converter]


def record_formats() -> dict[str, list[TrackDeclaration]]:
    """Formats of records, each with the tracks whose rows it can hold."""
    formats: dict[str, list[TrackDeclaration]] = {}
    for track in converted_tracks():
        for name in track.record_formats:
            formats.setdefault(name, []).append(track)
    return formats


class ConversionListener(NamedTuple):
    """Callbacks for repairs, refused records, and notes on rows."""

    repaired: Callable[[JsonRepair], None]
    refused: Callable[[DataError], None]
    noted: Callable[[str], None]


class ConvertedRow(NamedTuple):
    """A converted document, the row that it represents, and the row's track."""

    document: dict[str, Any]
    row: dict[str, Any]
    track: str


def rows_of(
    source: str, track: str, importing: ImportOptions, heard: ConversionListener, *, strict: bool = False
) -> Iterator[ConvertedRow]:
    """Rows of a track, made of records in any known format. A row stays as it is."""
    converter = _converter(registry.declaration(track))

    def task_of(fields: Fields) -> Task:
        _check_convertible(fields)
        return converter.build(fields._replace(data=converter.to_row(fields, importing)))

    for task in _tasks(source, task_of, heard, strict=strict):
        if note := converter.note(task):
            heard.noted(f"{task.origin}, task {task.task_id}: {note}")
        row = row_of(task)
        yield ConvertedRow(row, row, track)


def records_of(
    source: str,
    record_format: str,
    importing: ImportOptions,
    heard: ConversionListener,
    *,
    strict: bool = False,
) -> Iterator[ConvertedRow]:
    """Records of rows, in one of `record_formats()`, with the field names that `importing` maps to ours."""
    tracks = converted_tracks()

    def task_of(fields: Fields) -> Task:
        if "inputs" not in fields.data:
            hint = f"make rows of the records first: --to {record_formats()[record_format][0].name}"
            raise fields.error("is not a row of these tracks", field="inputs", hint=hint)
        _check_convertible(fields)
        track = _track_with(tracks, fields.inner("inputs").data)
        if record_format not in track.record_formats:
            hint = " or ".join(f"--to {name}" for name in track.record_formats)
            message = f"is a row of {track.name}, which {record_format!r} cannot hold"
            raise fields.error(message, field="inputs", hint=hint)
        return _converter(track).build(fields)

    for task in _tasks(source, task_of, heard, strict=strict):
        row, track = row_of(task), _track_with(tracks, task.inputs)
        record = (
            _ianvs_record(task, row, track)
            if record_format == IANVS
            else _converter(track).record_of_row(row)
        )
        yield ConvertedRow(importing.renaming.undone(record), row, track.name)


def _check_convertible(fields: Fields) -> None:
    """Raise DataError for a row of a track that declares no converter."""
    name = track_of_row(fields.data) if "instruction" in fields.data else ""
    if name and not registry.declaration(name).converter:
        message = f"is a row of {name}, which has no other format"
        used = f"{command_name()} run {name} --data {quoted(fields.path)}"
        raise fields.error(message, hint=f"use it as it is: {used}")


def _track_with(tracks: list[TrackDeclaration], inputs: dict[str, Any]) -> TrackDeclaration:
    """The track whose key input a row has; the last track if there is none, which then reports the error."""
    return next((track for track in tracks if _converter(track).key_input in inputs), tracks[-1])


def _converter(track: TrackDeclaration) -> RecordConverter:
    converter: RecordConverter = registry.load(track.converter)
    return converter


def _ianvs_record(task: Task, row: dict[str, Any], declared: TrackDeclaration) -> dict[str, Any]:
    track = registry.find("track", declared.name)
    query, response, level = track.prompt(task), track.gold(task) or "", _converter(declared).level(task)
    return ianvs_records.record_of_row(row, query=query, response=response, levels=(declared.name, level))


def _tasks(
    source: str, task_of: Callable[[Fields], Task], listener: ConversionListener, *, strict: bool
) -> Iterator[Task]:
    """Tasks of records with unique ids; invalid records are reported and skipped.

    Raises DataError for a file without records.
    """
    path = place(source)
    seen: dict[str, int] = {}
    refused: list[DataError] = []

    def refuse(error: DataError) -> None:
        refused.append(error)
        listener.refused(error)

    repaired = None if strict else listener.repaired
    for line, data in read_loose(source, refuse=refuse, repaired=repaired):
        try:
            task = task_of(Fields(data, path, line))
            if (key := str(task.task_id)) in seen:
                hint = "give each record its own id, or remove one of the two"
                message = f"duplicate id; line {seen[key]} has it too"
                raise DataError(message, path=path, line=line, task_id=task.task_id, hint=hint)
        except DataError as error:
            refuse(error)
            continue
        seen[key] = line
        yield task
    if not seen and not refused:
        raise no_rows(path)
