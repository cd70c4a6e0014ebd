"""Hand-collected records as a source of events: JSON Lines, JSON, CSV or Parquet with documented columns.

`records:FILE`, with options for repository, licence and columns. A row is an issue, a pull request, a remark
or a comment (`CollectedRow`), or a question with its answers as `tracks/issues` reads them. Each row ends as
events or as one drop, whose reason is one of `REASONS`, of those of `store/tables.py`, or of those of
`store/lenient_json.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from benchwright.display.escape import escaped_name, escaped_path
from benchwright.errors import DataError, UsageError, nearest_hint
from benchwright.records import Drop, Record
from benchwright.sources.event_maker import EventMaker, checked, utc_time
from benchwright.sources.events import Cleaner, RemarkPlace, RepoEvent
from benchwright.sources.source_options import source_options
from benchwright.store.field_map import FieldKind, FieldMap, MappedData, mapped_rows
from benchwright.store.files import is_parquet, locate
from benchwright.store.lenient_json import JsonRepair, read_loose
from benchwright.store.scanning import UnreadableRowError
from benchwright.store.tables import read_csv, table_format
from benchwright.tracks.collected.records import ImportOptions
from benchwright.tracks.issues.rows import QUESTION, to_row
from benchwright.tracks.rows import Fields

SOURCE = "records"
REASONS = {
    "not_json": "the row is not a JSON object",
    "field_missing": "a required column is empty",
    "field_invalid": "a value has another type than its column",
    "nul_byte": "a value contains a NUL byte",
    "field_too_large": "a text has more than MAX_FIELD characters",
    "date_invalid": "a date is not ISO 8601",
    "repo_invalid": "the name of the repository is too long or not printable",
    "duplicate_id": "an earlier row of the same type has the id",
}
MAX_FIELD = 1 << 18
_DATES = ("created_at", "closed_at", "merged_at")


class CollectedRow(Record, frozen=True, kw_only=True):
    """One row. Lists are arrays in JSON, and texts separated by `|` in CSV. Times are ISO 8601."""

    type: Literal["issue", "pull", "remark", "comment"]
    id: str | int  # unique among the rows of one type and repository; without it, the number of the row
    repo: str = ""  # "owner/name"; without it, that of the source's option
    number: int | None = None  # of an issue or pull request on its platform; without it, the id
    title: str = ""
    text: str = ""  # body, remark or comment
    author: str = ""  # a login or an e-mail address; stored as a pseudonym
    role: str = ""  # owner, member, collaborator, contributor, none
    created_at: str = ""
    closed_at: str = ""
    closed_by: str = ""  # the commit or pull request that closed an issue: a SHA, or "#12"
    labels: list[str] = []
    base: str = ""  # of a pull request: the commit that it branched from
    heads: list[str] = []  # of a pull request: its heads in order, the last one is the newest
    closes: list[str] = []  # issues that a pull request closes: "#3", "owner/name#3"
    merged_at: str = ""
    merge_commit: str = ""
    on: str = ""  # of a comment: "issue:3" or "pull:12"
    pull: int | None = None  # of a remark: the number of the pull request
    path: str = ""  # of a remark: file, last line, first line, side of the diff, commit and diff hunk
    line: int = 0
    first_line: int = 0
    side: Literal["new", "old"] = "new"
    commit: str = ""
    hunk: str = ""
    in_reply_to: str = ""  # the id of the remark that this one answers
    resolved: bool | None = None
    suggestion: str | None = None  # the lines that replace those of the remark
    url: str = ""
    licence: str = ""


_NEEDED = {
    "issue": ("title",),
    "pull": ("title",),
    "comment": ("on", "text"),
    "remark": ("pull", "path", "text"),
}


@cache
def column_kinds() -> dict[str, FieldKind]:
    """All columns, and how the cell of a table is read: as a text, as a list, or as JSON."""
    texts = (str, str | int, str | None)
    kinds: dict[str, FieldKind] = {}
    for field in msgspec.structs.fields(CollectedRow):
        is_text = field.type in texts or "Literal" in str(field.type)
        kinds[field.name] = "text" if is_text else "list" if field.type == list[str] else "json"
    return kinds


def open_records(rest: str, *, licences: Collection[str] = ()) -> RecordFile:
    """Open `FILE[,repo=OWNER/NAME][,licence=SPDX][,map=COLUMN:FIELD]…[,set=FIELD:VALUE]…`.

    With `map`, only the mapped columns and `id` are read. Raises UsageError for a missing file, an unknown
    option or an unknown field.
    """
    example = "records:FILE,repo=owner/name,map=body:text,set=type:comment"
    options = source_options(rest, ("repo", "licence"), example=example, repeated=("map", "set"))
    columns = FieldMap(columns=options.pairs("map"), values=options.pairs("set"))
    for field in (*columns.columns.values(), *columns.values):
        if field not in column_kinds():
            hint = nearest_hint(field, column_kinds())
            raise UsageError(f"records have no field {escaped_name(field)!r}", hint=hint)
    path = locate(options.place)
    return RecordFile(path, columns, repo=options.get("repo"), licence=options.get("licence"))


class _FileState(NamedTuple):
    """The ids and unknown columns of a file so far."""

    lines: dict[tuple[str, ...], int]
    unknown: dict[str, int]


class RecordFile:
    """One file of hand-collected records."""

    def __init__(self, path: Path, columns: FieldMap, *, repo: str = "", licence: str = "") -> None:
        self._path, self._columns = path, columns
        self._repo, self._licence = repo or path.name.partition(".")[0], licence
        self._name = escaped_path(path.name)

    def events(self, folder: Path, clean: Cleaner, tell: Callable[[str], None]) -> Iterator[RepoEvent | Drop]:
        """Yield the events of each row, in the order of the file. `tell` receives each repair of JSON."""
        refused: list[DataError] = []
        known = _FileState({}, {})
        for line, data in self._rows(refused.append, lambda repair: tell(str(repair))):
            yield from map(self._drop, _take_all(refused))
            yield from self._events(line, data, clean, known)
        yield from map(self._drop, _take_all(refused))
        if known.unknown:
            names = ", ".join(f"{escaped_name(name, 30)} ({count})" for name, count in known.unknown.items())
            tell(f"{self._name}: unknown columns are not read: {names}")

    def _rows(
        self, refuse: Callable[[DataError], None], repaired: Callable[[JsonRepair], None]
    ) -> Iterator[tuple[int, dict[str, Any]]]:
        typed = is_parquet(self._path) or table_format(self._path) != "csv"
        rows: Iterator[tuple[int, dict[str, Any]]]
        if typed:
            rows = ((row.line, row.data) for row in read_loose(self._path, refuse=refuse, repaired=repaired))
        else:
            rows = read_csv(self._path, refuse)
        mapped = MappedData.of(str(self._path), self._columns, column_kinds(), typed=typed)
        return mapped_rows(rows, mapped, self._name, refuse)

    def _events(
        self, line: int, data: dict[str, Any], clean: Cleaner, known: _FileState
    ) -> Iterator[RepoEvent | Drop]:
        fields = Fields(data, self._name, line)
        maker = EventMaker(SOURCE, self._repo, clean, self._licence)
        if (fault := _fault(data, ())) is not None:
            yield self._named_drop(line, *fault)
            return
        try:
            if QUESTION in data and "type" not in data:
                yield from self._question(fields, maker, known)
            else:
                yield from self._row(fields, maker, known)
        except DataError as error:
            reason = error.reason if isinstance(error, UnreadableRowError) else "field_invalid"
            yield self._named_drop(line, reason, _explained(error))

    def _row(self, fields: Fields, maker: EventMaker, known: _FileState) -> Iterator[RepoEvent | Drop]:
        row = _converted(fields, known)
        maker = maker._replace(repo=row.repo or maker.repo, licence=row.licence or maker.licence)
        self._check_first((maker.repo, row.type, str(row.id)), fields, known)
        yield from checked(maker, _MAKERS[row.type](row, maker), f"{row.type}:{row.id}")

    def _question(self, fields: Fields, maker: EventMaker, known: _FileState) -> Iterator[RepoEvent | Drop]:
        row = to_row(fields, ImportOptions())
        maker = maker._replace(
            repo=_text(fields.data, "repo") or maker.repo,
            licence=_text(fields.data, "license") or maker.licence,
        )
        number = str(row["meta"]["id"])
        self._check_first((maker.repo, "issue", number), fields, known)
        yield from checked(maker, _of_question(row, number, maker), f"issue:{number}")

    def _check_first(self, key: tuple[str, ...], fields: Fields, known: _FileState) -> None:
        first = known.lines.setdefault(key, fields.line)
        if first != fields.line:
            message = f"line {first} has the same id"
            raise UnreadableRowError(message, reason="duplicate_id", path=fields.path, line=fields.line)

    def _drop(self, error: DataError) -> Drop:
        reason = error.reason if isinstance(error, UnreadableRowError) else _reason_of(error)
        return self._named_drop(error.line or 0, reason, _explained(error))

    def _named_drop(self, line: int, reason: str, detail: str) -> Drop:
        return Drop(unit=f"{self._name}:{line}", reason=reason, detail=detail)


def _take_all(errors: list[DataError]) -> list[DataError]:
    found = list(errors)
    errors.clear()
    return found


def _reason_of(error: DataError) -> str:
    return "field_invalid" if error.field else "not_json"


def _explained(error: DataError) -> str:
    """The fault and its field; the place is the unit of the drop."""
    return f"{error.field}: {error.what}" if error.field else error.what


def _text(data: Mapping[str, Any], name: str) -> str:
    value = data.get(name)
    return value if isinstance(value, str) else ""


def _fault(value: Any, at: tuple[str, ...]) -> tuple[str, str] | None:
    """The reason and the field of the first text that no event can hold."""
    if isinstance(value, str):
        if "\0" in value:
            return "nul_byte", ".".join(at)
        return (
            ("field_too_large", f"{'.'.join(at)}: {len(value):,} characters")
            if len(value) > MAX_FIELD
            else None
        )
    inner: Any = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    return next(
        (bad for name, each in inner if (bad := _fault(each, (*at, escaped_name(str(name), 30))))), None
    )


def _converted(fields: Fields, known: _FileState) -> CollectedRow:
    data = {name: value for name, value in fields.data.items() if value is not None}
    for name in [name for name in data if name not in column_kinds()]:
        known.unknown[name] = known.unknown.get(name, 0) + 1
        del data[name]
    kind = data.get("type")
    needed = ("type", *_NEEDED.get(kind if isinstance(kind, str) else "", ()))
    missing = next((name for name in needed if data.get(name) in (None, "")), None)
    if missing is not None:
        raise _refusal(fields, "field_missing", f"`{missing}` is empty")
    row = fields._replace(data=data).converted(CollectedRow)
    for name in _DATES:
        if (given := getattr(row, name)) and not utc_time(given):
            raise _refusal(fields, "date_invalid", f"{name}: write it as 2026-11-27T19:40:00Z")
    return row


def _refusal(fields: Fields, reason: str, message: str) -> UnreadableRowError:
    return UnreadableRowError(message, reason=reason, path=fields.path, line=fields.line)


def _subject(text: str) -> str:
    """A subject of an event: "#3" is issue 3, a SHA a commit, and anything else stays as it is."""
    if text.startswith("#") and text[1:].isdecimal():
        return f"issue:{text[1:]}"
    is_sha = len(text) in (40, 64) and all(char in "0123456789abcdef" for char in text)
    return f"commit:{text}" if is_sha else text


def _common(row: CollectedRow) -> dict[str, Any]:
    return {"actor": row.author, "at": utc_time(row.created_at), "role": row.role, "url": row.url}


def _heading(row: CollectedRow) -> str:
    return f"{row.title}\n\n{row.text}" if row.text else row.title


def _issue(row: CollectedRow, maker: EventMaker) -> Iterator[RepoEvent]:
    subject = f"issue:{row.id if row.number is None else row.number}"
    yield maker.event("issue_opened", subject, subject=subject, text=_heading(row), **_common(row))
    yield from _labels(row, subject, maker)
    if row.closed_at or row.closed_by:
        cites = [_subject(row.closed_by)] if row.closed_by else []
        at = utc_time(row.closed_at)
        yield maker.event("issue_closed", subject, subject=subject, at=at, cites=cites, url=row.url)


def _labels(row: CollectedRow, subject: str, maker: EventMaker, pull: str = "") -> Iterator[RepoEvent]:
    for label in row.labels:
        yield maker.event("label", f"{subject}/{label}", subject=subject, state=label, pull=pull, url=row.url)


def _pull(row: CollectedRow, maker: EventMaker) -> Iterator[RepoEvent]:
    subject = f"pull:{row.id if row.number is None else row.number}"
    common = {"subject": subject, "pull": subject, "url": row.url}
    opened = {**common, **_common(row), "text": _heading(row)}
    heads = [*([row.base] if row.base else []), *row.heads[:1]]
    cites = [_subject(each) for each in row.closes]
    yield maker.event("pull_opened", subject, heads=heads, cites=cites, **opened)
    for number, (before, after) in enumerate(zip(row.heads, row.heads[1:], strict=False), 2):
        yield maker.event("push", f"{subject}/{number}", heads=[before, after], **common)
    yield from _labels(row, subject, maker, subject)
    if row.merged_at or row.merge_commit:
        merged = [row.merge_commit] if row.merge_commit else []
        yield maker.event("merge", subject, at=utc_time(row.merged_at), heads=merged, **common)
    elif row.closed_at:
        yield maker.event("pull_closed", subject, at=utc_time(row.closed_at), **common)


def _comment(row: CollectedRow, maker: EventMaker) -> Iterator[RepoEvent]:
    pull = row.on if row.on.startswith("pull:") else ""
    parts: dict[str, Any] = {
        "subject": f"comment:{row.id}",
        "parents": [row.on],
        "pull": pull,
        "text": row.text,
    }
    yield maker.event("comment", str(row.id), **parts, **_common(row))


def _remark(row: CollectedRow, maker: EventMaker) -> Iterator[RepoEvent]:
    first = row.first_line or row.line
    place = RemarkPlace(
        path=row.path,
        commit=row.commit,
        first=first,
        last=max(row.line, first),
        side=row.side,
        hunk=row.hunk,
        resolved=row.resolved,
    )
    parents = [f"remark:{row.in_reply_to}"] if row.in_reply_to else []
    kind = "remark" if row.suggestion is None else "suggestion"
    yield maker.event(
        kind,
        str(row.id),
        subject=f"remark:{row.id}",
        pull=f"pull:{row.pull}",
        parents=parents,
        text=row.text,
        place=place,
        replacement=row.suggestion,
        **_common(row),
    )


_MAKERS: dict[str, Callable[[CollectedRow, EventMaker], Iterator[RepoEvent]]] = {
    "issue": _issue,
    "pull": _pull,
    "comment": _comment,
    "remark": _remark,
}


def _of_question(row: Mapping[str, Any], number: str, maker: EventMaker) -> Iterator[RepoEvent]:
    """A question and its answers, from a row of the issues track."""
    inputs, subject = row["inputs"], f"issue:{number}"
    body = inputs.get("body", "")
    text = f"{inputs[QUESTION]}\n\n{body}" if body else inputs[QUESTION]
    parts = {"text": text, "at": utc_time(inputs.get("asked_at", "")), "actor": inputs.get("author", "")}
    yield maker.event("issue_opened", subject, subject=subject, **parts)
    for place, each in enumerate(row["outputs"]["references"], 1):
        native = f"{number}/answer_{each.get('number', place)}"
        yield maker.event(
            "comment",
            native,
            subject=f"comment:{native}",
            parents=[subject],
            actor=each.get("author", ""),
            at=utc_time(each.get("created_at", "")),
            role=each.get("role", "").lower(),
            text=each["body"],
            state=each["strength"],
            cites=_fixes(each),
        )


def _fixes(answer: Mapping[str, Any]) -> list[str]:
    """The linked fix of an answer, if the record names it; it may only say that there is one."""
    found = answer.get("linked_fix")
    return [_subject(found)] if isinstance(found, str) and found else []
