"""Rung 5: a check or test that failed at one head of a pull request passes at the next head that has it.

A check with both results at one commit is flaky and proves nothing. The commits between the two heads are the
answer; with more than one, the method says "several_commits" and the target is the head.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

from benchwright.building.alignment.event_index import RepositoryEvents
from benchwright.building.alignment.feedback import FAILED, PASSED
from benchwright.building.alignment.links.link_records import answered
from benchwright.building.alignment.records import DevelopmentTrajectory, EvidenceLink
from benchwright.sources.events import RepoEvent

CHECK_KINDS = ("check", "test_result")


class _CheckResult(NamedTuple):
    failed: list[str]  # ids of events
    passed: list[str]


def checks_by_commit(events: Iterable[RepoEvent]) -> dict[str, list[RepoEvent]]:
    """Map commits to the results of their checks and tests."""
    found: dict[str, list[RepoEvent]] = {}
    for each in events:
        if each.kind in CHECK_KINDS and each.heads:
            found.setdefault(each.heads[-1], []).append(each)
    return found


def check_name(event: RepoEvent) -> str:
    """Return the name under which the results of a check are compared: the tool and the first line of the
    text."""
    return f"{event.tool}\0{event.text.partition(chr(10))[0].strip()}"


def turned_green(
    known: RepositoryEvents, unit: DevelopmentTrajectory, checks: dict[str, list[RepoEvent]]
) -> Iterator[EvidenceLink]:
    """Yield a link from each failure to the commit after which the check passes."""
    own = [sha for each in unit.iterations for sha in (each.commits or [each.head])]
    results: dict[str, dict[int, _CheckResult]] = {}
    for at, sha in enumerate(own):
        for event in checks.get(sha, ()):
            result = results.setdefault(check_name(event), {}).setdefault(at, _CheckResult([], []))
            state = event.state.lower()
            (result.failed if state in FAILED else result.passed if state in PASSED else []).append(event.id)
    for name, by_place in results.items():
        yield from _turns(known.repo, unit, own, name, by_place)


def _turns(
    repo: str, unit: DevelopmentTrajectory, own: list[str], name: str, results: dict[int, _CheckResult]
) -> Iterator[EvidenceLink]:
    decided = [(at, each) for at, each in sorted(results.items()) if bool(each.failed) != bool(each.passed)]
    for (before, red), (after, green) in pairwise(decided):
        if red.failed and green.passed:
            yield answered(
                repo,
                5,
                red.failed[-1],
                f"commit:{own[after]}",
                finer="" if after == before + 1 else "several_commits",
                trajectory=unit.id,
                detail=name.replace("\0", " ").strip(),
            )
