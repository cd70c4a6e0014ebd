"""Reviews of git-appraise as events: requests, comments with lines, and results of builds.

Format: schema/*.json of https://github.com/google/git-appraise. A note has one JSON object a line. A comment
is identified by the SHA-1 of its line, which replies name as `parent`. The notes do not list the heads of a
review: its pushes are the commits at which somebody commented.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha1
from typing import Any

import msgspec

from benchwright.errors import DataError
from benchwright.records import Drop
from benchwright.sources.event_maker import EventMaker, checked, utc_time
from benchwright.sources.events import RemarkPlace, RepoEvent
from benchwright.sources.review_records import ReviewNotes
from benchwright.store.strict_json import JsonOrigin, parse_object
from benchwright.text.suggestion_blocks import suggested_lines


class _Range(msgspec.Struct, frozen=True, rename="camel"):
    start_line: int = 0
    end_line: int = 0


class _Location(msgspec.Struct, frozen=True):
    commit: str = ""
    path: str = ""
    range: _Range = _Range()


class _Comment(msgspec.Struct, frozen=True):
    author: str
    timestamp: str = ""
    description: str = ""
    parent: str = ""
    original: str = ""
    location: _Location = _Location()
    resolved: bool | None = None


class _Request(msgspec.Struct, frozen=True, rename="camel"):
    requester: str = ""
    timestamp: str = ""
    description: str = ""
    base_commit: str = ""
    review_ref: str = ""
    target_ref: str = ""


class _Build(msgspec.Struct, frozen=True):
    agent: str = ""
    timestamp: str = ""
    status: str = ""
    url: str = ""


def _native(commit: str, digest: str) -> str:
    """The identifier of a line. The same line may be in the notes of several commits."""
    return f"{commit[:12]}-{digest}"


class AppraiseReader:
    """Converts the notes of commits. `review:COMMIT` is the unit of work."""

    def __init__(self, maker: EventMaker) -> None:
        self._maker = maker

    def events(self, notes: ReviewNotes) -> Iterator[RepoEvent | Drop]:
        """Yield the events of one reviewed commit; a line that its schema does not allow is a drop."""
        pull = f"review:{notes.commit}"
        found = [*self._objects(notes, "reviews", _Request), *self._objects(notes, "discuss", _Comment)]
        found += self._objects(notes, "ci", _Build)
        yield from (each for _, each in found if isinstance(each, Drop))
        requests = [each for _, each in found if isinstance(each, _Request)]
        comments = [(key, each) for key, each in found if isinstance(each, _Comment)]
        if requests:
            yield self._request(requests[-1], notes.commit, pull)
        author = requests[0].requester if requests else ""
        if requests or comments:
            yield from self._heads(notes, comments, pull)
        for key, comment in comments:
            comment_events = self._comment(key, comment, notes.commit, author)
            yield from checked(self._maker, comment_events, f"{pull}/{key}")
        for key, build in found:
            if isinstance(build, _Build) and build.status:
                yield self._check(key, build, notes.commit, pull)

    def _heads(
        self, notes: ReviewNotes, comments: list[tuple[str, _Comment]], pull: str
    ) -> Iterator[RepoEvent]:
        """A push for each later commit that somebody commented, then the reviewed head, and its merge."""
        heads, last = [notes.commit], notes.merges.get(notes.commit, "")
        seen = [(each.timestamp, each.location.commit) for _, each in comments]
        seen.sort(key=lambda pair: pair[0])  # in the order of the notes if the times are equal
        for time, head in [*seen, (str(notes.head_at), notes.head)]:
            if not head or head in heads:
                continue
            native, at = f"{notes.commit[:12]}-{head}", utc_time(time)
            yield self._maker.event("push", native, subject=pull, pull=pull, at=at, heads=[heads[-1], head])
            heads.append(head)
            last = notes.merges.get(head, last)
        if last:
            at = utc_time(notes.merged_at)
            yield self._maker.event("merge", notes.commit, subject=pull, pull=pull, at=at, heads=[last])

    def _objects(
        self, notes: ReviewNotes, kind: str, form: type[_Comment | _Request | _Build]
    ) -> Iterator[tuple[str, _Comment | _Request | _Build | Drop]]:
        """The objects of one note with their keys. Merged notes may repeat a line, which counts once."""
        seen: set[str] = set()
        for number, line in enumerate(notes.notes.get(kind, "").split("\n"), 1):
            digest = sha1(line.encode("utf-8", "replace"), usedforsecurity=False).hexdigest()
            if not line.strip() or digest in seen:
                continue
            seen.add(digest)
            key = _native(notes.commit, digest)
            try:
                data = parse_object(
                    line.encode(), JsonOrigin(kind, number), max_depth=20, surrogates="replace"
                )
                if data.get("Parent"):  # as early versions wrote it
                    data.setdefault("parent", data["Parent"])
                yield key, msgspec.convert(data, form)
            except (DataError, msgspec.ValidationError) as error:
                unit = f"{notes.commit}/{kind}:{number}"
                reason = "note_unreadable" if isinstance(error, DataError) else "note_invalid"
                yield key, self._maker.drop(unit, reason, str(error).partition("\n")[0][:200])

    def _request(self, request: _Request, commit: str, pull: str) -> RepoEvent:
        heads = [*([request.base_commit] if request.base_commit else []), commit]
        return self._maker.event(
            "pull_opened",
            commit,
            subject=pull,
            pull=pull,
            at=utc_time(request.timestamp),
            actor=request.requester,
            role="author",
            text=request.description,
            heads=heads,
            state=request.target_ref.removeprefix("refs/heads/"),
        )

    def _comment(self, key: str, each: _Comment, commit: str, author: str) -> Iterator[RepoEvent]:
        pull, at = f"review:{commit}", utc_time(each.timestamp)
        fields = {
            "pull": pull,
            "at": at,
            "actor": each.author,
            "role": "author" if each.author == author else "",
        }
        parents = [f"remark:{_native(commit, each.parent)}"] if each.parent else []
        subject = f"remark:{_native(commit, each.original) if each.original else key}"
        parts: dict[str, Any] = {
            **fields,
            "subject": subject,
            "parents": parents,
            "subject_rank": int(bool(each.original)),
        }
        head = each.location.commit or commit
        if each.description and each.location.path:
            lines = each.location.range
            last = lines.end_line or lines.start_line
            place = RemarkPlace(path=each.location.path, commit=head, first=lines.start_line, last=last)
            given = suggested_lines(each.description) if last else None
            kind = "remark" if given is None else "suggestion"
            yield self._maker.event(
                kind, key, text=each.description, place=place, replacement=given, heads=[head], **parts
            )
        elif each.description:
            yield self._maker.event("comment", key, text=each.description, heads=[head], **parts)
        if each.resolved is not None:
            yield self._verdict(key, each, head, {**fields, "parents": parents})

    def _verdict(self, key: str, each: _Comment, head: str, fields: dict[str, Any]) -> RepoEvent:
        """`resolved` accepts a reply's thread if it answers one, and otherwise the whole change."""
        if each.parent:
            subject = fields["parents"][0].replace("remark:", "thread:", 1)
            kind, state = ("thread_resolved", "") if each.resolved else ("label", "thread_unresolved")
            return self._maker.event(kind, key, subject=subject, state=state, **fields)
        state = "approved" if each.resolved else "changes_requested"
        return self._maker.event("review", key, subject=fields["pull"], state=state, heads=[head], **fields)

    def _check(self, key: str, build: _Build, commit: str, pull: str) -> RepoEvent:
        return self._maker.event(
            "check",
            key,
            subject=f"commit:{commit}",
            pull=pull,
            at=utc_time(build.timestamp),
            state=build.status,
            heads=[commit],
            tool=build.agent[:200],
            url=build.url if build.url.startswith(("https://", "http://")) else "",
        )
