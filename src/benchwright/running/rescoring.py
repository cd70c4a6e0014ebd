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
        old_counts = _count(folder)
        decide(folder, track, tasks)
        new_counts = _count(folder)
        plain = without_people(before)
        score = (
            plain
            if new_counts == old_counts
            else _score_of_counts(plain, track.measures, tasks, old_counts, new_counts)
        )
        score = with_people(score, folder, track, tasks)
        folder.write_json("scores.json", score)
        run.manifest = folder.manifest
    return score


def _count(folder: RunFolder) -> VerdictCounts:
    prompts = {(each.task_id, each.sample): each.prompt for each in folder.answers()}
    return count_verdicts(folder.verdicts(), lambda task, sample: prompts.get((task, sample), ""))


def _score_of_counts(
    score: Score,
    measures: MeasureSet,
    tasks: Mapping[TaskId, Task],
    before: VerdictCounts,
    after: VerdictCounts,
) -> Score:
    """Return the score of other verdicts. Its figures by prompt need the run's own command."""
    details: dict[str, Any] = {**score.details, **measures.details(tasks, after.answers)}
    if indicators := measures.indicators(tasks, after.answers, after.outcomes):
        details["indicators"] = indicators
    prompts = {
        name: measures.metrics(tasks, answers, ())
        for name in _prompts(after)
        if (answers := after.to_prompt(name)) and score.prompt_design not in ("", "row", FILE)
    }
    other_notes = [note for note in score.notes if not note.startswith("by prompt, ")]
    old, new = (list(measures.notes(tasks, each.answers, ())) for each in (before, after))
    return msgspec.structs.replace(
        score,
        metrics=measures.metrics(tasks, after.answers, ()),
        outcomes=dict(sorted(after.outcomes.items())),
        details=msgspec.to_builtins(details),
        prompts={} if measures.sections(details).prompts else prompts,
        notes=_replace_notes(other_notes, old, new),
    )


def _prompts(counted: VerdictCounts) -> list[str]:
    return sorted({each.variant for given in counted.answers.values() for each in given})


def _replace_notes(notes: Sequence[str], old: Sequence[str], new: Sequence[str]) -> list[str]:
    """Return the notes with new ones in place of old ones."""
    place = next((at for at, note in enumerate(notes) if note in old), 0)
    rest = [note for note in notes if note not in old]
    return [*rest[:place], *new, *rest[place:]]
