"""Events of software development: what was done, by whom, when, and where the record of it came from.

Every source of the alignment data set (a clone, GitHub, Gerrit, session logs) yields these records. An event
is never changed: an edit is a later event of the same `subject`, a deletion an event of kind `deleted`.

Texts, names and addresses are cleaned before an event is made: `text`, `Place.hunk` and paths contain no
secret, `actor` is a pseudonym.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol

from benchwright.records import Drop, Record

# Kinds of events. The part of an event that a kind uses is in brackets.
EVENT_KINDS = (
    "code_written",  # an edit inside a session [files]
    "command",  # a command, a tool or a test run of a session [text, state]
    "commit",  # [files, heads: its parents; cites]
    "branch",  # a branch was made or moved [heads: its commit]
    "push",  # new commits on a pull request or branch [heads: before, after]
    "force_push",  # a head was replaced [heads: before, after; either may be gone]
    "pull_opened",  # a pull request or a Gerrit change [heads: base, head; cites: closing references]
    "pull_closed",  # closed without a merge
    "merge",  # [heads: the merge commit, if known]
    "reopened",
    "review",  # [state: approved, changes_requested, commented, dismissed]
    "remark",  # a comment at lines of a change [place; heads: its last head; parents: what it answers]
    "suggestion",  # a remark with replacement lines [place, replacement]
    "thread_resolved",  # [parents: the first remark of the thread]
    "comment",  # a comment on an issue or a pull request
    "issue_opened",
    "issue_closed",  # [cites: the commit or pull request that closed it]
    "label",  # [state: the label's name]
    "check",  # a check or status of a commit [state: success, failure, …; heads: the commit]
    "test_result",  # [state: passed, failed; heads: the commit, if any]
    "error_report",  # a traceback or an error message [text]
    "revert",  # [cites: the reverted commit]
    "refactoring",  # rename, move, extract; found by a heuristic [state, files]
    "release",  # [state: the tag; heads: the commit]
    "deleted",  # the source no longer has the subject; earlier events of it are not published
)


class FileVersion(Record, frozen=True, kw_only=True):
    """One file in one change. Counts are lines; None for a binary file or one that is too large."""

    path: str
    status: str  # added, modified, deleted, renamed, copied
    old_path: str = ""  # of a renamed or copied file
    added: int | None = None
    removed: int | None = None
    blob: str = ""  # id of the content after the change, and before it
    old_blob: str = ""
    language: str = ""
    code_changed: bool = False
    comments_changed: bool = False
    docstrings_changed: bool = False
    documentation_changed: bool = False  # the file itself is documentation


class RemarkPlace(Record, frozen=True, kw_only=True):
    """The lines that a remark is about, in the file as it was at `commit`. Lines count from 1.

    `first` and `last` are 0 for a remark about a whole file. `side` is "new" or "old": the side of the diff.
    """

    path: str
    commit: str  # the head for which the remark was written
    first: int = 0
    last: int = 0
    side: str = "new"
    hunk: str = ""  # the diff hunk as the platform shows it
    outdated: bool | None = None  # None: the source does not know
    resolved: bool | None = None


class RepoEvent(Record, frozen=True, kw_only=True):
    """One event. Equal events from one source have equal ids, whenever they are fetched."""

    id: str  # "SOURCE:REPO:KIND:NATIVE", for example "git:pallets/click:commit:87da1ef3…"
    repo: str  # "owner/name", or the name of the clone
    kind: str  # one of EVENT_KINDS
    at: str  # ISO 8601 in UTC; empty if the source has no valid time
    subject: str  # "commit:SHA", "pull:12", "issue:3", "remark:ID", "branch:NAME", "session:ID", …
    actor: str = ""  # pseudonym; empty if unknown
    role: str = ""  # owner, member, collaborator, contributor, none; "author" for the author of the pull
    bot: bool = False  # by an exact list, an exact suffix or the platform's own word
    pull: str = ""  # "pull:12", "change:I…", "session:ID": the unit of work it belongs to, if any
    parents: list[str] = []  # subjects that it answers or continues
    text: str = ""  # message, body, remark, log excerpt
    state: str = ""
    place: RemarkPlace | None = None
    replacement: str | None = None  # of a suggestion: the lines that replace the place
    files: list[FileVersion] = []
    heads: list[str] = []  # commits, as its kind says
    cites: list[str] = []  # subjects that the platform or a trailer names: "issue:3", "owner/name#3"
    tool: str = ""  # editor, agent, CI system: from trailers, checks and logs
    source: str  # git, github, gharchive, gerrit, appraise, records, sessions, runs
    source_id: str  # sha or the platform's id of the object
    url: str = ""
    fetched_at: str = ""  # empty for what content fixes, such as a commit
    licence: str = ""  # SPDX of the repository; empty if unknown
    subject_rank: int = 0  # the revision of an edited subject, from 0
    authored_at: str = ""  # of a commit, if it was written at another time than it was committed
    committer: str = ""  # pseudonym, if it is not the actor
    guard: str = ""  # "test_split" or "canary": training exports refuse the event unless it is allowed


class FilePatch(Record, frozen=True, kw_only=True):
    """The hunks of one changed file of a commit, without the header of the patch.

    Bytes that are not UTF-8 are written as `\\xNN`.
    """

    repo: str
    sha: str
    path: str
    old_path: str = ""
    status: str = ""
    at: str = ""  # as in the event of the commit
    patch: str


class Cleaner(Protocol):
    """Removes what may not be stored, before an event is made."""

    def text(self, text: str) -> str:
        """Replace secrets and mentions of people in a text."""
        ...

    def person(self, identity: str) -> str:
        """Return the pseudonym of a login or an e-mail address."""
        ...


class EventSource(Protocol):
    """A source of events. It is opened and checked before anything is written."""

    def events(
        self, folder: Path, clean: Cleaner, tell: Callable[[str], None], /
    ) -> Iterator[RepoEvent | Drop]:
        """Yield the events; what cannot be read is a Drop with a reason.

        Files are stored below `folder`, which belongs to the build; `tell` receives progress messages. Called
        again with the same folder, a source yields the same events and fetches nothing twice.
        """
        ...
