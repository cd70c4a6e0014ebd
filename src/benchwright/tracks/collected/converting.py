"""Whole data sets from one shape to another, a record at a time: one that is refused costs no other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from benchwright.errors import DataError
from benchwright.records import Task
from benchwright.store.loose_rows import read_loose
from benchwright.store.mending import Repair
from benchwright.store.sources import place
from benchwright.tracks.collected import ianvs
from benchwright.tracks.collected.importing import ANNOTATIONS, COMMENT, IANVS, ISSUE, Importing
from benchwright.tracks.comments import collected as comments
from benchwright.tracks.comments.rows import build as build_comments
from benchwright.tracks.comments.track import TRACK as COMMENT_TRACK
from benchwright.tracks.issues import collected as issues
from benchwright.tracks.issues.rows import build as build_issues
from benchwright.tracks.issues.rows import spec_of
from benchwright.tracks.issues.track import TRACK as ISSUE_TRACK
from benchwright.tracks.mera_rows import row_of
from benchwright.tracks.rows import Fields

COMMENTS, ISSUES = COMMENT_TRACK.name, ISSUE_TRACK.name
SHAPES = {ANNOTATIONS: (COMMENTS,), COMMENT: (COMMENTS,), ISSUE: (ISSUES,), IANVS: (COMMENTS, ISSUES)}


class Heard(NamedTuple):
    """Who is told of what was repaired, of what was refused, and of what a row lacks."""

    repaired: Callable[[Repair], None]
    refused: Callable[[DataError], None]
    noted: Callable[[str], None]


class Made(NamedTuple):
    """What is to be written of a record, the row behind it, and its track."""

    document: dict[str, Any]
    row: dict[str, Any]
    track: str


def rows_of(
    source: str, kind: str, importing: Importing, heard: Heard, *, strict: bool = False
) -> Iterator[Made]:
    """The rows of a track, of records in any shape that is known; what is a row already stays one."""
    to_row = comments.to_row if kind == COMMENTS else issues.to_row
    build = build_comments if kind == COMMENTS else build_issues

    def task_of(fields: Fields) -> Task:
        return build(fields._replace(data=to_row(fields, importing)))

    for task in _tasks(source, task_of, heard, strict=strict):
        if kind == COMMENTS and not (task.outputs.get("annotations") or task.outputs.get("comment")):
            heard.noted(f"{task.origin}, task {task.task_id}: has no reference comment")
        row = row_of(task)
        yield Made(row, row, kind)


def records_of(
    source: str, shape: str, importing: Importing, heard: Heard, *, strict: bool = False
) -> Iterator[Made]:
    """The records of rows, in a shape of SHAPES, under the names that `importing` maps to ours."""

    def task_of(fields: Fields) -> Task:
        if "inputs" not in fields.data:
            hint = f"make rows of the records first: --to {SHAPES[shape][0]}"
            raise fields.error("is no row of these tracks", field="inputs", hint=hint)
        kind = COMMENTS if "code" in fields.inner("inputs").data else ISSUES
        if kind not in SHAPES[shape]:
            known = " or ".join(f"--to {name}" for name, kinds in SHAPES.items() if kind in kinds)
            raise fields.error(f"is a row of {kind}, which {shape!r} cannot hold", field="inputs", hint=known)
        return (build_comments if kind == COMMENTS else build_issues)(fields)

    for task in _tasks(source, task_of, heard, strict=strict):
        row, track = row_of(task), COMMENT_TRACK if "code" in task.inputs else ISSUE_TRACK
        yield Made(importing.renaming.undone(_record(task, row, shape)), row, track.name)


def _record(task: Task, row: dict[str, Any], shape: str) -> dict[str, Any]:
    is_comment = "code" in task.inputs
    if shape != IANVS:
        return comments.record_of_row(row) if is_comment else issues.record_of_row(row)
    track = COMMENT_TRACK if is_comment else ISSUE_TRACK
    level = task.inputs["lang"] if is_comment else spec_of(task).references[0].strength
    query, response = track.prompt(task), track.gold(task) or ""
    return ianvs.record_of_row(row, query=query, response=response, levels=(track.name, level))


def _tasks(source: str, task_of: Callable[[Fields], Task], heard: Heard, *, strict: bool) -> Iterator[Task]:
    """The tasks of records, each id once; whatever is wrong with one is told, and the others go on."""
    path = place(source)
    seen: dict[str, int] = {}
    repaired = None if strict else heard.repaired
    for line, data in read_loose(source, refuse=heard.refused, repaired=repaired):
        try:
            task = task_of(Fields(data, path, line))
            if (key := str(task.task_id)) in seen:
                hint = "give each record its own id, or remove one of the two"
                message = f"the id is already that of line {seen[key]}"
                raise DataError(message, path=path, line=line, task_id=task.task_id, hint=hint)
        except DataError as error:
            heard.refused(error)
            continue
        seen[key] = line
        yield task
