"""Records that pass between stages, and rows as executions need them.

Published rows are read by the track's own reader: a row that cannot be asked cannot be verified either.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchwright.contracts import Suite
from benchwright.lang.paths import is_plain_path
from benchwright.lang.protocol import PairTexts
from benchwright.lang.source import cases, lay_out
from benchwright.lang.source_errors import LayoutError
from benchwright.records import Record, Task, TaskId
from benchwright.store.keys import content_key
from benchwright.tracks.correctness.rows import build, to_row, unescaped_fields
from benchwright.tracks.rows import load_tasks

SUBSETS = ("original", "generated", "mutated", "history", "broken")


class Authorship(Record, frozen=True, kw_only=True):
    """The model that wrote a test file, with its reply and the prompt version."""

    model: str
    prompt: str
    reply: str  # key of the reply in the build's folder of replies


class PairLocation(Record, frozen=True, kw_only=True):
    """The two files and the commit that every record about a pair starts with."""

    repository: str
    commit: str
    committed_at: str
    licence: str
    lang: str
    focal_path: str
    test_path: str


class Pair(PairLocation, frozen=True, kw_only=True):
    """A focal file and the file that tests it; the test may be generated, or from the following commit."""

    focal_code: str
    test_code: str
    written: Authorship | None = None
    subset: str = "original"  # or "generated", or "history"
    origin: str = ""  # for history: the commits of the files
    only: tuple[str, ...] = ()  # only these test cases; empty: all


class Candidate(PairLocation, frozen=True, kw_only=True):
    """A candidate for a row: a focal file and one test case. Later stages fill in their results."""

    case: str
    focal_code: str
    test_code: str
    revision: str
    subset: str = "original"  # one of SUBSETS
    written: Authorship | None = None  # the model that wrote the test; mutants keep it
    tags: dict[str, Any] = {}
    label: str = ""
    kind: str = ""  # of failure
    runs: int = 0
    passes: int = 0
    mutation: str = ""
    parent: str = ""  # revision of the row that was mutated or broken
    cluster: str = ""  # equal for all versions of one test; see `cluster_of`
    origin: str = ""  # one line about its origin, if the commit is not enough
    inlined: list[str] = []  # files of its package whose declarations were added
    layout: dict[str, Any] = {}  # layout of its files when it was labelled: see `rows.layout_of`
    needs_files: list[str] = []  # other files of its project that the pair refers to
    needs_plugins: list[str] = []  # plug-ins of the test runner that its test needs
    steady: str = ""  # empty if executions have proven it, else "not proven steady"
    builds: str = ""  # whether the project builds, see `building.codecorrectness.project_builds`

    @property
    def unit(self) -> str:
        """The name in drops and messages."""
        mutation = f" {self.mutation}" if self.mutation else ""
        return f"{self.repository}:{self.test_path}::{self.case}{mutation}"

    @property
    def texts(self) -> PairTexts:
        """The focal and the test file with their paths."""
        return PairTexts(self.focal_path, self.focal_code, self.test_path, self.test_code)


def cluster_of(row: Candidate) -> str:
    """The key that all versions of one test share, whatever was done to its focal file."""
    return row.cluster or content_key(row.repository, row.test_path, row.case)


MOST_BESIDE = 100  # further files of a layout: packages around the two, a module file


class LabelledRow(Record, frozen=True, kw_only=True):
    """A task whose label is checked. `revision` is the content key of everything that decides the label.

    The revision of the task cannot serve: it changes with the instruction and with the label itself.
    """

    task_id: TaskId
    lang: str
    focal_code: str
    test_code: str
    label: str  # empty if the data set hides it
    revision: str
    origin: str = ""
    focal_path: str | None = None
    test_path: str | None = None
    unescaped: bool = False
    layout: Any = None  # `layout_of` of the suite with which it was labelled


def load_rows(source: str | Path) -> Iterator[tuple[LabelledRow, dict[str, Any]]]:
    """Each row with its original JSON. Raises DataError with file, line, field and hint."""
    for task in load_tasks(source, build):
        yield _row(task), to_row(task)


def suite_of(row: LabelledRow) -> Suite:
    """The row as a project, in the layout of its label if the row has one. Raises LayoutError."""
    if row.layout is not None:
        return _laid_out(row)
    return suite_of_paths(
        row.focal_code, row.test_code, row.lang, focal_path=row.focal_path, test_path=row.test_path
    )


def layout_of(suite: Suite) -> dict[str, Any]:
    """The layout of a suite as JSON, with the files around the two: `meta.layout` of a row."""
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
        message = "invalid meta.layout; expected focal, test, framework and files"
        raise LayoutError(
            message, reason="package", hint="remove meta.layout to derive the layout from the two files"
        )
    found = [case.name for case in cases(row.test_code, row.lang)]
    if not found:
        raise LayoutError("the test file has no test case", reason="no_cases")
    files = {**beside, focal: row.focal_code, test: row.test_code}
    return Suite(lang=row.lang, framework=framework, files=files, focal=focal, test=test, cases=found)


def suite_of_paths(
    focal_code: str, test_code: str, lang: str, *, focal_path: str | None, test_path: str | None
) -> Suite:
    """The project of two texts, for building and verifying alike. Raises LayoutError."""
    return lay_out(focal_code, test_code, lang, focal_name=focal_path, test_name=test_path)


def revision_of(lang: str, focal_code: str, test_code: str) -> str:
    """The content key of everything that decides a label."""
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
    """A path from the row; only a hint for the layout, never opened."""
    return value if isinstance(value, str) and value else None
