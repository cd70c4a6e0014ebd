"""The parts of GitHub's REST replies that become events, old and new shapes alike.

Fields of https://docs.github.com/en/rest (version 2022-11-28) and of replies recorded since 2015. Fields that
older servers do not send have defaults; all others of a reply are not read.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

Absent = msgspec.UnsetType


class GitHubUser(msgspec.Struct):
    """An account; a deleted one is null or has no login."""

    login: str = ""
    type: str = ""


class ShaRef(msgspec.Struct):
    """A head or a base of a pull request, or the parent of a commit."""

    sha: str = ""


class NamedLabel(msgspec.Struct):
    """A label."""

    name: str = ""


class RepositoryReply(msgspec.Struct):
    """`/repos/{owner}/{repo}`."""

    id: int
    full_name: str
    private: bool = False
    visibility: str = ""
    license: dict[str, str | None] | None = None


class IssueReply(msgspec.Struct):
    """One entry of `/issues`: an issue, or a pull request if it has `pull_request`."""

    number: int
    title: str
    created_at: str
    updated_at: str
    id: int = 0
    body: str | None = None
    user: GitHubUser | None = None
    closed_at: str | None = None
    comments: int = 0
    author_association: str | None = ""
    html_url: str = ""
    pull_request: dict[str, Any] | None = None


class PullReply(msgspec.Struct):
    """`/pulls/{number}`, or one entry of `/pulls`."""

    number: int
    title: str
    created_at: str
    base: ShaRef
    head: ShaRef
    updated_at: str = ""
    body: str | None = None
    user: GitHubUser | None = None
    closed_at: str | None = None
    merged_at: str | None = None
    merged_by: GitHubUser | None = None
    merge_commit_sha: str | None = None
    author_association: str | None = ""
    html_url: str = ""


class RemarkReply(msgspec.Struct):
    """A review comment. `line`, `original_line` and `side` came in 2019, `subject_type` in 2022."""

    id: int
    path: str
    diff_hunk: str
    created_at: str
    body: str | None = None
    updated_at: str | None = None
    user: GitHubUser | None = None
    commit_id: str | None = None
    original_commit_id: str | None = None
    position: int | Absent | None = msgspec.UNSET
    line: int | Absent | None = msgspec.UNSET
    original_line: int | None = None
    start_line: int | None = None
    original_start_line: int | None = None
    side: Literal["LEFT", "RIGHT"] | None = None
    subject_type: str | None = ""
    in_reply_to_id: int | None = None
    author_association: str | None = ""
    html_url: str = ""
    pull_request_url: str = ""


class PullReviewReply(msgspec.Struct):
    """A review. A pending one has no time."""

    id: int
    state: str
    submitted_at: str | None = None
    body: str | None = None
    user: GitHubUser | None = None
    commit_id: str | None = None
    author_association: str | None = ""
    html_url: str = ""
    pull_request_url: str = ""


class CommentReply(msgspec.Struct):
    """A comment on an issue or a pull request."""

    id: int
    created_at: str
    body: str | None = None
    updated_at: str | None = None
    user: GitHubUser | None = None
    author_association: str | None = ""
    html_url: str = ""
    issue_url: str = ""


class GitPerson(msgspec.Struct):
    """Author or committer in a commit."""

    email: str = ""
    date: str = ""


class GitCommitPart(msgspec.Struct):
    """The commit itself, as git has it."""

    message: str
    author: GitPerson | None = None
    committer: GitPerson | None = None


class CommitReply(msgspec.Struct):
    """One commit of a pull request."""

    sha: str
    commit: GitCommitPart
    author: GitHubUser | None = None
    parents: list[ShaRef] = []
    html_url: str = ""


class TimelineReply(msgspec.Struct):
    """One event of a timeline; commits and reviews in it have no `id` that is a number."""

    event: str
    id: int | None = None
    node_id: str | None = ""
    actor: GitHubUser | None = None
    created_at: str | None = None
    commit_id: str | None = None
    label: NamedLabel | None = None


class AppReply(msgspec.Struct):
    """The application that ran a check."""

    slug: str | None = ""


class CheckOutput(msgspec.Struct):
    """The result of a check in words."""

    title: str | None = None
    summary: str | None = None


class CheckReply(msgspec.Struct):
    """One check run of a commit."""

    id: int
    name: str
    head_sha: str
    status: str = ""
    conclusion: str | None = None
    started_at: str | None = None
    completed_at: str | None = None
    app: AppReply | None = None
    output: CheckOutput | None = None
    html_url: str | None = ""


class StatusReply(msgspec.Struct):
    """One status of a commit, from a service that has no check runs."""

    id: int
    state: str
    context: str = ""
    description: str | None = None
    created_at: str = ""
    creator: GitHubUser | None = None


class ReleaseReply(msgspec.Struct):
    """A release; a draft has no `published_at`."""

    id: int
    tag_name: str
    target_commitish: str = ""
    name: str | None = None
    body: str | None = None
    published_at: str | None = None
    author: GitHubUser | None = None
    html_url: str = ""
