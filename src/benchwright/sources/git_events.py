"""Events of a clone: what its commits and references tell, without any platform.

An event depends on the content of its commit or reference alone, never on the other references of the clone,
so a clone that grew gives equal events for its older part. The head of a pull request is a `push`: a clone
knows neither when the request was opened nor its base. The default branch has no event: its commits have.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from benchwright.records import Drop
from benchwright.sources.changed_lines import is_documentation, language_of
from benchwright.sources.cleaning.bots import is_bot
from benchwright.sources.events import Cleaner, FilePatch, FileVersion, RepoEvent
from benchwright.sources.history_records import (
    Gap,
    Identity,
    WalkedCommit,
    WalkedFile,
    WalkedFiles,
    WalkedReference,
    WalkMessage,
    WalkSummary,
)

SOURCE = "git"
PULL_HEADS = re.compile(r"refs/(?:pull|merge-requests|pull-requests)/(\d+)/(?:head|from)")
CHANGE_HEADS = re.compile(r"refs/changes/\d\d/(\d+)/(\d+)")
_BRANCHES = re.compile(r"refs/(?:heads|remotes/[^/]+)/(?!HEAD$)(.+)")
_TAGS = re.compile(r"refs/tags/(.+)")
_REVERTS = re.compile(r"\bThis reverts commit ([0-9a-f]{40})\b")
_CITES = re.compile(
    r"\bThis reverts commit (?P<revert>[0-9a-f]{40})\b"
    r"|\(cherry picked from commit (?P<pick>[0-9a-f]{40})\)"
    r"|^Fixes: (?P<fixes>[0-9a-f]{7,40})\b"
    r"|(?<![\w/#&])(?P<repo>[\w.-]{1,40}/[\w.-]{1,100})?#(?P<number>[1-9]\d{0,9})\b",
    re.MULTILINE,
)
_PERSON_TRAILER = re.compile(
    r"^((?:[A-Z][a-z]+-)+[Bb]y|Cc): *([^<\n]{1,200}) <([^<>\n]{1,200})>", re.MULTILINE
)
_MERGED_FROM = re.compile(r"^(Merge pull request #\d+ from )([\w.-]{1,100})(?=/)")
_TOOL_TRAILER = re.compile(r"^(?:Generated|Assisted)-[Bb]y: *([^<\n]{1,80}?)(?: <.*)?$", re.MULTILINE)
_MAX_CITES = 50


class GitEvents:
    """Makes events of the messages of a walk. `head_branch` is the full name of the default branch.

    The event of a commit comes after its patches, its gaps and its other events: a store that has it has all.
    """

    def __init__(self, repo: str, clean: Cleaner, *, licence: str = "", head_branch: str = "") -> None:
        self._repo, self._licence = repo, licence
        self._default = head_branch.removeprefix("refs/heads/")
        self._text = clean.text
        self._person: Callable[[str], str] = lru_cache(maxsize=10_000)(clean.person)
        self._path: Callable[[str], str] = lru_cache(maxsize=50_000)(clean.text)
        self._commit: WalkedCommit | None = None

    def convert(self, message: WalkMessage) -> Iterator[RepoEvent | FilePatch | Drop]:
        """The events of one message; a commit becomes events when its files have come."""
        if isinstance(message, WalkedCommit):
            self._commit = message
        elif isinstance(message, WalkedFiles):
            assert self._commit is not None
            yield from self._of_commit(self._commit, message)
        elif isinstance(message, WalkedReference):
            yield from self._of_reference(message)
        elif isinstance(message, WalkSummary):
            yield from self._drops("history", "", message.gaps)

    def _of_commit(self, commit: WalkedCommit, files: WalkedFiles) -> Iterator[RepoEvent | FilePatch | Drop]:
        at = utc(commit.committer.time)
        for file in files.files:
            if file.patch:
                yield self._patch(commit.sha, at, file)
        undated = [] if at else [Gap("invalid_date")]
        yield from self._drops(commit.sha, at or "undated", [*commit.gaps, *files.gaps, *undated])
        yield from self._commit_events(commit, at, [self._file(each) for each in files.files])

    def _commit_events(self, commit: WalkedCommit, at: str, files: list[FileVersion]) -> Iterator[RepoEvent]:
        text, subject = self._message(commit.message), f"commit:{commit.sha}"
        actor, committer = self._actor(commit.author), self._actor(commit.committer)
        authored = utc(commit.author.time)
        cites = self._cites(commit.message)
        bot = is_bot(name=commit.author.name, address=commit.author.mail)
        facts: dict[str, Any] = {
            "at": at,
            "subject": subject,
            "actor": actor,
            "bot": bot,
            "heads": [commit.sha],
        }
        if len(commit.parents) > 1:
            yield self._event("merge", commit.sha, cites=cites, **facts)
        if reverted := _REVERTS.findall(commit.message):
            yield self._event("revert", commit.sha, cites=[f"commit:{each}" for each in reverted], **facts)
        yield self._event(
            "commit",
            commit.sha,
            at=at,
            subject=subject,
            actor=actor,
            bot=bot,
            text=text,
            files=files,
            heads=commit.parents,
            cites=cites,
            tool=_tool(commit.message),
            authored_at="" if authored == at else authored,
            committer="" if committer == actor else committer,
        )

    def _file(self, file: WalkedFile) -> FileVersion:
        path = self._path(file.path)
        return FileVersion(
            path=path,
            status=file.status,
            old_path=self._path(file.old_path) if file.old_path else "",
            added=file.added,
            removed=file.removed,
            blob=file.blob,
            old_blob=file.old_blob,
            language=language_of(path),
            code_changed=file.code,
            comments_changed=file.comments,
            docstrings_changed=file.docstrings,
            documentation_changed=is_documentation(path),
        )

    def _patch(self, sha: str, at: str, file: WalkedFile) -> FilePatch:
        return FilePatch(
            repo=self._repo,
            sha=sha,
            path=self._path(file.path),
            old_path=self._path(file.old_path) if file.old_path else "",
            status=file.status,
            at=at,
            patch=self._text(file.patch),
        )

    def _of_reference(self, given: WalkedReference) -> Iterator[RepoEvent | Drop]:
        if not given.commit:
            reason = "lost_head" if PULL_HEADS.fullmatch(given.name) else "missing_reference"
            yield self._drop(given.name, Gap(reason, detail=f"{given.target} leads to no commit"))
            return
        at = "" if given.time is None else utc(given.time)
        native, heads = f"@{given.commit}", [given.commit]
        if match := PULL_HEADS.fullmatch(given.name):
            pull = f"pull:{match[1]}"
            yield self._event("push", f"{pull}{native}", at=at, subject=pull, pull=pull, heads=heads)
        elif match := CHANGE_HEADS.fullmatch(given.name):
            change = f"change:{match[1]}"
            facts = {"subject": change, "pull": change, "state": match[2], "heads": heads}
            yield self._event("push", f"{change}/{match[2]}{native}", at=at, **facts)
        elif match := _TAGS.fullmatch(given.name):
            tagger = "" if given.tagger is None else self._actor(given.tagger)
            facts = {"state": self._path(match[1]), "text": self._message(given.message), "heads": heads}
            subject = f"release:{facts['state']}"
            native = f"{facts['state']}@{given.target}"
            yield self._event("release", native, at=at, subject=subject, actor=tagger, **facts)
        elif (match := _BRANCHES.fullmatch(given.name)) and match[1] != self._default:
            branch = self._path(match[1])
            yield self._event("branch", f"{branch}{native}", at=at, subject=f"branch:{branch}", heads=heads)

    def _event(self, kind: str, native: str, **parts: Any) -> RepoEvent:
        return RepoEvent(
            id=f"{SOURCE}:{self._repo}:{kind}:{native}",
            repo=self._repo,
            kind=kind,
            source=SOURCE,
            source_id=native.rpartition("@")[2],
            licence=self._licence,
            **parts,
        )

    def _actor(self, identity: Identity) -> str:
        return (
            self._person(identity.mail.strip().lower() or identity.name)
            if identity.mail.strip() or identity.name
            else ""
        )

    def _message(self, text: str) -> str:
        """The message with pseudonyms in place of the people in trailers and in the subject of a merge."""
        text = _MERGED_FROM.sub(lambda match: match[1] + self._person(match[2]), text)
        text = _PERSON_TRAILER.sub(
            lambda match: f"{match[1]}: {self._person(match[3].strip().lower())}", text
        )
        return self._text(text)

    def _cites(self, text: str) -> list[str]:
        found: dict[str, None] = {}
        for match in _CITES.finditer(text):
            sha = match["revert"] or match["pick"] or match["fixes"]
            found[f"commit:{sha}" if sha else f"{match['repo'] or self._repo}#{match['number']}"] = None
            if len(found) == _MAX_CITES:
                break
        return list(found)

    def _drops(self, unit: str, at: str, gaps: list[Gap]) -> Iterator[Drop]:
        return (self._drop(unit, each, at) for each in gaps)

    def _drop(self, unit: str, gap: Gap, at: str = "") -> Drop:
        name = f" {self._path(gap.name)}" if gap.name else ""
        unit = f"{SOURCE}:{self._repo}:{unit}{name}"
        return Drop(
            unit=unit,
            reason=gap.reason,
            detail=gap.detail,
            evidence={"at": at, "repo": self._repo} if at else {},
        )


def _tool(message: str) -> str:
    match = _TOOL_TRAILER.search(message)
    return match[1].strip() if match else ""


def utc(seconds: int) -> str:
    """Seconds since 1970 as ISO 8601 in UTC; empty for a year before 1 or after 9999.

    >>> utc(-86400), utc(1 << 60)
    ('1969-12-31T00:00:00Z', '')
    """
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat()[:19] + "Z"
    except (OverflowError, ValueError, OSError):
        return ""
