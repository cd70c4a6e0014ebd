"""Splits of a release: test by repository, validation by time.

Repositories that share a root commit are one, such as forks. The key of that root decides whether all of them
are in the test split, so a repository keeps its side in every build. Of the others, work that began in the
newest quarters, about a twentieth of the rows, is for validation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from benchwright.building.alignment.event_store import UNDATED, quarter
from benchwright.building.alignment.records import DevelopmentTrajectory, EvidenceLink, Feedback
from benchwright.building.alignment.release_rows import FEEDBACK, LINKS, ReleaseRow
from benchwright.building.alignment.stage_parts import AlignmentContext
from benchwright.records import Drop
from benchwright.store.keys import content_key

TRAIN, VALIDATION, TEST = "train", "validation", "test"
TEST_SHARE = 10  # per cent of the groups of repositories
OLDER = 0.95  # share of the dated rows of a repository before its validation begins


def with_splits(rows: Iterator[ReleaseRow], context: AlignmentContext) -> Iterator[ReleaseRow | Drop]:
    """The rows with their split."""
    row_list = list(rows)
    groups = repository_groups(_roots(context))
    begun = _Beginnings(context)
    starts = _validation_starts(row_list)
    for row in row_list:
        if is_test(groups[row.repo]):
            split = TEST
        else:
            at, start = begun.of(row), starts.get(row.repo, "")
            split = VALIDATION if start and at and quarter(at) >= start else TRAIN
        yield msgspec.structs.replace(row, split=split)


def is_test(group: str) -> bool:
    """Whether a group of repositories is in the test split, by its key alone."""
    return int(content_key("split", group)[:8], 16) % 100 < TEST_SHARE


def repository_groups(roots: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """The key of the group of each repository, by the ids of root commits: the smallest root of the group.

    A repository without a known root, such as a shallow clone, is a group by its name.
    """
    parent: dict[str, str] = {}

    def top(root: str) -> str:
        while parent.setdefault(root, root) != root:
            parent[root] = root = parent[parent[root]]
        return root

    for mine in roots.values():
        for root in mine:
            first, second = sorted((top(mine[0]), top(root)))
            parent[second] = first
    return {repo: top(mine[0]) if mine else f"repo:{repo}" for repo, mine in roots.items()}


def _roots(context: AlignmentContext) -> dict[str, list[str]]:
    """The root commits of each repository."""
    found = {}
    for repository in context.repositories():
        commits = context.events(repository).commits.values()
        found[repository.name] = sorted(each.sha for each in commits if not each.parents)
    return found


def _validation_starts(rows: Sequence[ReleaseRow]) -> dict[str, str]:
    """The quarter in which the validation of each repository begins, if it has an earlier one."""
    times: dict[str, list[str]] = {}
    for row in rows:
        if row.at:
            times.setdefault(row.repo, []).append(row.at)
    found = {}
    for repo, mine in times.items():
        mine.sort()
        start = quarter(mine[min(len(mine) - 1, int(OLDER * len(mine)))])
        if start not in (UNDATED, quarter(mine[0])):
            found[repo] = start
    return found


class _Beginnings:
    """When the work of a row began: feedback and links belong to their trajectory."""

    def __init__(self, context: AlignmentContext) -> None:
        read_stage = context.folder.kept
        self._opened = {each.id: each.opened_at for each in read_stage("trajectories", DevelopmentTrajectory)}
        self._units = {
            FEEDBACK: {each.id: each.trajectory for each in read_stage("resolve", Feedback)},
            LINKS: {each.id: each.trajectory for each in read_stage("links", EvidenceLink)},
        }

    def of(self, row: ReleaseRow) -> str:
        """The time; empty if it is unknown."""
        unit = self._units.get(row.table, {}).get(row.id, "")
        return self._opened.get(unit, "") or row.at
