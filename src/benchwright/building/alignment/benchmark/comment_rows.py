"""Rows of `smartcoding-comments` from commits that add comments and change nothing else.

The code of a row lacks the added comments, which are its annotations, by line of that code. A large file is
cut to the function or class around the comments.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from textwrap import dedent
from typing import Any, NamedTuple

from benchwright.building.alignment.benchmark.material import (
    MAX_LINES,
    Lines,
    MinedRow,
    Records,
    UnpublishableFileError,
    language_of_path,
    load_row,
)
from benchwright.contracts import Annotation
from benchwright.lang.comment_reading import first_change, read_comments
from benchwright.lang.comment_records import CommentedCode, Declaration
from benchwright.records import Drop, Task
from benchwright.sources.events import FileVersion, RepoEvent
from benchwright.store.keys import content_key
from benchwright.text.words import words
from benchwright.tracks.collected.records import ImportOptions
from benchwright.tracks.comments.answers import annotations_in, commented
from benchwright.tracks.comments.rows import build, spec_of, to_row
from benchwright.tracks.rows import Fields

TRACK = "smartcoding-comments"
WHOLE = 120  # lines of a file that is a row as a whole
MAX_UNIT = 150  # lines of a function or class
MIN_WORDS = 3  # of a comment


class _Unit(NamedTuple):
    """A part of the code, its lines from 1, and the comments in it."""

    kind: str
    first: int
    last: int
    annotations: list[Annotation]


def comment_rows(records: Records, lines: Lines, *, repos: Collection[str]) -> Iterator[MinedRow | Drop]:
    """Rows for each file of the commits that add comments alone; a drop with a reason for other files."""
    for event in records.events():
        if event.repo not in repos or event.kind != "commit" or not _adds_comments(event):
            continue
        for file in event.files:
            yield from _of_file(records, event, file, lines)


def _adds_comments(event: RepoEvent) -> bool:
    """Whether the flags of the event say that only comments changed, in a commit with one parent.

    Documentation files do not count as code.
    """
    code = [file for file in event.files if not file.documentation_changed]
    return (
        len(event.heads) == 1
        and bool(code)
        and all(each.status == "modified" and not each.code_changed for each in code)
        and any(each.comments_changed or each.docstrings_changed for each in code)
        and not event.bot
    )


def _of_file(
    records: Records, event: RepoEvent, file: FileVersion, lines: Lines
) -> Iterator[MinedRow | Drop]:
    if file.documentation_changed or not (file.comments_changed or file.docstrings_changed):
        return
    unit, sha = f"{event.id}:{file.path}", event.subject.removeprefix("commit:")
    lang = language_of_path(file.path)
    if not lang:
        yield Drop(unit=unit, reason="language")
        return
    try:
        before, after = (lines(event.repo, commit, file.path) for commit in (event.heads[0], sha))
    except UnpublishableFileError:
        yield Drop(unit=unit, reason="secret")
        return
    if before is None or after is None:
        yield Drop(unit=unit, reason="no_file")
        return
    if max(len(before), len(after)) > MAX_LINES:
        yield Drop(unit=unit, reason="large_file")
        return
    found = added_comments("\n".join(before) + "\n", "\n".join(after) + "\n", lang)
    if isinstance(found, str):
        yield Drop(unit=unit, reason=found)
        return
    licence = records.licence(event.repo)
    for part in _units(before, lang, found):
        if isinstance(part, str):
            yield Drop(unit=unit, reason=part)
            continue
        row = _row(event, sha, file.path, lang, before, part)
        yield _checked(unit, event.repo, {**row, "license": licence})


def added_comments(before: str, after: str, lang: str) -> list[Annotation] | str:
    """The comments that were added, by line of the old code; a reason if something else was changed."""
    old, new = read_comments(before, lang), read_comments(after, lang)
    if old.fault is not None:
        return "syntax"
    if first_change(old, new) is not None:
        return "code_changed"
    if _comment_lines(old) - _comment_lines(new):
        return "comment_changed"
    found = annotations_in(after, before, lang)
    found = [each for each in found if len(words(_VERSION.sub("", each.text))) >= MIN_WORDS]
    telling = [each for each in found if not _is_code(each.text)]
    return telling or ("commented_code" if found else "no_comment")


def _comment_lines(code: CommentedCode) -> Counter[str]:
    return Counter(" ".join(line.split()) for each in code.comments for line in each.text.split("\n"))


_VERSION = re.compile(r"\.\. (?:version\w+|deprecated):: *[\d.]*")  # a note of Sphinx alone says nothing
_CODE = re.compile(
    r"^\s*(?:(?:def|class|import|from|return|if|for|while|func|public|private|const|let|var)\b.*[:;{)]"
    r"|[\w.\[\]]+\s*[-+*/]?=[^=].*|[\w.]+\(.*\)[;,]?|[{}]+)\s*$"
)


def _is_code(text: str) -> bool:
    """Whether most lines of a comment look like code that was commented out."""
    lines = [line for line in text.split("\n") if line.strip()]
    return 2 * sum(bool(_CODE.match(line)) for line in lines) > len(lines)


def _units(lines: Sequence[str], lang: str, found: Sequence[Annotation]) -> Iterator[_Unit | str]:
    """The smallest functions or classes around the comments; the file if it is small."""
    if len(lines) <= WHOLE:
        yield _Unit("file", 1, len(lines), list(found))
        return
    declared = read_comments("\n".join(lines) + "\n", lang).declared
    around: dict[tuple[str, int, int], list[Annotation]] = {}
    for each in found:
        unit = _around(declared, each.line)
        if unit is None:
            yield "large_unit"
            continue
        around.setdefault(unit, []).append(each)
    for (kind, first, last), inside in around.items():
        moved = [Annotation(line=each.line - first + 1, text=each.text) for each in inside]
        yield _Unit(kind, first, last, moved)


def _around(declared: Sequence[Declaration], line: int) -> tuple[str, int, int] | None:
    """The smallest declaration around a line, if it is small enough."""
    around = [each for each in declared if each.first_line <= line <= each.last_line]
    small = [each for each in around if each.last_line - each.first_line < MAX_UNIT]
    one = min(small, key=lambda each: each.last_line - each.first_line, default=None)
    if one is None:
        return None
    return ("class" if one.kind == "class" else "function"), one.first_line, one.last_line


def _row(
    event: RepoEvent, sha: str, path: str, lang: str, lines: Sequence[str], unit: _Unit
) -> dict[str, Any]:
    code = dedent("\n".join(lines[unit.first - 1 : unit.last]) + "\n")
    return {
        "id": content_key(TRACK, event.id, path, unit.first)[:12],
        "code_snippet": code,
        "lang": lang,
        "unit": "function" if unit.kind == "class" else unit.kind,
        "annotations": [{"line_number": each.line, "annotation": each.text} for each in unit.annotations],
        "repo": event.repo,
        "commit": sha,
        "path": path,
        "first_line": unit.first,
        "at": event.at,
        "source": event.id,
    }


def _checked(unit: str, repo: str, record: dict[str, Any]) -> MinedRow | Drop:
    """The record as a row that the track reads, and whose reference comments leave the code unchanged."""
    row: dict[str, Any] = {}

    def read(fields: Fields) -> Task:
        row.update(to_row(fields, ImportOptions()))
        return build(fields._replace(data=row))

    task = load_row(record, read, unit)
    if isinstance(task, Drop):
        return task
    unchanged = commented(spec_of(task)) is not None
    return MinedRow(repo, record["license"], row) if unchanged else Drop(unit=unit, reason="no_comment")
