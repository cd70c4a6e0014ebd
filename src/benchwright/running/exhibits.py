"""The exhibit of each answer of a run: the texts that a judge sees, model or person."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from benchwright.contracts import Assessable, Exhibit, Track
from benchwright.display.escape import escaped_path
from benchwright.errors import RunError
from benchwright.records import Answer, Outcome, Task, TaskId, Verdict
from benchwright.store.runfolder import RunFolder

_TO_JUDGE = (Outcome.scored, Outcome.undecided)


class ShownAnswer(NamedTuple):
    """An answer, its current verdict and its verdict by rules. `exhibit` is None where rules settle it."""

    answer: Answer
    verdict: Verdict
    by_rules: Verdict
    exhibit: Exhibit | None


def shown_answers(
    folder: RunFolder, track: Track, tasks: Mapping[TaskId, Task], *, profile: str
) -> Iterator[ShownAnswer]:
    """Yield every answer of a run in canonical order. Raises RunError where verdicts are missing."""
    assert isinstance(track, Assessable)
    verdicts = folder.verdicts()
    for answer in folder.answers():
        verdict = next(verdicts, None)
        if verdict is None or (verdict.task_id, verdict.sample) != (answer.task_id, answer.sample):
            hint = "run the same command again to judge what is missing"
            raise RunError(f"not each answer in {escaped_path(folder.path)} has its verdict", hint=hint)
        task = tasks[answer.task_id]
        by_rules = track.assessed(task, verdict, ())
        exhibit = None
        if by_rules.outcome in _TO_JUDGE:
            taken = track.extract(task, answer, profile=profile)
            exhibit = track.exhibit(task, answer, taken, by_rules)
        yield ShownAnswer(answer, verdict, by_rules, exhibit)
