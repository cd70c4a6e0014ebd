"""Input of the recipes of training exports: the records of a release, and the patches of its changes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

from benchwright.building.alignment.records import DevelopmentTrajectory, EvidenceLink, Feedback
from benchwright.interop.training.row_types import TrainingRow
from benchwright.records import Record
from benchwright.sources.events import RepoEvent

MAX_TEXT = 16_000  # characters of one prompt or completion; longer ones train on cut texts
STRONG = (1, 2, 3, 4)  # rungs that show that a remark was answered


class Material(Protocol):
    """The records of a release. Every call reads them from the beginning, in the order of the release."""

    def events(self) -> Iterable[RepoEvent]:
        """All events."""
        ...

    def feedback(self) -> Iterable[Feedback]:
        """All feedback."""
        ...

    def links(self) -> Iterable[EvidenceLink]:
        """All links."""
        ...

    def trajectories(self) -> Iterable[DevelopmentTrajectory]:
        """All trajectories."""
        ...

    def patch(self, repo: str, commit: str, path: str) -> str:
        """The patch of one file in a commit; empty if the release does not have it."""
        ...

    def split(self, record: Record, commits: Iterable[str] = ()) -> str:
        """The split of a row of a record and of commits whose patches it shows."""
        ...

    def licence(self, repo: str) -> str:
        """The SPDX identifier of a repository; empty if it is unknown."""
        ...

    def url(self, event: str) -> str:
        """The address of an event by its id; empty if it has none."""
        ...


TRAIN = "train"
_STRICTNESS = ("test", "validation")


def strictest_split(splits: Iterable[str]) -> str:
    """The split of a row that rests on records of several: "test" if one of them is of the test split."""
    found = [each for each in splits if each]
    return next((each for each in _STRICTNESS if each in found), found[0] if found else TRAIN)


def row_for(
    material: Material,
    origin: RepoEvent | Feedback | DevelopmentTrajectory,
    *,
    commits: Iterable[str] = (),
    **parts: Any,
) -> TrainingRow:
    """A row with the provenance of a record; `parts` are the fields that the record does not decide.

    `commits` are those whose patches the row shows.
    """
    given = {
        "id": origin.id,
        "repo": origin.repo,
        "split": material.split(origin, commits),
        "licence": getattr(origin, "licence", "") or material.licence(origin.repo),
        "url": material.url(origin.id),
        "at": getattr(origin, "at", ""),
        "evidence": origin.id,
    }
    return TrainingRow(**{**given, **parts})


def strongest_links(material: Material) -> dict[str, EvidenceLink]:
    """The strongest answering link of each feedback, by the id of the feedback; of equal ones the first."""
    best: dict[str, EvidenceLink] = {}
    for link in material.links():
        if link.state != "answered" or not link.rung:
            continue
        other = best.get(link.source)
        if other is None or (other.rung or 9) > link.rung:
            best[link.source] = link
    return best


def commit_of(link: EvidenceLink) -> str:
    """The commit that answers; empty for a link to a pull request as a whole."""
    if link.target.startswith("commit:"):
        return link.target.removeprefix("commit:")
    return link.after.commit if link.after is not None else ""
