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

    @property
    def score(self) -> Score:
        """What it scored."""
        return self.contestant.score


def load_runs(paths: Sequence[str | Path], *, allow: Collection[str] = ()) -> list[Run]:
    """The runs in the order given. Raises RunError for an unfinished one, and for runs of different kinds.

    A table whose rows come from different data sets, or from different rules of judging, invites a
    comparison that means nothing; so what cannot be compared is not put into one report either.
    """
    contestants = load([Path(path) for path in paths])
    if len(contestants) > 1:
        check_comparable(contestants, allow=allow)
    return [
        Run(visible(contestant.name), contestant, folder, Tally(folder))
        for contestant in contestants
        for folder in [RunFolder.read(Path(contestant.path))]
    ]


def all_tasks(runs: Sequence[Run]) -> list[TaskId]:
    """Every task that any of the runs has, in the order of the first run that has it."""
    return list(dict.fromkeys(task_id for run in runs for task_id in run.tally.cells))
