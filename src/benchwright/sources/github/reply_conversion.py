"""Converts GitHub's REST replies to drafts of events: one function for each kind of entry."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from benchwright.sources.events import RemarkPlace, RepoEvent
from benchwright.sources.github.diff_hunks import hunk_end, suggested_lines
from benchwright.sources.github.reply_pages import Drafting, is_bot, number_in, role_of, utc
from benchwright.sources.github.reply_shapes import (
    CheckReply,
    CommentReply,
    CommitReply,
    GitHubUser,
    IssueReply,
    PullReply,
    PullReviewReply,
    ReleaseReply,
    RemarkReply,
    StatusReply,
    TimelineReply,
)


class UnusableEntryError(Exception):
    """An entry that becomes no event; the text is the reason of its drop."""


def draft(
    of: Drafting, kind: str, native: str | int, *, user: GitHubUser | None = None, **parts: Any
) -> RepoEvent:
    """A draft: its id has no revision yet."""
    return RepoEvent(
        id=f"{of.source}:{of.repo}:{kind}:{native}",
        repo=of.repo,
        kind=kind,
        actor=of.actor(user),
        bot=is_bot(user),
        source=of.source,
        source_id=str(native),
        fetched_at=of.fetched_at,
        licence=of.licence,
        **parts,
    )


def remark_event(entry: RemarkReply, of: Drafting) -> Iterator[RepoEvent]:
    """A remark, or a suggestion if its text has a block with replacement lines."""
    number = _pull_number(entry.pull_request_url, of)
    replacement = suggested_lines(entry.body or "")
    yield draft(
        of,
        "remark" if replacement is None else "suggestion",
        entry.id,
        user=entry.user,
        at=utc(entry.created_at),
        subject=f"remark:{entry.id}",
        role=role_of(entry.author_association),
        pull=f"pull:{number}",
        parents=[f"remark:{entry.in_reply_to_id}"] if entry.in_reply_to_id else [],
        text=of.text(entry.body),
        heads=[entry.commit_id] if entry.commit_id else [],
        place=remark_place(entry, of),
        replacement=None if replacement is None else of.code(replacement),
        url=entry.html_url,
    )


def _pull_number(address: str, of: Drafting) -> int:
    number = number_in(address) or of.number
    if not number:
        raise UnusableEntryError("number_unknown")
    return number


def remark_place(entry: RemarkReply, of: Drafting) -> RemarkPlace:
    """The lines for which a remark was written, in the first head that had it if the reply has that head."""
    hunk, commit = of.code(entry.diff_hunk), entry.original_commit_id or entry.commit_id or ""
    outdated = None if isinstance(entry.position, msgspec.UnsetType) else entry.position is None
    if entry.subject_type == "file":
        return RemarkPlace(path=of.code(entry.path), commit=commit, hunk=hunk, outdated=outdated)
    first, last, side = _lines(entry)
    if last == entry.line and not entry.original_line and entry.commit_id:
        commit = entry.commit_id  # the current line counts in the current head
    return RemarkPlace(
        path=of.code(entry.path),
        commit=commit,
        first=first,
        last=last,
        side=side,
        hunk=hunk,
        outdated=outdated,
    )


def _lines(entry: RemarkReply) -> tuple[int, int, str]:
    """First and last line, and the side. Raises UnusableEntryError if neither fields nor hunk have them."""
    end = hunk_end(entry.diff_hunk)
    side = {"LEFT": "old", "RIGHT": "new"}.get(entry.side or "") or (end.side if end else "new")
    if entry.original_line:
        last, first = entry.original_line, entry.original_start_line
    elif isinstance(entry.line, int) and entry.line:
        last, first = entry.line, entry.start_line
    elif end is not None:
        last, first, side = end.line, None, end.side
    else:
        raise UnusableEntryError("remark_without_line")
    first = last if first is None else first
    if not 0 < first <= last:
        raise UnusableEntryError("remark_lines_invalid")
    return first, last, side


def review_event(entry: PullReviewReply, of: Drafting) -> Iterator[RepoEvent]:
    """A review with its verdict and the head that was reviewed."""
    if entry.state.upper() == "PENDING":
        raise UnusableEntryError("review_pending")
    number = _pull_number(entry.pull_request_url, of)
    yield draft(
        of,
        "review",
        entry.id,
        user=entry.user,
        at=utc(entry.submitted_at),
        subject=f"review:{entry.id}",
        role=role_of(entry.author_association),
        pull=f"pull:{number}",
        text=of.text(entry.body),
        state=of.text(entry.state.lower()),
        heads=[entry.commit_id] if entry.commit_id else [],
        url=entry.html_url,
    )


def comment_event(entry: CommentReply, of: Drafting) -> Iterator[RepoEvent]:
    """A comment on an issue or a pull request."""
    number = number_in(entry.issue_url) or of.number
    if not number:
        raise UnusableEntryError("number_unknown")
    is_pull = "/pull/" in entry.html_url or (not entry.html_url and of.is_pull)
    thread = f"{'pull' if is_pull else 'issue'}:{number}"
    yield draft(
        of,
        "comment",
        entry.id,
        user=entry.user,
        at=utc(entry.created_at),
        subject=f"comment:{entry.id}",
        role=role_of(entry.author_association),
        pull=thread if is_pull else "",
        parents=[thread],
        text=of.text(entry.body),
        url=entry.html_url,
    )


def issue_events(entry: IssueReply, of: Drafting) -> Iterator[RepoEvent]:
    """An issue as it is now, and its last closing; nothing for a pull request."""
    if entry.pull_request is not None:
        return
    subject = f"issue:{entry.number}"
    yield draft(
        of,
        "issue_opened",
        entry.number,
        user=entry.user,
        at=utc(entry.created_at),
        subject=subject,
        role=role_of(entry.author_association),
        text=_titled(entry.title, entry.body, of),
        url=entry.html_url,
    )
    if at := utc(entry.closed_at):
        yield draft(of, "issue_closed", f"{entry.number}@{at}", at=at, subject=subject, url=entry.html_url)


def pull_events(entry: PullReply, of: Drafting) -> Iterator[RepoEvent]:
    """A pull request as it is now, and its merge or its last closing."""
    subject = f"pull:{entry.number}"
    parts: dict[str, Any] = {"subject": subject, "pull": subject, "url": entry.html_url}
    yield draft(
        of,
        "pull_opened",
        entry.number,
        user=entry.user,
        at=utc(entry.created_at),
        role=role_of(entry.author_association),
        text=_titled(entry.title, entry.body, of),
        heads=[entry.base.sha, entry.head.sha],
        **parts,
    )
    if at := utc(entry.merged_at):
        heads = [entry.merge_commit_sha] if entry.merge_commit_sha else []
        yield draft(of, "merge", entry.number, user=entry.merged_by, at=at, heads=heads, **parts)
    elif at := utc(entry.closed_at):
        yield draft(of, "pull_closed", f"{entry.number}@{at}", at=at, **parts)


def _titled(title: str, body: str | None, of: Drafting) -> str:
    return of.text(f"{title}\n\n{body}" if body else title)


def commit_event(entry: CommitReply, of: Drafting) -> Iterator[RepoEvent]:
    """A commit of a pull request; the clone has its files."""
    user, by = entry.author, entry.commit.author
    email = by.email if by is not None else ""
    committer_or_author = entry.commit.committer or by
    event = draft(
        of,
        "commit",
        entry.sha,
        user=user,
        at=utc(committer_or_author.date if committer_or_author is not None else ""),
        subject=f"commit:{entry.sha}",
        pull=f"pull:{of.number}" if of.number else "",
        text=of.text(entry.commit.message),
        heads=[each.sha for each in entry.parents],
        url=entry.html_url,
    )
    yield event if event.actor or not email else msgspec.structs.replace(event, actor=of.clean.person(email))


TIMELINE_KINDS = {"merged": "merge", "reopened": "reopened", "labeled": "label", "closed": "closed"}
FORCED = "head_ref_force_pushed"


def timeline_event(entry: TimelineReply, of: Drafting) -> Iterator[RepoEvent]:
    """A closing, reopening, merge, label or force push; other entries of a timeline give nothing."""
    kind = TIMELINE_KINDS.get(entry.event, "force_push" if entry.event == FORCED else "")
    if not kind:
        return
    if not of.number:  # of a recorded reply
        raise UnusableEntryError("number_unknown")
    at = utc(entry.created_at)
    subject = f"{'pull' if of.is_pull else 'issue'}:{of.number}"
    if kind == "closed":
        kind = "pull_closed" if of.is_pull else "issue_closed"
    natives = {"merge": str(of.number), "force_push": entry.node_id or str(entry.id)}
    timed = f"{of.number}@{at}" if entry.event in ("closed", "reopened") else str(entry.id)
    yield draft(
        of,
        kind,
        natives.get(kind, timed),
        user=entry.actor,
        at=at,
        subject=subject,
        pull=subject if of.is_pull else "",
        state=of.text(entry.label.name) if entry.label is not None else "",
        **_timeline_commits(kind, entry.commit_id or ""),
    )


def _timeline_commits(kind: str, commit: str) -> dict[str, list[str]]:
    if not commit:
        return {}
    if kind == "issue_closed":
        return {"cites": [f"commit:{commit}"]}
    if kind == "force_push":
        return {"heads": ["", commit]}  # REST has no head before
    return {"heads": [commit]} if kind == "merge" else {}


def check_event(entry: CheckReply, of: Drafting) -> Iterator[RepoEvent]:
    """A check run: its result, or its status while it runs."""
    output = entry.output.title or "" if entry.output is not None else ""
    yield draft(
        of,
        "check",
        entry.id,
        at=utc(entry.completed_at or entry.started_at),
        subject=f"check:{entry.id}",
        pull=f"pull:{of.number}" if of.number else "",
        text=of.text(f"{entry.name}\n\n{output}" if output else entry.name),
        state=of.text(entry.conclusion or entry.status),
        heads=[entry.head_sha],
        tool=of.text(entry.app.slug) if entry.app is not None else "",
        url=entry.html_url or "",
    )


def status_event(entry: StatusReply, of: Drafting, sha: str) -> Iterator[RepoEvent]:
    """A status of a commit from a service without check runs."""
    text = f"{entry.context}\n\n{entry.description}" if entry.description else entry.context
    yield draft(
        of,
        "check",
        f"status-{entry.id}",
        user=entry.creator,
        at=utc(entry.created_at),
        subject=f"check:status-{entry.id}",
        pull=f"pull:{of.number}" if of.number else "",
        text=of.text(text),
        state=of.text(entry.state),
        heads=[sha],
        tool=of.text(entry.context),
    )


def release_event(entry: ReleaseReply, of: Drafting) -> Iterator[RepoEvent]:
    """A published release. Its target is a commit or a branch; only a commit becomes a head."""
    if not entry.published_at:
        raise UnusableEntryError("release_draft")
    target = entry.target_commitish
    is_commit = len(target) == 40 and set(target) <= set("0123456789abcdef")
    yield draft(
        of,
        "release",
        entry.id,
        user=entry.author,
        at=utc(entry.published_at),
        subject=f"release:{entry.id}",
        text=_titled(entry.name or entry.tag_name, entry.body, of),
        state=of.text(entry.tag_name),
        heads=[target] if is_commit else [],
        url=entry.html_url,
    )


Convert = Callable[[Any, Drafting], Iterator[RepoEvent]]
ENTRIES: dict[str, tuple[type, Convert]] = {
    "pull": (PullReply, pull_events),
    "commits": (CommitReply, commit_event),
    "reviews": (PullReviewReply, review_event),
    "remarks": (RemarkReply, remark_event),
    "comments": (CommentReply, comment_event),
    "timeline": (TimelineReply, timeline_event),
    "issues": (IssueReply, issue_events),
    "checks": (CheckReply, check_event),
    "releases": (ReleaseReply, release_event),
}
