"""Rows of CodeCorrectness as executions need them, and stage 8: as many of both labels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

from benchwright.building.codecorrectness.nouns import Candidate
from benchwright.contracts import Suite
from benchwright.lang.source import lay_out
from benchwright.records import Drop, Record, Task, TaskId
from benchwright.store.keys import content_key
from benchwright.tracks.correctness_rows import build, to_row, unescaped_fields
from benchwright.tracks.rows import load_tasks

# Rows of CodeCorrectness as executions need them: read by the track's own reader, seen as a project. There
# is one reader, `tracks.correctness_rows`: a row that could not be asked is none to verify either.


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


# Stage 8, balance: as many rows that pass as rows that fail, in each language.


def balance(candidates: Iterable[Candidate], *, max_rows: int | None) -> Iterator[Candidate | Drop]:
    """The rows of the data set in a fixed order, and the rest as drops.

    In each language, of tests from repositories and of tests by a model by themselves, the rarer label
    decides: so many rows of both are taken. A model's tests can be told by their style and fail more often,
    so over both together the style would give the label away. Natural failures come before mutated ones.
    Otherwise turns go round the repositories, and within one the content key decides, which has nothing to
    do with what a row holds. `max_rows` is shared out between the languages in turn.
    """
    rows = list(candidates)
    langs = sorted({row.lang for row in rows})
    queues = {lang: _by_author([row for row in rows if row.lang == lang]) for lang in langs}
    possible = sum(len(queue) for queue in queues.values())
    room = possible if max_rows is None else min(possible, max_rows // 2)
    taken: set[str] = set()
    turn = 0
    while room > 0:
        for lang in langs:
            if turn < len(queues[lang]) and room > 0:
                taken.update(row.revision for row in queues[lang][turn])
                room -= 1
        turn += 1
    paired = {row.revision for queue in queues.values() for two in queue for row in two}
    for row in sorted(rows, key=_place):
        if row.revision in taken:
            yield row
        elif row.revision in paired:
            yield Drop(unit=row.unit, reason="over_max_rows")
        else:
            detail = f"{row.label} in {row.lang}{', by a model' if row.written else ''}"
            yield Drop(unit=row.unit, reason="label_too_common", detail=detail)


def _place(row: Candidate) -> str:
    """A key of its own: rows are chosen by the lowest revisions, so that order would tell the labels."""
    return content_key("place", row.revision)


def _by_author(rows: Sequence[Candidate]) -> list[tuple[Candidate, Candidate]]:
    """The pairs of tests from repositories and of those by a model, in turn."""
    own = _pairs([row for row in rows if not row.written])
    written = _pairs([row for row in rows if row.written])
    return [two for turn in zip_longest(own, written) for two in turn if two is not None]


def _pairs(rows: Sequence[Candidate]) -> list[tuple[Candidate, Candidate]]:
    """Each passing row that is taken, with a failing one."""
    passing = _round_robin([row for row in rows if row.label == "success"])
    natural = _round_robin([row for row in rows if row.label == "failed" and row.subset != "mutated"])
    mutated = _round_robin([row for row in rows if row.label == "failed" and row.subset == "mutated"])
    return list(zip(passing, [*natural, *mutated], strict=False))


def _round_robin(rows: Sequence[Candidate]) -> list[Candidate]:
    """The repositories in turn, so that a large one does not fill the data set alone."""
    queues: dict[str, list[Candidate]] = {}
    for row in sorted(rows, key=lambda row: row.revision):
        queues.setdefault(row.repository, []).append(row)
    order = sorted(queues, key=content_key)
    longest = max(map(len, queues.values()), default=0)
    return [queues[name][turn] for turn in range(longest) for name in order if turn < len(queues[name])]
