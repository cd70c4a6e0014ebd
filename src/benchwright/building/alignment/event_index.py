"""The events of one repository in a compact form: commits as a graph, other events by unit of work.

Texts are kept, lists of files are not: they are most of a commit's event.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from msgspec.structs import replace

from benchwright.sources.events import RepoEvent

# Kinds with one event for each subject; a later one is a revision.
_REVISED = ("remark", "comment", "review", "pull_opened", "issue_opened", "thread_resolved", "check")
MAX_OWN = 5000  # commits of one head; more are another history, not a change
MAX_FORWARD = 1000  # commits of a pull request that was merged without a merge commit


class GraphCommit(NamedTuple):
    """A commit: its parents, message, time and author."""

    sha: str
    parents: tuple[str, ...]
    text: str
    at: str
    actor: str
    event: str  # id of its event

    @property
    def subject(self) -> str:
        """The first line of the message."""
        return self.text.partition("\n")[0]


class RepositoryEvents:
    """Events of one repository; `head` is the commit of its default branch.

    A deleted subject is left out, and of an edited one the last revision counts, with the time of the first.
    """

    def __init__(self, events: Iterable[RepoEvent], *, repo: str, head: str = "") -> None:
        self.repo, self.head = repo, head
        self.commits: dict[str, GraphCommit] = {}
        self.others: list[RepoEvent] = []
        self._add(events)
        self.by_pull: dict[str, list[RepoEvent]] = {}
        for each in self.others:
            if each.pull:
                self.by_pull.setdefault(each.pull, []).append(each)

    def _add(self, events: Iterable[RepoEvent]) -> None:
        last: dict[str, RepoEvent] = {}
        deleted: dict[str, int] = {}
        for each in events:
            if each.kind == "commit":
                self._add_commit(each)
            elif each.kind == "deleted":
                deleted[each.subject] = max(each.subject_rank, deleted.get(each.subject, 0))
            else:
                key = _revised(each)
                last[key] = _later(last.get(key), each)
        remaining = [each for each in last.values() if each.subject_rank > deleted.get(each.subject, -1)]
        self.others = sorted(remaining, key=lambda each: (each.at, each.id))

    def _add_commit(self, event: RepoEvent) -> None:
        sha = event.subject.partition(":")[2]
        known = self.commits.get(sha)
        if known is None or event.source == "git":  # a platform names authors by login, the clone by address
            self.commits[sha] = GraphCommit(
                sha, tuple(event.heads), event.text, event.at, event.actor, event.id
            )

    @cached_property
    def main(self) -> dict[str, str]:
        """Map each commit of the default branch to the commit of the first-parent line that brought it."""
        brought: dict[str, str] = {}
        for sha in reversed(list(self.first_parents(self.head))):
            waiting = [sha]
            while waiting:
                each = waiting.pop()
                if each not in brought and each in self.commits:
                    brought[each] = sha
                    waiting.extend(self.commits[each].parents)
        return brought

    def first_parents(self, sha: str) -> Iterator[str]:
        """Yield a commit and its first parents, the newest first, until one is unknown."""
        seen = set()
        while sha in self.commits and sha not in seen:
            yield sha
            seen.add(sha)
            sha = next(iter(self.commits[sha].parents), "")

    @cached_property
    def by_prefix(self) -> dict[str, list[str]]:
        """Map the first seven digits of commits to their names."""
        found: dict[str, list[str]] = {}
        for sha in self.commits:
            found.setdefault(sha[:7], []).append(sha)
        return found

    def named(self, prefix: str) -> str:
        """Return the only commit whose name begins with this; "" for none or several."""
        found = [
            each for each in self.by_prefix.get(prefix[:7].lower(), ()) if each.startswith(prefix.lower())
        ]
        return found[0] if len(found) == 1 else ""

    def own_commits(self, head: str, *, base: str = "") -> list[str]:
        """Return the commits that `head` has and the default branch did not have before it, the oldest first.

        They are found by following parents, without a merge base. A head that the default branch contains has
        the commits that the same merge brought; if it lies on the first-parent line itself, those after
        `base`.
        """
        line = self.main.get(head)
        if line == head and (forward := self._forward(head, base)):
            return forward
        merge = self.commits[line].parents[:1] if line else ()
        found: list[str] = []
        waiting, seen = [head], {base, *merge}
        while waiting and len(found) < MAX_OWN:
            sha = waiting.pop()
            if sha in seen or sha not in self.commits or self.main.get(sha) != line:
                continue
            seen.add(sha)
            found.append(sha)
            waiting.extend(self.commits[sha].parents)
        return self._oldest_first(found)

    def _forward(self, head: str, base: str) -> list[str]:
        """The commits from `base` to `head` on one first-parent line; empty if there is no such line."""
        found: list[str] = []
        for sha in islice(self.first_parents(head), MAX_FORWARD):
            if sha == base:
                return found[::-1]
            found.append(sha)
        return []

    def _oldest_first(self, shas: list[str]) -> list[str]:
        """Order commits so that parents come before their children; the first parent's line comes first."""
        own, done, order = set(shas), set(), []
        for start in shas:
            waiting = [(start, False)]
            while waiting:
                sha, left = waiting.pop()
                if left:
                    order.append(sha)
                elif sha in own and sha not in done:
                    done.add(sha)
                    waiting.append((sha, True))
                    waiting.extend((each, False) for each in reversed(self.commits[sha].parents))
        return order


def _revised(event: RepoEvent) -> str:
    """The key under which the revisions of one text are found; other events are each kept."""
    kind = "remark" if event.kind == "suggestion" else event.kind
    single = kind in _REVISED and (kind != "check" or event.subject.startswith("check:"))
    return f"{kind}:{event.subject}" if single else event.id


def _later(known: RepoEvent | None, event: RepoEvent) -> RepoEvent:
    """The later revision, with the time and the id of the first."""
    if known is None:
        return event
    first, last = sorted((known, event), key=lambda each: each.subject_rank)
    return replace(last, id=first.id, at=first.at)
