"""The runs of a report: what each is called, what it scored, and one pass over its verdicts."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import NamedTuple

from benchwright.rank.comparable import check_comparable
from benchwright.rank.contestant import Contestant, load
from benchwright.records import Score, TaskId
from benchwright.report.tally import Tally
from benchwright.report.wording import visible
from benchwright.store.runfolder import RunFolder


class Run(NamedTuple):
    """One run as the report sees it."""

    name: str  # safe to show, and unlike the other runs' names
    contestant: Contestant
    folder: RunFolder
    tally: Tally
    prefix: str = ""  # of the names of its tasks, where a report holds several tracks

    @property
    def is_of_labels(self) -> bool:
        """Whether its answers are labels: then there are no programs and no times."""
        return "confusion" in self.score.details

    def task_name(self, task_id: TaskId) -> str:
        """What the whole page calls a task, safe to show. Two tracks may both have a task 7."""
        return self.prefix + visible(task_id)

    @property
    def full_name(self) -> str:
        """The name among the runs of all tracks of a page."""
        return f"{self.prefix}{self.name}"

    @property
    def score(self) -> Score:
        """What it scored."""
        return self.contestant.score


def load_runs(paths: Sequence[str | Path], *, allow: Collection[str] = ()) -> list[Run]:
    """The runs in the order given. Raises RunError for an unfinished one, and for runs of different kinds.

    Runs of several tracks are grouped by track, see `by_track`. Within a track a table whose rows come from
    different data sets, or from different rules of judging, invites a comparison that means nothing; so what
    cannot be compared is not put into one report.
    """
    contestants = load([Path(path) for path in paths])
    tracks = list(dict.fromkeys(contestant.track for contestant in contestants))
    for track in tracks:
        of_track = [contestant for contestant in contestants if contestant.track == track]
        if len(of_track) > 1:
            check_comparable(of_track, allow=allow)
    return [
        Run(
            visible(contestant.name),
            contestant,
            folder,
            Tally(folder),
            prefix=f"{visible(contestant.track)} " if len(tracks) > 1 else "",
        )
        for contestant in contestants
        for folder in [RunFolder.read(Path(contestant.path))]
    ]


def by_track(runs: Sequence[Run]) -> list[list[Run]]:
    """The runs of each track, the tracks in the order in which they were first named."""
    tracks = dict.fromkeys(run.contestant.track for run in runs)
    return [[run for run in runs if run.contestant.track == track] for track in tracks]


def all_tasks(runs: Sequence[Run]) -> list[TaskId]:
    """Every task that any of the runs has, in the order of the first run that has it."""
    return list(dict.fromkeys(task_id for run in runs for task_id in run.tally.cells))
