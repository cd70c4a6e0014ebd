"""Events of one Gerrit change: its patch sets, messages, votes and inline comments.

Formats that are read into `GerritChange`: `sources/gerrit_pages.py` (the REST API and `gerrit query`) and
`sources/gerrit_notedb.py` (the commits that Gerrit stores in git). Texts of messages are those of
https://gerrit.googlesource.com/gerrit, java/com/google/gerrit/server (`ApprovalsUtil`, `ChangeMessages`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from benchwright.sources.event_maker import EventMaker
from benchwright.sources.events import FileVersion, RemarkPlace, RepoEvent
from benchwright.text.suggestion_blocks import suggested_lines

PATCH_SET_LEVEL, COMMIT_MESSAGE, MERGE_LIST = "/PATCHSET_LEVEL", "/COMMIT_MSG", "/MERGE_LIST"
_NO_FILE = {PATCH_SET_LEVEL: "patch_set", COMMIT_MESSAGE: "commit_message", MERGE_LIST: "merge_list"}
_HEADER = re.compile(r"Patch Set (\d+):? ?([^\n]*)(?:\n|$)")
_VOTE = re.compile(r"(-?)([A-Za-z][\w-]*?)([+-]\d+)?")
_COUNT = re.compile(r"\(\d+ (?:inline )?comments?\)\s*")
_MERGED = re.compile(r"Change has been successfully (?:merged|cherry-picked|rebased|pushed|submitted)")
_NEW_COMMIT = re.compile(r"\b(?:as|into|and submitted as) ([0-9a-f]{40})\b")
_UPLOADED = re.compile(
    r"(?:Uploaded patch set \d+"
    r"|Patch Set \d+: (?:.* was rebased|Cherry Picked from branch|Commit message was ))"
)
# Administrative messages contain the names of people: what they say is an event, their text is not.
_ADMINISTRATION = (
    (re.compile(r"Removed (?:reviewer|cc) |.* has been removed from (?:reviewers|cc)"), "reviewer_removed"),
    (re.compile(r"Removed (?:the following votes|[A-Za-z][\w-]*[+-]\d by )"), "vote_removed"),
    (re.compile(r"Added (?:reviewer|cc) |.* has been added (?:to (?:reviewers|cc)|as a)"), "reviewer_added"),
    (re.compile(r"Assignee |Attention set:|Topic |Hashtag|Change has been set to |Set Ready For"), "changed"),
)


class GerritPerson(NamedTuple):
    """A person, and whether the server marks the account as a service."""

    identity: str = ""
    bot: bool = False


class PatchSet(NamedTuple):
    """One version of a change. `kind` is the server's: REWORK, TRIVIAL_REBASE, NO_CODE_CHANGE, …"""

    number: int
    commit: str
    parents: tuple[str, ...] = ()
    at: str = ""
    uploader: GerritPerson = GerritPerson()
    kind: str = ""
    message: str = ""
    author: GerritPerson = GerritPerson()
    authored_at: str = ""
    files: tuple[FileVersion, ...] = ()


class GerritMessage(NamedTuple):
    """A message on a change, as the server shows it: with a line of votes at its beginning."""

    id: str
    text: str
    at: str = ""
    author: GerritPerson = GerritPerson()
    patch_set: int = 0
    tag: str = ""


class GerritVote(NamedTuple):
    """A vote from -2 to 2 for a label of a patch set."""

    label: str
    value: int
    by: GerritPerson
    at: str = ""
    patch_set: int = 0


class GerritRemark(NamedTuple):
    """A comment at lines of a file. `unresolved` is None if the server does not know threads."""

    id: str
    path: str
    text: str
    patch_set: int
    at: str = ""
    author: GerritPerson = GerritPerson()
    first: int = 0
    last: int = 0
    old_side: bool = False
    answers: str = ""
    unresolved: bool | None = None
    replacement: str | None = None
    commit: str = ""  # if known without the patch set


class GerritChange(NamedTuple):
    """One change with everything that its source has of it."""

    number: int
    change_id: str
    branch: str
    subject: str
    owner: GerritPerson
    created: str
    url: str = ""
    status: str = ""  # NEW, MERGED, ABANDONED
    merged_at: str = ""
    merged_by: GerritPerson = GerritPerson()
    cites: tuple[str, ...] = ()
    patch_sets: tuple[PatchSet, ...] = ()
    messages: tuple[GerritMessage, ...] = ()
    votes: tuple[GerritVote, ...] = ()
    remarks: tuple[GerritRemark, ...] = ()

    @property
    def pull(self) -> str:
        """The unit of work of its events. A Change-Id is not unique: a cherry-pick keeps it."""
        return f"change:{self.number}"


def events_of_change(change: GerritChange, maker: EventMaker) -> Iterator[RepoEvent]:
    """The events of a change, in the order patch sets, messages, votes, remarks."""
    yield from _ChangeEvents(change, maker).all()


class _ChangeEvents:
    """The events of one change, and what earlier ones have already stated."""

    def __init__(self, change: GerritChange, maker: EventMaker) -> None:
        self._change, self._maker = change, maker
        self._commits = {each.number: each.commit for each in change.patch_sets}
        self._voted: set[tuple[str, str, int]] = set()
        self._is_merged = False

    def all(self) -> Iterator[RepoEvent]:
        yield from self._patch_sets()
        for message in self._change.messages:
            yield from self._message(message)
        for vote in self._change.votes:
            if (vote.by.identity, vote.label, vote.value) not in self._voted:
                yield from self._vote(vote, f"{vote.label}-{vote.patch_set}-{vote.at}-{vote.value}")
        if self._change.status == "MERGED" and not self._is_merged:
            yield self._merge(self._change.merged_at, self._change.merged_by, "", "status")
        yield from self._remarks()

    def _event(self, kind: str, native: str, by: GerritPerson, **parts: Any) -> RepoEvent:
        change = self._change
        role = "author" if by.identity and by.identity == change.owner.identity else ""
        fields = {"subject": change.pull, "pull": change.pull, "url": change.url, **parts}
        return self._maker.event(
            kind,
            f"{change.number}/{native}",
            actor=by.identity,
            role=role,
            bot=by.bot,
            **fields,
        )

    def _patch_sets(self) -> Iterator[RepoEvent]:
        before = ""
        for each in self._change.patch_sets:
            if before:
                heads = {"heads": [before, each.commit], "state": each.kind.lower()}
                yield self._event("force_push", str(each.number), each.uploader, at=each.at, **heads)
            else:
                yield self._opened(each)
            before = each.commit
            if each.message or each.files:
                yield self._commit(each)
        if not self._change.patch_sets:
            yield self._opened(PatchSet(0, ""))

    def _opened(self, first: PatchSet) -> RepoEvent:
        change = self._change
        return self._event(
            "pull_opened",
            "opened",
            change.owner,
            at=change.created or first.at,
            text=change.subject,
            heads=[*first.parents[:1], first.commit] if first.commit else [],
            cites=list(change.cites),
            state=change.branch,
        )

    def _commit(self, each: PatchSet) -> RepoEvent:
        return self._event(
            "commit",
            each.commit,
            each.author,
            at=each.authored_at or each.at,
            text=each.message,
            subject=f"commit:{each.commit}",
            heads=list(each.parents),
            files=each.files,
        )

    def _message(self, message: GerritMessage) -> Iterator[RepoEvent]:
        text = message.text.strip()
        by, at = message.author, message.at
        by = by._replace(bot=by.bot or _is_automatic(message.tag))
        if _MERGED.match(text) or message.tag.endswith(":merged"):
            yield self._merge(at, by, text, message.id)
        elif text.startswith("Abandoned") or message.tag.endswith(":abandon"):
            yield self._event("pull_closed", message.id, by, at=at, text=_rest(text, "Abandoned"))
        elif text.startswith("Restored") or message.tag.endswith(":restore"):
            yield self._event("reopened", message.id, by, at=at, text=_rest(text, "Restored"))
        elif state := _administration(text):
            yield self._event("label", message.id, by, at=at, state=state)
        elif not _UPLOADED.match(text) and not message.tag.endswith(":newPatchSet"):
            yield from self._review_events(message._replace(text=text, author=by))

    def _review_events(self, message: GerritMessage) -> Iterator[RepoEvent]:
        header = _HEADER.match(message.text)
        votes = _votes(header[2]) if header else {}
        patch_set = int(header[1]) if header else message.patch_set
        body = message.text[header.end() :] if header and (votes or not header[2].strip()) else message.text
        body = _COUNT.sub("", body.strip(), count=1).strip() if header else body
        by, at = message.author, message.at
        for label, value in votes.items():
            vote = GerritVote(label, value, by, at, patch_set)
            yield from self._vote(vote, f"{message.id}-{label}", body if _is_review(label) else "")
        if body and not any(map(_is_review, votes)):
            heads = [self._commits[patch_set]] if patch_set in self._commits else []
            yield self._event(
                "comment", message.id, by, at=at, text=body, subject=f"comment:{message.id}", heads=heads
            )

    def _vote(self, vote: GerritVote, native: str, text: str = "") -> Iterator[RepoEvent]:
        self._voted.add((vote.by.identity, vote.label, vote.value))
        heads = [self._commits[vote.patch_set]] if vote.patch_set in self._commits else []
        parts = {"at": vote.at, "heads": heads, "text": text}
        if _is_review(vote.label):
            state = "approved" if vote.value > 0 else "changes_requested" if vote.value < 0 else "dismissed"
            yield self._event("review", native, vote.by, state=state, **parts)
        elif "Verified" in vote.label:
            state = "success" if vote.value > 0 else "failure" if vote.value < 0 else "cancelled"
            yield self._event("check", native, vote.by, state=state, tool=vote.label, **parts)
        else:
            yield self._event("label", native, vote.by, state=f"{vote.label}{vote.value:+d}", **parts)

    def _merge(self, at: str, by: GerritPerson, text: str, native: str) -> RepoEvent:
        self._is_merged = True
        new = _NEW_COMMIT.search(text)
        head = new[1] if new else (self._change.patch_sets[-1].commit if self._change.patch_sets else "")
        return self._event("merge", native, by, at=at, heads=[head] if head else [])

    def _remarks(self) -> Iterator[RepoEvent]:
        threads = _Threads(self._change.remarks)
        for each in self._change.remarks:
            yield self._remark(each)
            if threads.resolves(each):
                yield self._event(
                    "thread_resolved",
                    each.id,
                    each.author,
                    at=each.at,
                    subject=f"thread:{threads.root(each)}",
                    parents=[f"remark:{threads.root(each)}"],
                )

    def _remark(self, each: GerritRemark) -> RepoEvent:
        commit = each.commit or self._commits.get(each.patch_set, "")
        parts = {
            "at": each.at,
            "text": each.text,
            "subject": f"remark:{each.id}",
            "parents": [f"remark:{each.answers}"] if each.answers else [],
            "heads": [commit] if commit else [],
        }
        if each.path in _NO_FILE:
            return self._event("comment", each.id, each.author, state=_NO_FILE[each.path], **parts)
        # An event never changes: `thread_resolved` states how the thread ended.
        resolved = False if each.unresolved else None
        side = "old" if each.old_side else "new"
        place = RemarkPlace(
            path=each.path, commit=commit, first=each.first, last=each.last, side=side, resolved=resolved
        )
        replacement = each.replacement
        if replacement is None and each.last and not each.old_side:
            replacement = suggested_lines(each.text)
        kind = "remark" if replacement is None else "suggestion"
        return self._event(kind, each.id, each.author, place=place, replacement=replacement, **parts)


class _Threads:
    """The threads of a change: the root of each remark, and which remark resolves its thread."""

    def __init__(self, remarks: tuple[GerritRemark, ...]) -> None:
        self._answers: Mapping[str, str] = {each.id: each.answers for each in remarks}
        self._open: set[str] = set()

    def root(self, remark: GerritRemark) -> str:
        """The first remark of the thread; a circle ends at the remark where it closes."""
        at, seen = remark.id, {remark.id}
        while (before := self._answers.get(at, "")) in self._answers and before not in seen:
            seen.add(before)
            at = before
        return at

    def resolves(self, remark: GerritRemark) -> bool:
        """Whether a remark, taken in order of time, resolves a thread that was unresolved before it."""
        root = self.root(remark)
        if remark.unresolved:
            self._open.add(root)
            return False
        was_open = remark.unresolved is False and root in self._open
        self._open.discard(root)
        return was_open


def _votes(line: str) -> dict[str, int]:
    """The votes of a message's first line, `Code-Review+2 -Verified`; empty if it has anything else."""
    found: dict[str, int] = {}
    for word in line.split():
        vote = _VOTE.fullmatch(word)
        if vote is None or not (vote[1] or vote[3]):
            return {}
        found[vote[2]] = 0 if vote[1] else int(vote[3])
    return found


def _administration(text: str) -> str:
    line = text.partition("\n")[0][:1000]
    return next((state for pattern, state in _ADMINISTRATION if pattern.match(line)), "")


def _is_review(label: str) -> bool:
    return label == "Code-Review"


def _is_automatic(tag: str) -> bool:
    """Whether a service wrote a message. Gerrit tags those that it writes in the name of a person, too."""
    return tag.startswith("autogenerated:") and not tag.startswith("autogenerated:gerrit:")


def _rest(text: str, word: str) -> str:
    return text.removeprefix(word).strip()
