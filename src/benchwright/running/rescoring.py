"""Score a finished run again with later votes of people, without its plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from benchwright.contracts import MeasureSet
from benchwright.records import Score, Task, TaskId
from benchwright.running.human_labels import decide, own_track, with_people, without_people
from benchwright.running.judged_items import checked_data
from benchwright.running.prompt_files import FILE
from benchwright.running.run_data import RunData, read_score
from benchwright.running.scoring import VerdictCounts, count_verdicts
from benchwright.store.runfolder import RunFolder


def rescore(run: RunFolder, data: RunData) -> Score:
    """Update the score of a finished run by people's votes, and write it. Answers do not change.

    Raises RunError for an unfinished run or a missing data set, and DataError for unreadable votes.
    """
    tasks, before = checked_data(run, data), read_score(run)
    track = own_track(run, data.track)
    with RunFolder.open(run.path, run.manifest, mode="resume") as folder:
        was = _counted(folder)
        decide(folder, track, tasks)
        now = _counted(folder)
        plain = without_people(before)
        score = plain if now == was else _counted_again(plain, track.measures, tasks, was, now)
        score = with_people(score, folder, track, tasks)
        folder.write_json("scores.json", score)
        run.manifest = folder.manifest
    return score


def _counted(folder: RunFolder) -> VerdictCounts:
    prompts = {(each.task_id, each.sample): each.prompt for each in folder.answers()}
    return count_verdicts(folder.verdicts(), lambda task, sample: prompts.get((task, sample), ""))


def _counted_again(
    score: Score, measures: MeasureSet, tasks: Mapping[TaskId, Task], was: VerdictCounts, now: VerdictCounts
) -> Score:
    """Return the score of other verdicts. Its figures by prompt need the run's own command."""
    details: dict[str, Any] = {**score.details, **measures.details(tasks, now.answers)}
    if shown := measures.indicators(tasks, now.answers, now.outcomes):
        details["indicators"] = shown
    prompts = {
        name: measures.metrics(tasks, answers, ())
        for name in _prompts(now)
        if (answers := now.to_prompt(name)) and score.prompt_design not in ("", "row", FILE)
    }
    kept = [note for note in score.notes if not note.startswith("by prompt, ")]
    old, new = (list(measures.notes(tasks, each.answers, ())) for each in (was, now))
    return msgspec.structs.replace(
        score,
        metrics=measures.metrics(tasks, now.answers, ()),
        outcomes=dict(sorted(now.outcomes.items())),
        details=msgspec.to_builtins(details),
        prompts={} if measures.sections(details).prompts else prompts,
        notes=_replaced(kept, old, new),
    )


def _prompts(counted: VerdictCounts) -> list[str]:
    return sorted({each.variant for given in counted.answers.values() for each in given})


def _replaced(notes: Sequence[str], old: Sequence[str], new: Sequence[str]) -> list[str]:
    """Return the notes with new ones in place of old ones."""
    place = next((at for at, note in enumerate(notes) if note in old), 0)
    rest = [note for note in notes if note not in old]
    return [*rest[:place], *new, *rest[place:]]
