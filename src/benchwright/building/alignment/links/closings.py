"""Rungs 2 and 6 for issues: what the platform names as the answer, and closing keywords in texts.

A keyword closes an issue only when its commit or pull request reaches the default branch; otherwise the
method says "not_on_default_branch".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from benchwright.building.alignment.event_index import RepositoryEvents
from benchwright.building.alignment.keywords import closing_references
from benchwright.building.alignment.links.link_records import answered
from benchwright.building.alignment.records import DevelopmentTrajectory, EvidenceLink


def platform_closings(
    known: RepositoryEvents, units: Iterable[DevelopmentTrajectory]
) -> Iterator[EvidenceLink]:
    """Yield the closing references of pull requests, and what closed an issue."""
    ids = {each.pull: each.id for each in units}
    for event in known.others:
        for cited in event.cites:
            if event.kind == "pull_opened" and cited != event.pull:
                yield answered(
                    known.repo,
                    2,
                    cited,
                    event.pull,
                    finer="closing_reference",
                    trajectory=ids.get(event.pull, ""),
                )
            elif event.kind == "issue_closed":
                yield answered(
                    known.repo, 2, event.subject, cited, finer="closed_by", trajectory=ids.get(cited, "")
                )


def keyword_closings(
    known: RepositoryEvents, units: Iterable[DevelopmentTrajectory]
) -> Iterator[EvidenceLink]:
    """Yield the issues that the messages of commits and the texts of pull requests close."""
    units = list(units)
    unit_of = {sha: unit for unit in units for each in unit.iterations for sha in each.commits}
    for commit in known.commits.values():
        unit = unit_of.get(commit.sha)
        trajectory = unit.id if unit else ""
        reached = commit.sha in known.main
        yield from _of(known.repo, commit.text, f"commit:{commit.sha}", trajectory, reached=reached)
    by_pull = {each.pull: each for each in units}
    for event in known.others:
        if event.kind == "pull_opened" and (unit := by_pull.get(event.pull)):
            reached = unit.outcome in ("merged", "reverted")
            yield from _of(known.repo, event.text, event.pull, unit.id, reached=reached)


def _of(repo: str, text: str, target: str, trajectory: str, *, reached: bool) -> Iterator[EvidenceLink]:
    seen = set()
    for found in closing_references(text, repo):
        if found.issue == target or found.issue in seen:
            continue
        seen.add(found.issue)
        finer = ".".join(("list",) * found.listed + ("not_on_default_branch",) * (not reached))
        yield answered(repo, 6, found.issue, target, finer=finer, trajectory=trajectory, detail=found.text)
