"""Gerrit's NoteDb as events: the commits of `refs/changes/NN/NUMBER/meta` and the JSON comments in them.

Format: https://gerrit-review.googlesource.com/Documentation/note-db.html. Footers of each commit say what
changed; the text before them is the message that the server shows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from benchwright.errors import DataError
from benchwright.records import Drop
from benchwright.sources.event_maker import EventMaker, checked, utc_time
from benchwright.sources.events import RepoEvent
from benchwright.sources.gerrit_events import (
    GerritChange,
    GerritMessage,
    GerritPerson,
    GerritRemark,
    GerritVote,
    PatchSet,
    events_of_change,
)
from benchwright.sources.review_records import MetaChange, MetaCommit
from benchwright.store.strict_json import JsonOrigin, parse_object

_FOOTER = re.compile(r"([A-Z][A-Za-z-]{1,40}): ?(.*)")
_LABEL = re.compile(r"(-?)([A-Za-z][\w-]*)(?:=([+-]?\d+))?(?:,? .*)?")
_SHA = re.compile(r"[0-9a-f]{40}")


class _Key(msgspec.Struct, frozen=True, rename="camel"):
    uuid: str
    filename: str = ""
    patch_set_id: int = 0


class _Account(msgspec.Struct, frozen=True):
    id: int = 0


class _Range(msgspec.Struct, frozen=True, rename="camel"):
    start_line: int = 0
    end_line: int = 0
    end_char: int = 0


class _NotedComment(msgspec.Struct, frozen=True, rename="camel"):
    key: _Key
    line_nbr: int = 0
    author: _Account = _Account()
    written_on: str = ""
    side: int = 1  # 0: the parent
    message: str = ""
    range: _Range | None = None
    parent_uuid: str = ""
    rev_id: str = ""
    unresolved: bool | None = None


class _Comments(msgspec.Struct, frozen=True):
    comments: list[_NotedComment] = []


class _Step(NamedTuple):
    """One commit as text and footers; a footer may occur several times."""

    commit: MetaCommit
    text: str
    footers: list[tuple[str, str]]

    def get(self, name: str) -> str:
        """The last value of a footer; empty without one."""
        return next((value for key, value in reversed(self.footers) if key.lower() == name), "")


def events_of_notedb(meta: MetaChange, maker: EventMaker) -> Iterator[RepoEvent | Drop]:
    """Yield the events of one change; notes that cannot be read are drops."""
    remarks: list[GerritRemark] = []
    for commit, text in sorted(meta.notes.items()):
        try:
            remarks += _remarks(text, commit)
        except (DataError, msgspec.ValidationError) as error:
            detail = str(error).partition("\n")[0][:200]
            yield maker.drop(f"change:{meta.number}/{commit}", "note_unreadable", detail)
    if meta.cut:
        yield maker.drop(f"change:{meta.number}", "history_cut", f"more than {len(meta.commits):,} commits")
    change = _change(meta, sorted(remarks, key=lambda each: (each.at, bool(each.answers), each.id)))
    yield from checked(maker, events_of_change(change, maker), change.pull)


def _change(meta: MetaChange, remarks: list[GerritRemark]) -> GerritChange:
    steps = [_step(each) for each in meta.commits]
    first = steps[0] if steps else _Step(MetaCommit(sha="", at=0, author="", message=""), "", [])
    return GerritChange(
        number=meta.number,
        change_id=_last(steps, "change-id"),
        branch=_last(steps, "branch").removeprefix("refs/heads/"),
        subject=_last(steps, "subject"),
        owner=GerritPerson(first.commit.author),
        created=utc_time(first.commit.at),
        status=_last(steps, "status").upper(),
        merged_at=next((utc_time(each.commit.at) for each in steps if each.get("status") == "merged"), ""),
        patch_sets=tuple(_patch_sets(steps)),
        messages=tuple(_messages(steps)),
        votes=tuple(vote for each in steps for vote in _votes(each)),
        remarks=tuple(remarks),
    )


def _step(commit: MetaCommit) -> _Step:
    body, _, last = commit.message.rstrip().rpartition("\n\n")
    footers = [
        (found[1], found[2].strip()) for line in last.split("\n") if (found := _FOOTER.fullmatch(line))
    ]
    text = body.partition("\n\n")[2] if footers else commit.message.partition("\n\n")[2]
    return _Step(commit, text.strip(), footers)


def _last(steps: list[_Step], name: str) -> str:
    return next((value for each in reversed(steps) if (value := each.get(name))), "")


def _number(step: _Step) -> int:
    word = step.get("patch-set").partition(" ")[0]
    return int(word) if word.isdecimal() and len(word) < 7 else 0


def _patch_sets(steps: list[_Step]) -> Iterator[PatchSet]:
    seen: set[int] = set()
    for each in steps:
        commit, number = each.get("commit"), _number(each)
        if _SHA.fullmatch(commit) and number and number not in seen:
            seen.add(number)
            yield PatchSet(
                number, commit, at=utc_time(each.commit.at), uploader=GerritPerson(each.commit.author)
            )


def _messages(steps: list[_Step]) -> Iterator[GerritMessage]:
    for each in steps:
        if each.text:
            yield GerritMessage(
                each.commit.sha,
                each.text,
                utc_time(each.commit.at),
                GerritPerson(each.commit.author),
                _number(each),
                each.get("tag"),
            )


def _votes(step: _Step) -> Iterator[GerritVote]:
    """The votes in a commit's footers: `Label: Code-Review=+2`, `Label: -Verified`."""
    for name, value in step.footers:
        found = _LABEL.fullmatch(value) if name == "Label" else None
        if found and found[2] != "SUBM" and (found[1] or found[3]):
            by = GerritPerson(step.commit.author)
            points = 0 if found[1] else int(found[3])
            yield GerritVote(found[2], points, by, utc_time(step.commit.at), _number(step))


def _remarks(text: str, commit: str) -> list[GerritRemark]:
    data = parse_object(text.encode(), JsonOrigin(commit, 1), surrogates="replace")
    return [_remark(each, commit) for each in msgspec.convert(data, _Comments).comments]


def _remark(each: _NotedComment, commit: str) -> GerritRemark:
    first = last = max(each.line_nbr, 0)
    if each.range is not None and each.range.end_line >= each.range.start_line > 0:
        first, last = each.range.start_line, each.range.end_line
        last -= each.range.end_char == 0 and last > first
    return GerritRemark(
        id=each.key.uuid,
        path=each.key.filename,
        text=each.message,
        patch_set=each.key.patch_set_id,
        at=utc_time(_date(each.written_on)),
        author=GerritPerson(str(each.author.id)),
        first=first,
        last=last,
        old_side=each.side <= 0,
        answers=each.parent_uuid,
        unresolved=each.unresolved,
        commit=each.rev_id or commit,
    )


_DATE = re.compile(r"([A-Z][a-z]{2}) (\d{1,2}), (\d{4}),? (\d{1,2}):(\d\d):(\d\d)\s([AP])M")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def _date(text: str) -> str:
    """A date as Gerrit's Java writes it, `Jan 2, 2020 3:04:05 PM`, as ISO 8601; other texts stay."""
    found = _DATE.fullmatch(text)
    if found is None or found[1] not in _MONTHS:
        return text
    hour = int(found[4]) % 12 + 12 * (found[7] == "P")
    month = _MONTHS.index(found[1]) + 1
    return f"{found[3]}-{month:02d}-{int(found[2]):02d}T{hour:02d}:{found[5]}:{found[6]}"
