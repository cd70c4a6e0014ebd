"""Rows of CodeCorrectness as executions need them: read by the track's own reader, seen as a project."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchwright.contracts import Suite
from benchwright.lang.faults import LayoutError
from benchwright.lang.paths import is_plain_path
from benchwright.lang.source import cases, lay_out
from benchwright.records import Record, Task, TaskId
from benchwright.store.keys import content_key
from benchwright.tracks.correctness_rows import build, to_row, unescaped_fields
from benchwright.tracks.rows import load_tasks

MOST_BESIDE = 100  # files of a layout beside the two: packages around them, a module's file

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
    layout: Any = None  # as the row has it: `layout_of` of the suite that its label was made with


def load_rows(source: str | Path) -> Iterator[tuple[LabelledRow, dict[str, Any]]]:
    """Each row beside its JSON as it was read. Raises DataError with file, line, field and hint."""
    for task in load_tasks(source, build):
        yield _row(task), to_row(task)


def suite_of(row: LabelledRow) -> Suite:
    """The row as a project: as its label was made where it says how. Raises LayoutError."""
    if row.layout is not None:
        return _laid_out(row)
    return suite_of_paths(
        row.focal_code, row.test_code, row.lang, focal_path=row.focal_path, test_path=row.test_path
    )


def layout_of(suite: Suite) -> dict[str, Any]:
    """Where the files of a suite are and what lies beside them, ready for JSON: `meta.layout` of a row."""
    beside = {path: text for path, text in suite.files.items() if path not in (suite.focal, suite.test)}
    return {"focal": suite.focal, "test": suite.test, "framework": suite.framework, "files": beside}


def _laid_out(row: LabelledRow) -> Suite:
    layout = row.layout
    try:
        focal, test, framework = (layout[name] for name in ("focal", "test", "framework"))
        beside = dict(layout["files"])
        texts = [focal, test, framework, *beside, *beside.values()]
        fits = focal != test and all(isinstance(each, str) for each in texts)
        fits = fits and all(is_plain_path(path) for path in (focal, test, *beside))
    except (TypeError, KeyError, ValueError):
        fits = False
    if not fits or len(beside) > MOST_BESIDE:
        message = "meta.layout is not what a build writes: focal, test, framework and files"
        raise LayoutError(message, reason="package", hint="leave meta.layout out to have the texts decide")
    found = [case.name for case in cases(row.test_code, row.lang)]
    if not found:
        raise LayoutError("the test file has no test case", reason="no_cases")
    files = {**beside, focal: row.focal_code, test: row.test_code}
    return Suite(lang=row.lang, framework=framework, files=files, focal=focal, test=test, cases=found)


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
        layout=task.meta.get("layout"),
    )


def _path(value: object) -> str | None:
    """A path from the row, as a hint to the layout only: nothing is opened under that name."""
    return value if isinstance(value, str) and value else None
