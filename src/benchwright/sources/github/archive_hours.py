"""The source of events `gharchive:OWNER/NAME=PATH`: hour files of GH Archive, a file or a folder.

Each line of `2015-01-01-15.json.gz` is one event of GitHub's public timeline. Before 2015 the repository is
in `repository` and the actor is a text; since then `repo` and `actor` are objects. Since October 2025,
payloads lack most texts: such an entry is a drop `body_missing` with its id, which the API still has.
Format: https://www.gharchive.org and https://docs.github.com/en/rest/using-the-rest-api/github-event-types.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import IO, Any

import msgspec

from benchwright.display.escape import escaped_name, escaped_path
from benchwright.errors import DataError, UsageError
from benchwright.records import Drop
from benchwright.sources.events import Cleaner, EventSource, RepoEvent
from benchwright.sources.github.reply_conversion import ENTRIES, UnusableEntryError, draft
from benchwright.sources.github.reply_pages import Drafting, number_in, utc
from benchwright.sources.github.reply_reading import UnreadableReplyError, read_reply, utc_of
from benchwright.sources.github.reply_shapes import GitHubUser
from benchwright.sources.github.search_pages import check_repository_name
from benchwright.sources.github.thread_events import final_id
from benchwright.store.files import READ_ERRORS, open_binary

MAX_LINE = 8 << 20  # bytes; the longest lines, pushes with many commits, have less than 1 MB
MAX_UNPACKED = 16 << 30  # bytes of one file; an hour has less than 2 GB
# Kinds of entries by the type of the event, and the key of the payload that has the entry.
_PAYLOADS = {
    "PullRequestReviewCommentEvent": ("remarks", "comment"),
    "PullRequestReviewEvent": ("reviews", "review"),
    "IssueCommentEvent": ("comments", "comment"),
    "ReleaseEvent": ("releases", "release"),
}
_ACTIONS = {
    ("PullRequestEvent", "opened"): "pull_opened",
    ("PullRequestEvent", "closed"): "pull_closed",
    ("PullRequestEvent", "merged"): "merge",
    ("PullRequestEvent", "reopened"): "reopened",
    ("PullRequestEvent", "synchronize"): "push",
    ("IssuesEvent", "opened"): "issue_opened",
    ("IssuesEvent", "closed"): "issue_closed",
    ("IssuesEvent", "reopened"): "reopened",
}


class ArchiveLine(msgspec.Struct):
    """One event in the form of any year."""

    type: str
    created_at: str
    id: str = ""
    actor: GitHubUser | str | None = None
    repo: dict[str, Any] = {}
    repository: dict[str, Any] = {}
    payload: dict[str, Any] = {}

    def name(self) -> str:
        """The repository, OWNER/NAME."""
        owner = self.repository.get("owner")
        return str(self.repo.get("name") or f"{owner}/{self.repository.get('name')}")

    def user(self) -> GitHubUser | None:
        """The account that acted."""
        return GitHubUser(self.actor) if isinstance(self.actor, str) else self.actor


class ArchiveHours:
    """The events of one repository in hour files."""

    def __init__(self, repo: str, path: str) -> None:
        self._repo, self._path = check_repository_name(repo), Path(path)
        if not self._path.exists():
            hint = "name a file such as 2015-01-01-15.json.gz, or a folder of them"
            raise UsageError(f"no file or folder {escaped_path(self._path)}", hint=hint)

    def events(self, folder: Path, clean: Cleaner, tell: Callable[[str], None]) -> Iterator[RepoEvent | Drop]:
        """Yield the events file by file, in the order of their names, each event once."""
        of = Drafting(repo=self._repo, clean=clean, source="gharchive")
        files = self._files()
        seen: set[str] = set()
        for done, path in enumerate(files):
            tell(f"GH Archive: {done + 1:,} of {len(files):,} files: {escaped_name(path.name)}")
            for found in _file_events(path, of):
                if isinstance(found, Drop) or found.id not in seen:
                    yield found
                if isinstance(found, RepoEvent):
                    seen.add(found.id)

    def _files(self) -> list[Path]:
        if self._path.is_file():
            return [self._path]
        return sorted(each for each in self._path.iterdir() if ".json" in each.suffixes)


def _file_events(path: Path, of: Drafting) -> Iterator[RepoEvent | Drop]:
    wanted = of.repo.lower().encode()
    try:
        with open_binary(path) as stream:
            for number, line in _lines(stream):
                unit = f"{escaped_name(path.name)}:{number}"
                if len(line) > MAX_LINE:
                    yield of.drop(unit, "line_too_long")
                elif not line.rstrip().endswith(b"}"):
                    yield of.drop(unit, "line_cut")
                elif wanted in line.lower():
                    yield from _line_events(line, of, unit)
    except (*READ_ERRORS, DataError) as error:
        yield of.drop(escaped_name(path.name), "file_cut", type(error).__name__)


def _lines(stream: IO[bytes]) -> Iterator[tuple[int, bytes]]:
    """Lines with their numbers; of one that is longer than the limit only the start. Raises OSError."""
    number = size = 0
    while line := stream.readline(MAX_LINE + 1):
        number, size = number + 1, size + len(line)
        yield number, line
        while len(line) > MAX_LINE and not line.endswith(b"\n"):
            line = stream.readline(MAX_LINE + 1)
            size += len(line)
            if not line or size > MAX_UNPACKED:
                break
        if size > MAX_UNPACKED:
            raise OSError("the file is too large when unpacked")


def _line_events(data: bytes, of: Drafting, unit: str) -> Iterator[RepoEvent | Drop]:
    try:
        line = msgspec.convert(read_reply(data), ArchiveLine)
        if line.name().lower() == of.repo.lower():
            events = list(_converted(line, of, unit))  # all or none
            yield from (
                each if isinstance(each, Drop) else msgspec.structs.replace(each, id=final_id(each))
                for each in events
            )
    except UnreadableReplyError as error:
        yield of.drop(unit, str(error).replace("reply", "line"))
    except UnusableEntryError as error:
        yield of.drop(unit, str(error))
    except msgspec.ValidationError:
        yield of.drop(unit, "entry_wrong_type")


def _converted(line: ArchiveLine, of: Drafting, unit: str) -> Iterator[RepoEvent | Drop]:
    """The events of a line; a drop with the subject if the text is missing."""
    payload = line.payload
    if line.type == "PushEvent":
        yield _push(line, of)
    elif line.type in _PAYLOADS:
        yield from _entry(line, of, unit)
    elif (line.type, payload.get("action")) in _ACTIONS:
        yield from _action(line, of, _ACTIONS[line.type, payload["action"]], unit)


def _push(line: ArchiveLine, of: Drafting) -> RepoEvent:
    """Commits came to a branch; `before` is missing before 2015 and after a cut."""
    ref, before, head = (str(line.payload.get(key) or "") for key in ("ref", "before", "head"))
    if not head:
        raise UnusableEntryError("body_missing")
    native = line.id or str(line.payload.get("push_id") or f"{head}@{line.created_at}")
    branch = of.text(ref.removeprefix("refs/heads/"))
    return draft(
        of,
        "push",
        native,
        user=line.user(),
        at=utc(line.created_at),
        subject=f"branch:{branch}",
        heads=[before, head],
    )


def _entry(line: ArchiveLine, of: Drafting, unit: str) -> Iterator[RepoEvent | Drop]:
    """A remark, review, comment or release in a payload."""
    kind, key = _PAYLOADS[line.type]
    entry = line.payload.get(key)
    number, is_pull = _number(line.payload)
    if not isinstance(entry, dict) or ("body" not in entry and kind != "releases"):
        native = entry.get("id") if isinstance(entry, dict) else line.payload.get("comment_id")
        if line.payload.get("action") != "deleted":
            yield of.drop(unit, "body_missing", f"{kind}:{native}" if isinstance(native, int) else "")
        return
    entry = {"user": {"login": getattr(line.user(), "login", "")}, **entry}
    shape, convert = ENTRIES[kind]
    yield from convert(msgspec.convert(entry, shape), of._replace(number=number, is_pull=is_pull))


def _number(payload: dict[str, Any]) -> tuple[int, bool]:
    """The number in a payload, 0 if unknown, and whether it is that of a pull request."""
    for key in ("pull_request", "issue"):
        part = payload.get(key)
        if isinstance(part, dict):
            number = part.get("number") or number_in(str(part.get("url", "")))
            is_pull = key == "pull_request" or bool(part.get("pull_request"))
            return (number if isinstance(number, int) else 0), is_pull
        if isinstance(part, int):
            return part, key == "pull_request"
    return 0, True


def _action(line: ArchiveLine, of: Drafting, kind: str, unit: str) -> Iterator[RepoEvent | Drop]:
    """An opening, closing, merge or push of an issue or pull request."""
    payload = line.payload
    number, is_pull = _number(payload)
    given = payload.get("number")
    number = given if isinstance(given, int) else number
    entry = payload.get("pull_request" if is_pull else "issue")
    if not number or not isinstance(entry, dict):
        raise UnusableEntryError("number_unknown")
    if kind in ("pull_opened", "issue_opened") and not isinstance(entry.get("title"), str):
        yield of.drop(unit, "body_missing", f"{'pull' if is_pull else 'issue'}:{number}")
        return
    merged = kind == "pull_closed" and entry.get("merged_at")
    yield _action_event(line, of, "merge" if merged else kind, number, entry)


def _action_event(
    line: ArchiveLine, of: Drafting, kind: str, number: int, entry: dict[str, Any]
) -> RepoEvent:
    opened = kind in ("pull_opened", "issue_opened")
    is_pull = line.type == "PullRequestEvent"
    subject = f"{'pull' if is_pull else 'issue'}:{number}"
    at = (utc_of(entry.get("created_at")) if opened else "") or utc(line.created_at)
    body = entry.get("body")
    words = f"{entry.get('title')}\n\n{body}" if body else f"{entry.get('title')}"
    return draft(
        of,
        kind,
        number if opened or kind == "merge" else f"{number}@{at}",
        user=line.user(),
        at=at,
        subject=subject,
        pull=subject if is_pull else "",
        text=of.text(words) if opened else "",
        heads=_heads(line.payload, kind, entry),
    )


def _heads(payload: dict[str, Any], kind: str, entry: dict[str, Any]) -> list[str]:
    if kind == "push":
        given = [payload.get("before"), payload.get("after") or _sha(entry, "head")]
    elif kind == "pull_opened":
        given = [_sha(entry, "base"), _sha(entry, "head")]
    else:
        given = [entry.get("merge_commit_sha")] if kind == "merge" and entry.get("merge_commit_sha") else []
    return [each if isinstance(each, str) else "" for each in given]


def _sha(entry: dict[str, Any], key: str) -> str:
    part = entry.get(key)
    found = part.get("sha") if isinstance(part, dict) else ""
    return found if isinstance(found, str) else ""


def open_archive_hours(rest: str, *, licences: Collection[str]) -> EventSource:
    """Open `gharchive:OWNER/NAME=PATH`."""
    del licences  # a licence is a property of the events; the filters use it
    repo, sign, path = rest.partition("=")
    if not sign:
        message = f"gharchive:{escaped_name(rest, 120)}: no repository"
        raise UsageError(message, hint="gharchive:OWNER/NAME=FOLDER")
    return ArchiveHours(repo, path)
