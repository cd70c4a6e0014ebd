"""GraphQL queries for what REST does not have: thread states, closing references, heads before a force push.

One query asks for all three, each in pages with its own cursor; a list that has ended is left out of the
next query. Remarks come from REST, which lists them flat, so that no list inside a list needs pages.
Source of the fields: https://docs.github.com/en/graphql/reference/objects#pullrequestreviewthread.
"""

from __future__ import annotations

from typing import Any

import msgspec

from benchwright.sources.events import RepoEvent
from benchwright.sources.github.reply_conversion import draft
from benchwright.sources.github.reply_pages import Drafting, RepliesPage, ReviewThreadState, is_bot, utc
from benchwright.sources.github.reply_reading import UnreadableReplyError, read_reply
from benchwright.sources.github.reply_shapes import GitHubUser

_QUERY = """query($owner: String!, $name: String!, $number: Int!,
  $threads: String, $closing: String, $forced: String,
  $withThreads: Boolean!, $withClosing: Boolean!, $withForced: Boolean!) {
  rateLimit { cost remaining resetAt }
  repository(owner: $owner, name: $name) { pullRequest(number: $number) {
    reviewThreads(first: 100, after: $threads) @include(if: $withThreads) {
      pageInfo { hasNextPage endCursor }
      nodes { isResolved isOutdated resolvedBy { login __typename }
        comments(first: 1) { nodes { url } } } }
    closingIssuesReferences(first: 100, after: $closing) @include(if: $withClosing) {
      pageInfo { hasNextPage endCursor }
      nodes { number repository { nameWithOwner } } }
    timelineItems(first: 100, after: $forced, itemTypes: [HEAD_REF_FORCE_PUSHED_EVENT])
      @include(if: $withForced) {
      pageInfo { hasNextPage endCursor }
      nodes { ... on HeadRefForcePushedEvent { id createdAt actor { login __typename }
        beforeCommit { oid } afterCommit { oid } } } } } } }
"""
LISTS = ("threads", "closing", "forced")
ENDED = "-"  # in place of a cursor: the list has ended


class GraphUser(msgspec.Struct):
    """An account in GraphQL, where the type has another name."""

    login: str = ""
    type_name: str = msgspec.field(default="", name="__typename")

    def account(self) -> GitHubUser:
        """The account as REST has it; GraphQL leaves out the suffix of bots."""
        return GitHubUser(f"{self.login}[bot]" if self.type_name == "Bot" else self.login, self.type_name)


class _PageInfo(msgspec.Struct, rename="camel", frozen=True):
    has_next_page: bool = False
    end_cursor: str | None = None


class _RemarkUrl(msgspec.Struct):
    url: str  # ends with `#discussion_r` and the id: `databaseId` has 32 bits, which are used up


class _RemarkUrls(msgspec.Struct):
    nodes: list[_RemarkUrl] = []


class _Thread(msgspec.Struct, rename="camel"):
    is_resolved: bool
    is_outdated: bool
    comments: _RemarkUrls
    resolved_by: GraphUser | None = None


class _RepositoryName(msgspec.Struct, rename="camel"):
    name_with_owner: str


class _Closing(msgspec.Struct):
    number: int
    repository: _RepositoryName


class _Oid(msgspec.Struct):
    oid: str


class _ForcePush(msgspec.Struct, rename="camel"):
    id: str
    before_commit: _Oid | None  # null if the commit is gone
    after_commit: _Oid | None
    created_at: str = ""
    actor: GraphUser | None = None


class _Nodes(msgspec.Struct, rename="camel"):
    nodes: list[Any] = []
    page_info: _PageInfo = _PageInfo()


class _Pull(msgspec.Struct, rename="camel"):
    review_threads: _Nodes | None = None
    closing_issues_references: _Nodes | None = None
    timeline_items: _Nodes | None = None


class _Repository(msgspec.Struct, rename="camel"):
    pull_request: _Pull | None = None


class _Data(msgspec.Struct):
    repository: _Repository | None = None


class _Reply(msgspec.Struct):
    data: _Data | None = None


def pull_query(repo: str, number: int, cursor: str) -> bytes:
    """The body of a query for one page of each list that has not ended.

    `cursor` is that of the page before; empty for the first one.
    """
    owner, _, name = repo.partition("/")
    cursors = dict(zip(LISTS, cursor.split(" ") if cursor else ["", "", ""], strict=True))
    switches = {f"with{each.title()}": cursors[each] != ENDED for each in LISTS}
    after = {each: cursors[each] if cursors[each] not in ("", ENDED) else None for each in LISTS}
    given = {"owner": owner, "name": name, "number": number, **after, **switches}
    return msgspec.json.encode({"query": _QUERY, "variables": given})


def read_pull_page(body: bytes, of: Drafting, *, unit: str) -> RepliesPage:
    """The page in the reply to a query; a reply without the pull request is a drop."""
    try:
        reply = msgspec.convert(read_reply(body), _Reply)
    except UnreadableReplyError as error:
        return RepliesPage(drops=[of.drop(unit, str(error))])
    except msgspec.ValidationError:
        return RepliesPage(drops=[of.drop(unit, "reply_wrong_type")])
    found = reply.data.repository if reply.data is not None else None
    if found is None or found.pull_request is None:
        return RepliesPage(drops=[of.drop(unit, "not_found")])
    return _page(found.pull_request, of, unit)


def _page(pull: _Pull, of: Drafting, unit: str) -> RepliesPage:
    if not of.number:  # of a recorded reply
        return RepliesPage(drops=[of.drop(unit, "number_unknown")])
    lists = (pull.review_threads, pull.closing_issues_references, pull.timeline_items)
    cursors = [_cursor(each) for each in lists]
    page = RepliesPage(more=any(each != ENDED for each in cursors), cursor=" ".join(cursors))
    for nodes, kind in zip(lists, (_Thread, _Closing, _ForcePush), strict=True):
        for index, node in enumerate(nodes.nodes if nodes is not None else []):
            try:
                _add(page, msgspec.convert(node, kind), of)
            except msgspec.ValidationError:
                page.drops.append(of.drop(f"{unit}:entry {index}", "entry_wrong_type"))
    return page


def _cursor(nodes: _Nodes | None) -> str:
    """The cursor after a list; a cursor with a space, which no server sends, ends it."""
    after = nodes.page_info.end_cursor if nodes is not None and nodes.page_info.has_next_page else None
    return after if after and " " not in after else ENDED


def _add(page: RepliesPage, node: Any, of: Drafting) -> None:
    if isinstance(node, _ForcePush):
        page.events.append(_force_push(node, of))
    elif isinstance(node, _Closing):
        name = node.repository.name_with_owner
        is_own = name.lower() in (of.repo.lower(), of.now.lower())
        page.closes.append(f"issue:{node.number}" if is_own else f"{name}#{node.number}")
    elif node.comments.nodes:
        by = node.resolved_by.account() if node.resolved_by is not None else None
        root = node.comments.nodes[0].url.rpartition("#discussion_r")[2]
        page.threads.append(
            ReviewThreadState(
                root=root,
                resolved=node.is_resolved,
                outdated=node.is_outdated,
                by=of.actor(by),
                by_bot=is_bot(by),
            )
        )


def _force_push(node: _ForcePush, of: Drafting) -> RepoEvent:
    heads = [each.oid if each is not None else "" for each in (node.before_commit, node.after_commit)]
    return draft(
        of,
        "force_push",
        node.id,
        user=node.actor.account() if node.actor is not None else None,
        at=utc(node.created_at),
        subject=f"pull:{of.number}",
        pull=f"pull:{of.number}",
        heads=heads,
    )
