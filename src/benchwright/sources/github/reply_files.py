"""The source of events `github-replies:FOLDER`: replies of GitHub recorded as files, in any layout.

Each file has the body of one reply of REST or GraphQL as JSON. Its content decides what it is, by the fields
that only this kind of reply has; names of files matter for commits only, whose replies do not have the number
of their pull request: it is the number after `pull` or `pulls` in the name (`pulls_12_commits.json`,
`pulls/12/commits.json`). A description of a pull request that is younger than its reviews is of another one:
the heads of the reviews count instead, and the contradiction is a drop. Replies about several repositories in
one folder are read as one repository.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace as change

from benchwright.display.escape import escaped_name, escaped_path
from benchwright.errors import UsageError
from benchwright.records import Drop
from benchwright.sources.events import Cleaner, EventSource, RepoEvent
from benchwright.sources.github.reply_pages import Drafting, RepliesPage, number_in
from benchwright.sources.github.reply_reading import UnreadableReplyError, convert_page, read_reply
from benchwright.sources.github.search_pages import check_repository_name, is_repository_name
from benchwright.sources.github.thread_events import final_id, joined
from benchwright.sources.github.thread_queries import read_pull_page

MAX_FILE = 16 << 20
MAX_FILES = 100_000
# Kinds of entries by fields that others do not have, the most specific first.
_FIELDS: list[tuple[str, tuple[str, ...]]] = [
    ("pull", ("number", "base", "head", "title")),
    ("remarks", ("diff_hunk", "path")),
    ("reviews", ("submitted_at", "state")),
    ("commits", ("sha", "commit")),
    ("comments", ("issue_url", "body")),
    ("issues", ("number", "title", "created_at")),
    ("timeline", ("event", "created_at")),
    ("releases", ("tag_name",)),
]
_PULL_NUMBER = re.compile(r"pulls?(?:_request)?[_/-](\d{1,9})(?!\d)")
_ISSUE_NUMBER = re.compile(r"(?:issues?|pulls?(?:_request)?)[_/-](\d{1,9})(?!\d)")
_REVIEWED = ("remark", "suggestion", "review")
_REPO = re.compile(r"/repos/([^/\s]+/[^/\s{]+)")


class RecordedReply(NamedTuple):
    """One file: its name in the folder, its document, and its kind; an empty kind is unknown."""

    name: str
    document: Any
    kind: str


class RecordedGitHubReplies:
    """The events of recorded replies."""

    def __init__(self, folder: str, *, repo: str = "") -> None:
        self._folder, self._repo = Path(folder), repo and check_repository_name(repo)
        if not self._folder.is_dir():
            raise UsageError(f"no folder {escaped_path(self._folder)}", hint="name a folder of JSON replies")

    def events(self, folder: Path, clean: Cleaner, tell: Callable[[str], None]) -> Iterator[RepoEvent | Drop]:
        """Yield the events, sorted by time, and a drop for each file or entry that becomes none."""
        of = Drafting(repo=self._repo, clean=clean)
        replies, drops = self._replies(of)
        of = of._replace(repo=self._repo or _repository(replies))
        pages = defaultdict[str, list[RepliesPage]](list)
        for reply in replies:
            for page in _pages(reply, of):
                _sort(page, pages, reply)
        tell(f"recorded replies: {len(replies):,} files of {of.repo}")
        events = list[RepoEvent]()
        for thread in sorted(pages):
            agreed, contradictions = _agreed(pages[thread], of)
            events += _events(agreed, of, thread)
            drops += contradictions
        yield from sorted(events, key=lambda each: (each.at, each.id))
        yield from drops
        yield from (each for thread in sorted(pages) for page in pages[thread] for each in page.drops)

    def _replies(self, of: Drafting) -> tuple[list[RecordedReply], list[Drop]]:
        """Read all files, sorted by name."""
        replies, drops = list[RecordedReply](), list[Drop]()
        for path in sorted(each for each in self._folder.rglob("*") if each.is_file())[:MAX_FILES]:
            name = path.relative_to(self._folder).as_posix()
            unit = f"{escaped_name(name)}"
            try:
                document = _document(path)
            except UnreadableReplyError as error:
                drops.append(of.drop(unit, str(error)))
                continue
            kind = reply_kind(document)
            if kind:
                replies.append(RecordedReply(name, document, kind))
            else:
                drops.append(of.drop(unit, "reply_kind_unknown"))
        return replies, drops


def _document(path: Path) -> Any:
    with path.open("rb") as file:
        body = file.read(MAX_FILE + 1)
    if len(body) > MAX_FILE:
        raise UnreadableReplyError("reply_too_large")
    return read_reply(body)


def reply_kind(document: Any) -> str:
    """A key of ENTRIES, "statuses", "graphql", "repository" or "empty"; "" for an unknown reply."""
    if document == []:
        return "empty"
    if isinstance(document, dict):
        for key, kind in (("check_runs", "checks"), ("statuses", "statuses"), ("data", "graphql")):
            if key in document:
                return kind
        if {"full_name", "private", "owner"} <= document.keys():
            return "repository"
    entry = document[0] if isinstance(document, list) else document
    if not isinstance(entry, dict):
        return ""
    return next((kind for kind, fields in _FIELDS if set(fields) <= entry.keys()), "")


def _repository(replies: list[RecordedReply]) -> str:
    """The repository of recorded replies: the first address of an API in them."""
    for reply in replies:
        entry = reply.document[0] if isinstance(reply.document, list) and reply.document else reply.document
        addresses = [entry.get(key) for key in ("url", "pull_request_url", "issue_url")] if entry else []
        for address in addresses:
            found = _REPO.search(address) if isinstance(address, str) else None
            if found is not None and is_repository_name(found[1]):
                return found[1]
    raise UsageError("the recorded replies do not name their repository", hint="name it: OWNER/NAME=FOLDER")


def _pages(reply: RecordedReply, of: Drafting) -> Iterator[RepliesPage]:
    if reply.kind in ("empty", "repository"):
        return
    found = _PULL_NUMBER.search(reply.name)
    issue = found or _ISSUE_NUMBER.search(reply.name)
    of = of._replace(number=int(issue[1]) if issue else 0, is_pull=found is not None)
    if reply.kind == "graphql":
        yield read_pull_page(msgspec.json.encode(reply.document), of, unit=reply.name)
        return
    document = [reply.document] if _is_single(reply) else reply.document
    try:
        yield convert_page(reply.kind, document, of, unit=escaped_name(reply.name))
    except UnreadableReplyError as error:
        yield RepliesPage(drops=[of.drop(escaped_name(reply.name), str(error))])


def _is_single(reply: RecordedReply) -> bool:
    return isinstance(reply.document, dict) and reply.kind not in ("pull", "checks", "statuses")


def _sort(page: RepliesPage, pages: dict[str, list[RepliesPage]], reply: RecordedReply) -> None:
    """Give each event to its thread; one page may have events of several."""
    threads = defaultdict[str, list[RepoEvent]](list)
    for event in page.events:
        issue = next((each for each in event.parents if each.startswith("issue:")), "")
        threads[event.pull or issue or event.subject].append(event)
    number = _PULL_NUMBER.search(reply.name)
    rest = f"pull:{number[1]}" if number else ""
    for thread, events in threads.items():
        pages[thread].append(change(page, events=events, drops=[], threads=[], closes=[]))
    pages[rest].append(change(page, events=[]))


def _agreed(pages: list[RepliesPage], of: Drafting) -> tuple[list[RepliesPage], list[Drop]]:
    """The pages of a thread without what its recordings contradict, and a drop for the contradiction.

    A review cannot be older than its pull request: then the description was recorded from another one. Its
    author, base, head and merge commit do not count; the head is that of the last remark or review.
    """
    events = [event for page in pages for event in page.events]
    opened = next((each for each in events if each.kind == "pull_opened"), None)
    reviews = [each for each in events if each.kind in _REVIEWED and each.at and each.heads]
    first, last = min(reviews, key=_time, default=None), max(reviews, key=_time, default=None)
    if opened is None or first is None or last is None or not opened.at or opened.at <= first.at:
        return pages, []
    right: dict[str, dict[str, Any]] = {
        "pull_opened": {"actor": "", "bot": False, "role": "", "heads": ["", last.heads[0]]},
        "merge": {"heads": []},
    }
    agreed = [
        change(page, events=[change(each, **right.get(each.kind, {})) for each in page.events])
        for page in pages
    ]
    detail = f"opened {opened.at}, but {first.subject} is of {first.at}"
    return agreed, [of.drop(opened.subject, "recordings_contradict", detail)]


def _time(event: RepoEvent) -> tuple[str, str]:
    return event.at, event.id


def _events(pages: list[RepliesPage], of: Drafting, thread: str) -> Iterator[RepoEvent]:
    number = number_in(thread.replace(":", "/"))
    found = joined(pages, of._replace(number=number, is_pull=thread.startswith("pull:")))
    for event in found.events.values():
        yield change(event, id=final_id(event))


def open_github_replies(rest: str, *, licences: Collection[str]) -> EventSource:
    """Open `github-replies:FOLDER` or `github-replies:OWNER/NAME=FOLDER`."""
    del licences  # a licence is a property of the events; the filters use it
    repo, sign, folder = rest.partition("=")
    return (
        RecordedGitHubReplies(folder, repo=repo)
        if sign and is_repository_name(repo)
        else RecordedGitHubReplies(rest)
    )
