"""Gerrit's two listings of changes as `GerritChange`: the REST API and `gerrit query --format=JSON`.

Formats: `ChangeInfo` and `CommentInfo` of Documentation/rest-api-changes.html and the objects of
Documentation/json.html at https://gerrit-review.googlesource.com. Unknown fields are ignored. A field
of another type than documented is a DataError.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any
from urllib.parse import urlsplit

import msgspec

from benchwright.errors import DataError
from benchwright.sources.event_maker import utc_time
from benchwright.sources.events import FileVersion
from benchwright.sources.gerrit_events import (
    GerritChange,
    GerritMessage,
    GerritPerson,
    GerritRemark,
    GerritVote,
    PatchSet,
)
from benchwright.store.strict_json import JsonOrigin, parse_value

GUARD = b")]}'"  # before each reply of the REST API, against its use as a script
_BUG = re.compile(r"(?im)^(?:Bug|Issue|Closes|Fixes|Resolves):\s*(.{1,200})$")
_BUG_ID = re.compile(r"#?([A-Za-z]*\d{1,12})\b")
_STATUS = {"A": "added", "D": "deleted", "R": "renamed", "C": "copied"}
_Line = Annotated[int, msgspec.Meta(ge=0, le=1 << 31)]


class _Loose(msgspec.Struct, frozen=True, kw_only=True):
    """Base of Gerrit's objects: all fields are optional unless an event needs them."""


class _Account(_Loose, frozen=True, kw_only=True):
    account: int | None = msgspec.field(default=None, name="_account_id")
    email: str = ""
    username: str = ""
    name: str = ""
    tags: list[str] = []

    def person(self) -> GerritPerson:
        number = "" if self.account is None else str(self.account)
        identity = self.email or self.username or self.name or number
        return GerritPerson(identity, "SERVICE_USER" in self.tags)


class _Range(_Loose, frozen=True, kw_only=True):
    start_line: _Line
    end_line: _Line
    start_character: _Line = 0
    end_character: _Line = 0

    def lines(self) -> tuple[int, int]:
        """First and last line; a range that ends before the first character of a line excludes it."""
        excluded = self.end_character == 0 and self.end_line > self.start_line
        return self.start_line, self.end_line - excluded

    @property
    def is_whole(self) -> bool:
        """Whether it contains whole lines with their ends."""
        return self.start_character == 0 and self.end_character == 0 and self.end_line > self.start_line


class _Replacement(_Loose, frozen=True, kw_only=True):
    path: str = ""
    range: _Range
    replacement: str = ""


class _Fix(_Loose, frozen=True, kw_only=True):
    replacements: list[_Replacement] = []


class _Comment(_Loose, frozen=True, kw_only=True):
    id: str
    patch_set: int = 0
    message: str = ""
    updated: str = ""
    author: _Account = _Account()
    side: str = ""
    line: _Line = 0
    range: _Range | None = None
    in_reply_to: str = ""
    unresolved: bool | None = None
    commit_id: str = ""
    fix_suggestions: list[_Fix] = []
    robot_id: str = ""


class _Parent(_Loose, frozen=True, kw_only=True):
    commit: str = ""


class _GitPerson(_Loose, frozen=True, kw_only=True):
    name: str = ""
    email: str = ""
    date: str = ""


class _Commit(_Loose, frozen=True, kw_only=True):
    parents: list[_Parent] = []
    message: str = ""
    author: _GitPerson = _GitPerson()


class _File(_Loose, frozen=True, kw_only=True):
    status: str = "M"
    old_path: str = ""
    lines_inserted: int | None = None
    lines_deleted: int | None = None
    binary: bool = False


class _Revision(_Loose, frozen=True, kw_only=True):
    number: int = msgspec.field(name="_number")
    created: str = ""
    uploader: _Account = _Account()
    kind: str = ""
    commit: _Commit = _Commit()
    files: dict[str, _File] = {}


class _Message(_Loose, frozen=True, kw_only=True):
    id: str = ""
    author: _Account = _Account()
    date: str = ""
    message: str = ""
    tag: str = ""
    patch_set: int = msgspec.field(default=0, name="_revision_number")


class _Approval(_Account, frozen=True, kw_only=True):
    value: int = 0
    date: str = ""


class _Label(_Loose, frozen=True, kw_only=True):
    all: list[_Approval] = []


class _Change(_Loose, frozen=True, kw_only=True):
    project: str
    number: int = msgspec.field(name="_number")
    change_id: str = ""
    branch: str = ""
    subject: str = ""
    status: str = ""
    created: str = ""
    updated: str = ""
    submitted: str = ""
    submitter: _Account = _Account()
    owner: _Account = _Account()
    revisions: dict[str, _Revision] = {}
    messages: list[_Message] = []
    labels: dict[str, _Label] = {}


def project_of(data: Mapping[str, Any]) -> str:
    """The project of a listed change; empty if it has none."""
    found = data.get("project")
    return found if isinstance(found, str) else ""


def change_of(
    data: Mapping[str, Any], origin: JsonOrigin, *, comments: Mapping[str, Any] | None = None, host: str = ""
) -> GerritChange:
    """Read one change of either listing. Raises DataError with the field that is invalid.

    `comments` is the reply of REST's `/changes/ID/comments`: lists by path. In a recorded page it may be
    in the change itself, as `comments`.
    """
    if "patchSets" in data or "commitMessage" in data:
        return _of_query(_converted(data, _QueryResult, origin))
    raw_comments = data.get("comments") if comments is None else comments
    by_path = _converted(raw_comments or {}, dict[str, list[_Comment]], origin)
    change = _converted(data, _Change, origin)
    return _of_rest(change, _remarks(by_path), host)


def _converted(data: Any, kind: Any, origin: JsonOrigin) -> Any:
    try:
        return msgspec.convert(data, kind)
    except msgspec.ValidationError as error:
        message, _, place = str(error).partition(" - at `$")
        field = place.rstrip("`").lstrip(".")[:80] or None
        raise origin.error(
            f"not a change of Gerrit: {message[:1].lower()}{message[1:]}", field=field
        ) from None


def _of_rest(change: _Change, remarks: tuple[GerritRemark, ...], host: str) -> GerritChange:
    revisions = sorted(change.revisions.items(), key=lambda each: each[1].number)
    sets = tuple(_patch_set(commit, each) for commit, each in revisions)
    return GerritChange(
        number=change.number,
        change_id=change.change_id,
        branch=change.branch,
        subject=change.subject,
        owner=change.owner.person(),
        created=utc_time(change.created),
        url=f"{host.rstrip('/')}/c/{change.project}/+/{change.number}" if host else "",
        status=change.status,
        merged_at=utc_time(change.submitted),
        merged_by=change.submitter.person(),
        cites=cited_issues(sets[-1].message if sets else ""),
        patch_sets=sets,
        messages=tuple(_message(each, place) for place, each in enumerate(change.messages, 1)),
        votes=tuple(_votes(change.labels)),
        remarks=remarks,
    )


def _patch_set(commit: str, each: _Revision) -> PatchSet:
    author = each.commit.author
    return PatchSet(
        number=each.number,
        commit=commit,
        parents=tuple(parent.commit for parent in each.commit.parents),
        at=utc_time(each.created),
        uploader=each.uploader.person(),
        kind=each.kind,
        message=each.commit.message,
        author=GerritPerson(author.email or author.name),
        authored_at=utc_time(author.date),
        files=tuple(_file(path, file) for path, file in sorted(each.files.items()) if path[:1] != "/"),
    )


def _file(path: str, file: _File) -> FileVersion:
    return FileVersion(
        path=path,
        status=_STATUS.get(file.status, "modified"),
        old_path=file.old_path,
        added=None if file.binary else file.lines_inserted or 0,
        removed=None if file.binary else file.lines_deleted or 0,
    )


def _message(each: _Message, place: int) -> GerritMessage:
    return GerritMessage(
        id=each.id or f"m{place}",
        text=each.message,
        at=utc_time(each.date),
        author=each.author.person(),
        patch_set=each.patch_set,
        tag=each.tag,
    )


def _votes(labels: Mapping[str, _Label]) -> Iterator[GerritVote]:
    for name, label in sorted(labels.items()):
        for each in label.all:
            if each.value:
                yield GerritVote(name, each.value, each.person(), utc_time(each.date))


def _remarks(by_path: Mapping[str, list[_Comment]]) -> tuple[GerritRemark, ...]:
    found = [_remark(path, each) for path, comments in by_path.items() for each in comments]
    return tuple(sorted(found, key=lambda each: (each.at, bool(each.answers), each.id)))


def _remark(path: str, each: _Comment) -> GerritRemark:
    first, last = each.range.lines() if each.range else (each.line, each.line)
    fix = _whole_fix(path, each)
    if fix is not None:
        first, last = fix.range.lines()
    return GerritRemark(
        id=each.id,
        path=path,
        text=each.message,
        patch_set=each.patch_set,
        at=utc_time(each.updated),
        author=each.author.person()._replace(bot=bool(each.robot_id) or each.author.person().bot),
        first=first,
        last=last,
        old_side=each.side == "PARENT",
        answers=each.in_reply_to,
        unresolved=each.unresolved,
        replacement=None if fix is None else fix.replacement.removesuffix("\n"),
        commit=each.commit_id,
    )


def _whole_fix(path: str, each: _Comment) -> _Replacement | None:
    """The only replacement of a comment's only fix, if it replaces whole lines of the commented file."""
    edits = [edit for fix in each.fix_suggestions for edit in fix.replacements]
    only = edits[0] if len(edits) == 1 else None
    return only if only and only.path in ("", path) and only.range.is_whole else None


# `gerrit query`: times are seconds since 1970; comments of files have no id and no time.


class _QueriedVote(_Loose, frozen=True, kw_only=True):
    type: str = ""
    value: str | int = "0"
    granted: int = msgspec.field(default=0, name="grantedOn")
    by: _Account = _Account()


class _QueriedFile(_Loose, frozen=True, kw_only=True):
    file: str = ""
    type: str = ""
    file_old: str = msgspec.field(default="", name="fileOld")
    insertions: int | None = None
    deletions: int | None = None


class _QueriedRemark(_Loose, frozen=True, kw_only=True):
    file: str = ""
    line: _Line = 0
    reviewer: _Account = _Account()
    message: str = ""


class _QueriedSet(_Loose, frozen=True, kw_only=True):
    number: int
    revision: str
    parents: list[str] = []
    created: int = msgspec.field(default=0, name="createdOn")
    uploader: _Account = _Account()
    author: _Account = _Account()
    kind: str = ""
    approvals: list[_QueriedVote] = []
    comments: list[_QueriedRemark] = []
    files: list[_QueriedFile] = []


class _QueriedMessage(_Loose, frozen=True, kw_only=True):
    timestamp: int = 0
    reviewer: _Account = _Account()
    message: str = ""


class _QueryResult(_Loose, frozen=True, kw_only=True):
    project: str
    number: int | str
    id: str = ""
    branch: str = ""
    subject: str = ""
    status: str = ""
    url: str = ""
    owner: _Account = _Account()
    message: str = msgspec.field(default="", name="commitMessage")
    created: int = msgspec.field(default=0, name="createdOn")
    comments: list[_QueriedMessage] = []
    sets: list[_QueriedSet] = msgspec.field(default=[], name="patchSets")


def _of_query(change: _QueryResult) -> GerritChange:
    sets = sorted(change.sets, key=lambda each: each.number)
    newest = sets[-1].number if sets else 0
    return GerritChange(
        number=int(change.number),
        change_id=change.id,
        branch=change.branch,
        subject=change.subject,
        owner=change.owner.person(),
        created=utc_time(change.created) if change.created else "",
        url=change.url if urlsplit(change.url).scheme in ("http", "https") else "",
        status=change.status,
        cites=cited_issues(change.message),
        patch_sets=tuple(
            _queried_set(each, change.message if each.number == newest else "") for each in sets
        ),
        messages=tuple(_queried_message(each, place) for place, each in enumerate(change.comments, 1)),
        votes=tuple(_queried_votes(sets)),
        remarks=tuple(_queried_remarks(sets)),
    )


def _queried_set(each: _QueriedSet, message: str) -> PatchSet:
    return PatchSet(
        number=each.number,
        commit=each.revision,
        parents=tuple(each.parents),
        at=utc_time(each.created) if each.created else "",
        uploader=each.uploader.person(),
        kind=each.kind,
        message=message,
        author=each.author.person(),
        files=tuple(_queried_file(file) for file in each.files if file.file[:1] != "/"),
    )


def _queried_file(file: _QueriedFile) -> FileVersion:
    removed = None if file.deletions is None else abs(file.deletions)  # the server counts them below zero
    return FileVersion(
        path=file.file,
        status=file.type.lower() or "modified",
        old_path=file.file_old,
        added=file.insertions,
        removed=removed,
    )


def _queried_message(each: _QueriedMessage, place: int) -> GerritMessage:
    return GerritMessage(
        f"m{place}", each.message, utc_time(each.timestamp) if each.timestamp else "", each.reviewer.person()
    )


def _queried_votes(sets: Iterable[_QueriedSet]) -> Iterator[GerritVote]:
    for each in sets:
        for vote in each.approvals:
            if vote.type != "SUBM" and str(vote.value).lstrip("+-").isdecimal():
                at = utc_time(vote.granted) if vote.granted else ""
                yield GerritVote(vote.type, int(vote.value), vote.by.person(), at, each.number)


def _queried_remarks(sets: Iterable[_QueriedSet]) -> Iterator[GerritRemark]:
    for each in sets:
        for place, remark in enumerate(each.comments, 1):
            yield GerritRemark(
                f"r{each.number}-{place}",
                remark.file,
                remark.message,
                each.number,
                author=remark.reviewer.person(),
                first=remark.line,
                last=remark.line,
                commit=each.revision,
            )


def cited_issues(message: str) -> tuple[str, ...]:
    """Issues that the footer of a commit message names: `Bug: 123`, `Closes: #45`, `Bug: T188313`."""
    found = [f"issue:{number}" for line in _BUG.findall(message) for number in _BUG_ID.findall(line)]
    return tuple(dict.fromkeys(found))


def listed(data: bytes, path: str) -> Iterator[tuple[int, dict[str, Any] | DataError]]:
    """The changes of one recorded page, with line numbers: a REST list, or one object a line.

    An unreadable line is an error in place of a change. The statistics that end a query are left out.
    """
    body = data.removeprefix(GUARD).lstrip() if data.startswith(GUARD) else data
    if body.lstrip()[:1] == b"[":
        yield from _of_list(body, path)
        return
    for number, line in enumerate(body.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            value = parse_value(line, JsonOrigin(path, number), surrogates="replace")
        except DataError as error:
            yield number, error
            continue
        if not isinstance(value, dict):
            yield number, DataError("a change must be a JSON object", path=path, line=number)
        elif value.get("type") != "stats":
            yield number, value


def _of_list(body: bytes, path: str) -> Iterator[tuple[int, dict[str, Any] | DataError]]:
    try:
        values = parse_value(body, JsonOrigin(path, 1), surrogates="replace")
    except DataError as error:
        yield 1, error
        return
    for each in values:
        if isinstance(each, dict):
            yield 1, each
        else:
            yield 1, DataError("a change must be a JSON object", path=path, line=1)
