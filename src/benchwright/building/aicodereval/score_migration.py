"""Score migration: the scores of a stored run that hold for a later release, by the content of each task.

A verdict carries over if everything that decides it is equal in both releases: prompt, tests, libraries and
profile. All other tasks of the later release need new answers or verdicts.
"""

from __future__ import annotations

from pathlib import Path

from benchwright.building.aicodereval.release import manifest_of
from benchwright.display.escape import escaped_path
from benchwright.errors import UsageError
from benchwright.records import Record, Verdict
from benchwright.running.reading import open_run
from benchwright.running.run_data import data_of, given_data, identity_field
from benchwright.store.writing import read_records
from benchwright.tracks.aicodereval.track import TRACK

TESTS = Path("data", "test.jsonl")


class CarriedScores(Record, frozen=True, kw_only=True):
    """The tasks of a run and of the test split of a later release, each in one list.

    carried: judged, and the same task in both. changed: judged, and another task under the same id. gone:
    judged, and not among the later tests. open: a later test without a verdict in the run.
    """

    run: str
    carried: list[str]
    changed: list[str]
    gone: list[str]
    open: list[str]


def carried_scores(run: str | Path, old: Path, new: Path) -> CarriedScores:
    """The scores of a run that hold for the later of two releases.

    The tasks are those stored in the run, else those of the earlier release. Raises UsageError for a run of
    another track, and for a run with unreadable tasks.
    """
    folder, place = open_run(run), escaped_path(run)
    if (track := identity_field(folder, "track")) != TRACK.name:
        message = f"--run {place}: a run of {track}; expected a run of {TRACK.name}"
        raise UsageError(message, hint="name a run on the tests of the earlier release")
    for release in (old, new):
        manifest_of(release)
    source = data_of(folder, given_data([old / TESTS]))
    if source.absent:
        raise UsageError(f"--run {place}: {source.absent}", hint="name a run that stores its tasks")
    asked = {str(task.task_id): task.revision for task in source.tasks().values()}
    verdicts = read_records(folder.verdicts_path(""), Verdict)
    judged = sorted({str(each.task_id) for each in verdicts if not each.outcome.is_missing} & asked.keys())
    later = {str(task.task_id): task.revision for task in TRACK.load(new / TESTS)}
    return CarriedScores(
        run=str(run),
        carried=[task for task in judged if later.get(task) == asked[task]],
        changed=[task for task in judged if task in later and later[task] != asked[task]],
        gone=[task for task in judged if task not in later],
        open=sorted(later.keys() - set(judged)),
    )
