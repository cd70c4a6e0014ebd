"""Rows of CodeCorrectness as executions need them: read by the track's own reader, seen as a project."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchwright.contracts import Suite
from benchwright.lang.source import lay_out
from benchwright.records import Record, Task, TaskId
from benchwright.store.keys import content_key
from benchwright.tracks.correctness_rows import build, to_row, unescaped_fields
from benchwright.tracks.rows import load_tasks

# There is one reader, `tracks.correctness_rows`: a row that could not be asked is none to verify either.


class LabelledRow(Record, frozen=True, kw_only=True):
    """A task whose label is checked. `revision` is the content key of all that decides the label.

    The task's own revision will not do: it changes with the instruction and with the label itself.
    """

    task_id: TaskId
    lang: str
    focal_code: str
    test_code: str
    label: str  # empty where the data set hides it
    revision: str
    origin: str = ""
    focal_path: str | None = None
    test_path: str | None = None
    unescaped: bool = False


def load_rows(source: str | Path) -> Iterator[tuple[LabelledRow, dict[str, Any]]]:
    """Each row beside its JSON as it was read. Raises DataError with file, line, field and hint."""
    for task in load_tasks(source, build):
        yield _row(task), to_row(task)


def suite_of(row: LabelledRow) -> Suite:
    """The row as a project. Raises LayoutError."""
    return suite_of_paths(
        row.focal_code, row.test_code, row.lang, focal_path=row.focal_path, test_path=row.test_path
    )


def suite_of_paths(
    focal_code: str, test_code: str, lang: str, *, focal_path: str | None, test_path: str | None
) -> Suite:
    """The one way from two texts to a project, for building and for verifying alike. Raises LayoutError."""
    return lay_out(focal_code, test_code, lang, focal_name=focal_path, test_name=test_path)


def revision_of(lang: str, focal_code: str, test_code: str) -> str:
    """The content key of what decides a label."""
    return content_key(lang, focal_code, test_code)


def _row(task: Task) -> LabelledRow:
    lang, focal, test = (task.inputs[name] for name in ("lang", "focal_code", "test_code"))
    return LabelledRow(
        task_id=task.task_id,
        lang=lang,
        focal_code=focal,
        test_code=test,
        label=task.outputs,
        revision=revision_of(lang, focal, test),
        origin=task.origin,
        focal_path=_path(task.meta.get("focal_path")),
        test_path=_path(task.meta.get("test_path")),
        unescaped=bool(unescaped_fields(task)),
    )


def _path(value: object) -> str | None:
    """A path from the row, as a hint to the layout only: nothing is opened under that name."""
    return value if isinstance(value, str) and value else None
