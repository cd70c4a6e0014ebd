"""Which scores of a stored run hold for a later release: by the content of each task, not by its name.

A verdict carries over where all that decides it is the same in both: what is asked, the tests, the libraries
and the profile. The rest of the later release has to be answered, or judged, anew.
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
    judged, and not among the later tests. open: a later test for which the run has no verdict.
    """

    run: str
    carried: list[str]
    changed: list[str]
    gone: list[str]
    open: list[str]


def carried_scores(run: str | Path, old: Path, new: Path) -> CarriedScores:
    """What of a run holds for the later of two releases. Its tasks are the folder's own, or the earlier's.

    Raises UsageError for a run of another track, and for one whose tasks cannot be read.
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
