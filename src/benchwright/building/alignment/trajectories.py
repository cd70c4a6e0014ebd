"""Trajectories: the issue, the branch, the iterations of a pull request, and how it ended.

An iteration is a head that somebody saw: the head of a push, a review, a remark, a check or the last head.
Heads are ordered by time, and a head comes before every head that contains it. The commits of a head that the
clone lacks (mostly replaced by a force-push) are a gap under the name "lost_head".

A merge is found from the platform's event; from a merge commit whose further parent is a head, or which names
the pull request in its subject; from a subject that ends in "(#N)" (squash); or from equal messages of all
its commits on the default branch (rebase).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from benchwright.building.alignment.event_index import GraphCommit, RepositoryEvents
from benchwright.building.alignment.keywords import closing_references
from benchwright.building.alignment.records import DevelopmentTrajectory, Iteration
from benchwright.sources.events import RepoEvent

MERGE_SUBJECT = re.compile(r"Merge pull request #(\d+) from ")
SQUASH_SUBJECT = re.compile(r"\(#(\d+)\)\s*$")
REVERTS = re.compile(r"\bThis reverts commit ([0-9a-f]{7,40})\b")
REVERTS_PULL = re.compile(r"^Reverts (?:[\w.-]+/[\w.-]+)?#(\d+)\s*$", re.MULTILINE)
_HEAD_KINDS = ("branch", "push", "force_push", "pull_opened", "review", "check", "pull_closed")
_SHA = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


class _Head(NamedTuple):
    sha: str
    at: str
    forced: bool


class _OwnedHead(NamedTuple):
    head: _Head
    own: list[str]  # its commits, the oldest first
    contained: frozenset[str]


def trajectories(known: RepositoryEvents) -> Iterator[DevelopmentTrajectory]:
    """Yield one trajectory for each pull request, Gerrit change or session, in the order of their names."""
    landings = _Landings(known)
    pulls = set(known.by_pull) | set(landings.heads)
    for pull in sorted(pulls, key=_natural):
        yield _trajectory(known, landings, pull)


def _natural(pull: str) -> tuple[str, int, str]:
    kind, _, name = pull.partition(":")
    return kind, int(name) if name.isdigit() and len(name) < 19 else 0, name


def _trajectory(known: RepositoryEvents, landings: _Landings, pull: str) -> DevelopmentTrajectory:
    events = known.by_pull.get(pull, [])
    opened = next((each for each in events if each.kind == "pull_opened"), None)
    base = opened.heads[0] if opened and len(opened.heads) > 1 else ""
    heads = _ordered(known, _heads(events) or landings.heads_of(pull), base)
    iterations = list(_iterations(known, heads))
    own = [sha for each in iterations for sha in each.commits]
    merge = landings.merge_of(pull, events, iterations)
    first = known.commits.get(own[0]) if own else None
    texts = [each.text for each in events if each.kind == "pull_opened"]
    texts += [known.commits[sha].text for sha in own]
    return DevelopmentTrajectory(
        id=f"{known.repo}:{pull}",
        repo=known.repo,
        pull=pull,
        issues=_issues(opened, texts, known.repo, pull),
        opened_at=opened.at if opened else (first.at if first else ""),
        author=opened.actor if opened else (first.actor if first else ""),
        base=first.parents[0] if first and first.parents else base,
        iterations=iterations,
        outcome=_outcome(events, merge, reverted=landings.reverted(pull, merge, own)),
        merge_commit=merge if merge in known.commits or _SHA.fullmatch(merge) else "",
        events=[each.id for each in events] + [known.commits[sha].event for sha in own],
        licence=next((each.licence for each in events if each.licence), ""),
    )


def _issues(opened: RepoEvent | None, texts: Iterable[str], repo: str, pull: str) -> list[str]:
    cited = list(opened.cites) if opened else []
    for text in texts:
        cited += [each.issue for each in closing_references(text, repo)]
    return sorted({each for each in cited if each != pull}, key=_natural)


def _outcome(events: list[RepoEvent], merge: str, *, reverted: bool) -> str:
    if merge:
        return "reverted" if reverted else "merged"
    states = [each.kind for each in events if each.kind in ("pull_opened", "pull_closed", "reopened")]
    if not states:
        return "unknown"
    return "abandoned" if states[-1] == "pull_closed" else "open"


def _heads(events: list[RepoEvent]) -> list[_Head]:
    """The heads of a pull request in the order in which somebody saw them, each with its first time.

    A clone, and GitHub's description of a pull request, give the head at the time of the fetch: it comes
    last, and the time of its push is unknown.
    """
    found: dict[str, _Head] = {}
    for each in sorted(events, key=_is_snapshot):
        for sha in _heads_in(each):
            forced = each.kind == "force_push" and sha == each.heads[-1]
            at = "" if _is_snapshot(each) else each.at
            if sha not in found:
                found[sha] = _Head(sha, at, forced)
            elif forced:
                found[sha] = found[sha]._replace(forced=True)
    return list(found.values())


def _is_snapshot(event: RepoEvent) -> bool:
    """Whether an event names the head at the time of the fetch, not of the event."""
    return (event.source, event.kind) in (("git", "push"), ("git", "branch"), ("github", "pull_opened"))


def _heads_in(event: RepoEvent) -> list[str]:
    """The heads that an event names: before and after a push, the head of a pull request, of a remark."""
    if event.place is not None and event.place.commit:
        return [event.place.commit]
    if event.kind not in _HEAD_KINDS:
        return []
    heads = event.heads[1:] if event.kind == "pull_opened" and len(event.heads) > 1 else event.heads
    return [sha for sha in heads if _SHA.fullmatch(sha)]


def _ordered(known: RepositoryEvents, heads: list[_Head], base: str) -> list[_OwnedHead]:
    """Order heads so that none comes after a head that contains it."""
    placed: list[_OwnedHead] = []
    for head in heads:
        own = known.own_commits(head.sha, base=base)
        before = (place for place, other in enumerate(placed) if head.sha in other.contained)
        placed.insert(next(before, len(placed)), _OwnedHead(head, own, frozenset(own)))
    return placed


def _iterations(known: RepositoryEvents, heads: list[_OwnedHead]) -> Iterator[Iteration]:
    seen: set[str] = set()
    before = ""
    for head, own, contained in heads:
        if head.sha not in known.commits:
            yield Iteration(head=head.sha, at=head.at, forced=head.forced, gap="lost_head")
            before = head.sha
            continue
        forced = bool(before) and before not in contained
        if head.forced and not forced:  # the platform does not name the head that was replaced
            yield Iteration(head="", at=head.at, gap="lost_head")
        new = [sha for sha in own if sha not in seen]
        yield Iteration(head=head.sha, at=head.at, commits=new, forced=head.forced or forced)
        seen.update(new)
        before = head.sha


class _Landings:
    """Where the default branch took pull requests in."""

    def __init__(self, known: RepositoryEvents) -> None:
        self._known = known
        self.heads: dict[str, list[str]] = {}  # heads of merge commits, by the pull request they name
        self._merges: dict[str, str] = {}  # head → merge commit
        self._merge_commits: dict[str, str] = {}  # pull → commit of the default branch that names it
        self._messages: dict[str, str] = {}
        self._reverted: set[str] = set()
        for commit in known.commits.values():
            self._reverted.update(_reverted_by(known, commit))
        for sha in known.main:
            self._note(known.commits[sha])

    def _note(self, commit: GraphCommit) -> None:
        for head in commit.parents[1:]:
            self._merges.setdefault(head, commit.sha)
        self._messages.setdefault(commit.text, commit.sha)
        if len(commit.parents) > 1 and (merge_match := MERGE_SUBJECT.match(commit.text)):
            pull = f"pull:{merge_match[1]}"
            self._merge_commits[pull] = commit.sha
            self.heads.setdefault(pull, []).append(commit.parents[1])
        elif squash := SQUASH_SUBJECT.search(commit.subject):
            self._merge_commits.setdefault(f"pull:{squash[1]}", commit.sha)

    def heads_of(self, pull: str) -> list[_Head]:
        """The heads that merge commits name, for a pull request without other events."""
        commits = self._known.commits
        return [
            _Head(sha, commits[sha].at if sha in commits else "", False) for sha in self.heads.get(pull, ())
        ]

    def merge_of(self, pull: str, events: list[RepoEvent], iterations: list[Iteration]) -> str:
        """The commit that took a pull request in; "merged" if only the platform's event is known; or ""."""
        merge = next((each for each in events if each.kind == "merge"), None)
        if merge is not None:
            return merge.heads[0] if merge.heads else self._merge_in_clone(pull, iterations) or "merged"
        return self._merge_in_clone(pull, iterations)

    def _merge_in_clone(self, pull: str, iterations: list[Iteration]) -> str:
        for each in reversed(iterations):
            if merge := self._merges.get(each.head, ""):
                return merge
        contained = self._known.main.get(iterations[-1].head, "") if iterations else ""
        return self._merge_commits.get(pull, "") or contained or self._rebased(iterations)

    def _rebased(self, iterations: list[Iteration]) -> str:
        """The last of the commits of the default branch that have the messages of all commits."""
        commits = self._known.commits
        texts = [commits[sha].text for each in iterations for sha in each.commits]
        places = [self._messages.get(text, "") for text in texts if len(text) >= _TELLING]
        return places[-1] if places and len(places) == len(texts) and all(places) else ""

    def reverted(self, pull: str, merge: str, own: list[str]) -> bool:
        """Whether a later commit reverts the merge, all commits of the pull request, or names it."""
        return (
            merge in self._reverted or pull in self._reverted or bool(own and self._reverted.issuperset(own))
        )


_TELLING = 20  # characters of a message that two commits do not share by chance


def _reverted_by(known: RepositoryEvents, commit: GraphCommit) -> Iterator[str]:
    if commit.sha not in known.main:
        return
    for found in REVERTS.finditer(commit.text):
        if sha := known.named(found[1]):
            yield sha
    for found in REVERTS_PULL.finditer(commit.text):
        yield f"pull:{found[1]}"
