"""All links of a repository: the evidence ladder.

`links` is the whole interface. The links of a pull request depend on its trajectory, its feedback, the state
of its threads and its checks alone, so they are kept under a digest of these and are not made again while it
is equal.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Protocol

import msgspec
from msgspec.structs import replace

from benchwright.building.alignment.event_index import RepositoryEvents
from benchwright.building.alignment.feedback import CLAIMS
from benchwright.building.alignment.links.blame import blamed, fixes
from benchwright.building.alignment.links.check_turns import checks_by_commit, turned_green
from benchwright.building.alignment.links.citations import issue_comments, replies, trailers
from benchwright.building.alignment.links.closings import keyword_closings, platform_closings
from benchwright.building.alignment.links.link_records import unknown
from benchwright.building.alignment.links.remark_links import PlatformThread, RemarkLinks
from benchwright.building.alignment.links.second_evidence import agrees_only
from benchwright.building.alignment.links.self_revisions import self_revisions
from benchwright.building.alignment.links.thread_verdicts import with_thread_verdicts
from benchwright.building.alignment.objects import Objects
from benchwright.building.alignment.records import DevelopmentTrajectory, EvidenceLink, Feedback
from benchwright.sources.events import RepoEvent

LADDER = "7"  # version of the rules and of their precision; another one makes all links again


class LinkCache(Protocol):
    """Links of pull requests by a digest of everything they depend on."""

    def get(self, key: str) -> list[EvidenceLink] | None:
        """Return the links under a key, or None."""
        ...

    def put(self, key: str, links: list[EvidenceLink]) -> None:
        """Keep links under a key."""
        ...


def links(
    known: RepositoryEvents,
    trajectories: Iterable[DevelopmentTrajectory],
    feedback: Iterable[Feedback],
    objects: Objects,
    *,
    kept: LinkCache | None = None,
) -> Iterator[EvidenceLink]:
    """Yield every link of a repository, each id once: by pull request, then those of issues and commits."""
    units, items = list(trajectories), list(feedback)
    seen: set[str] = set()
    for link in _all_links(known, units, items, objects, kept):
        if link.id not in seen:
            seen.add(link.id)
            yield link


def _all_links(
    known: RepositoryEvents,
    units: list[DevelopmentTrajectory],
    items: list[Feedback],
    objects: Objects,
    cache: LinkCache | None,
) -> Iterator[EvidenceLink]:
    by_unit: dict[str, list[Feedback]] = {}
    for item in items:
        by_unit.setdefault(item.trajectory, []).append(item)
    pulls = _PullLinks(known, objects, cache)
    for unit in units:
        yield from pulls.of(unit, by_unit.get(unit.id, []))
    of_issues = [*platform_closings(known, units), *keyword_closings(known, units)]
    of_issues += issue_comments(known, known.others)
    yield from of_issues
    for fix in fixes(known, of_issues):
        yield from pulls.kept("\0".join(("blame", *fix)), partial(blamed, known, fix, objects))
    yield from trailers(known, units)
    yield from _of_reports(known, by_unit.get("", []), of_issues)


def _of_reports(
    known: RepositoryEvents, items: Sequence[Feedback], found: Sequence[EvidenceLink]
) -> Iterator[EvidenceLink]:
    """The links of error reports in issues: those of the issue; "unknown" without any."""
    kinds = ("issue_opened", "error_report")
    subjects = {each.id: each.subject for each in known.others if each.kind in kinds}
    for item in items:
        answers = [each for each in found if each.source == subjects.get(item.id)]
        for each in answers:
            name = hashlib.sha256(f"{each.id}\0{item.id}".encode()).hexdigest()[:20]
            yield replace(each, id=f"{known.repo}:link:{name}", source=item.id)
        if not answers:
            yield unknown(item.repo, item.id, "no_evidence")


class _PullLinks:
    """The links of one pull request after the other."""

    def __init__(self, known: RepositoryEvents, objects: Objects, cache: LinkCache | None) -> None:
        self._known, self._objects, self._cache = known, objects, cache
        self._checks = checks_by_commit(known.others)
        self._threads = _thread_states(known.others)

    def of(self, unit: DevelopmentTrajectory, items: list[Feedback]) -> list[EvidenceLink]:
        """The kept links, or new ones."""
        checks = {sha: self._checks[sha] for sha in _commits(unit) if sha in self._checks}
        threads = {each.id: self._threads[each.id] for each in items if each.id in self._threads}
        if self._cache is None:
            return self._evidence_links(unit, items, checks)
        body = msgspec.json.encode((unit, items, sorted(threads.items()), list(checks.values())))
        return self.kept(body.decode(), lambda: self._evidence_links(unit, items, checks))

    def kept(self, given: str, make: Callable[[], list[EvidenceLink]]) -> list[EvidenceLink]:
        """The links that are kept for what they depend on, or new ones."""
        if self._cache is None:
            return make()
        key = hashlib.sha256(f"{LADDER}\0{given}".encode("utf-8", "surrogatepass")).hexdigest()
        found = self._cache.get(key)
        if found is None:
            found = make()
            self._cache.put(key, found)
        return found

    def _evidence_links(
        self, unit: DevelopmentTrajectory, items: list[Feedback], checks: dict[str, list[RepoEvent]]
    ) -> list[EvidenceLink]:
        remarks = RemarkLinks(self._known, unit, self._objects)
        found = [
            *turned_green(self._known, unit, checks),
            *replies(self._known, unit, items),
        ]
        claimed = {each.thread for each in items if each.thread != each.id and CLAIMS.search(each.text)}
        done = {
            each.thread
            for each in items
            if each.thread in claimed and CLAIMS.search(each.text) and not agrees_only(each.text)
        }
        for item in items:
            if _is_first(item):
                state = self._threads.get(item.id, PlatformThread(None, None))
                found += remarks.of(item, state, claimed=item.id in claimed, done=item.id in done)
        found = _without_answered(with_thread_verdicts(found, items))
        linked = {each.source for each in found}
        found += [
            unknown(item.repo, item.id, "no_evidence", trajectory=unit.id)
            for item in items
            if item.id not in linked and (not item.thread or item.thread == item.id)
        ]
        return found + list(self_revisions(self._known, unit, items, found, self._objects))


def _is_first(item: Feedback) -> bool:
    """Whether it is the first remark of a thread, or a suggestion anywhere in it."""
    return item.kind in ("remark", "suggestion") and (item.thread == item.id or item.replacement is not None)


def _without_answered(found: list[EvidenceLink]) -> list[EvidenceLink]:
    """Leave out "unknown" and "unchanged" for feedback that a rung answers."""
    answered = {each.source for each in found if each.state == "answered" and not each.weak}
    return [each for each in found if each.state == "answered" or each.source not in answered]


def _commits(unit: DevelopmentTrajectory) -> list[str]:
    return [sha for each in unit.iterations for sha in (*each.commits, each.head)]


def _thread_states(events: Iterable[RepoEvent]) -> dict[str, PlatformThread]:
    """Map the id of each remark to what the platform says of its thread."""
    resolved = {parent for each in events if each.kind == "thread_resolved" for parent in each.parents}
    found = {}
    for each in events:
        if each.place is not None:
            stated = each.place.resolved
            done = True if each.subject in resolved and stated is None else stated
            found[each.id] = PlatformThread(done, each.place.outdated)
    return found
