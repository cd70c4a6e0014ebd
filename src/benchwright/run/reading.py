"""Looking at a finished or running run: each answer beside its verdicts, and where profiles differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from benchwright import registry
from benchwright.contracts import Extraction, Track
from benchwright.errors import RunError
from benchwright.records import Answer, Outcome, Task, TaskId, Verdict
from benchwright.store.runfolder import RunFolder


class Judged(NamedTuple):
    """An answer with its verdict by the run's own profile; None while it is not judged."""

    answer: Answer
    verdict: Verdict | None


class TaskSummary(NamedTuple):
    """How the answers to one task ended."""

    task_id: TaskId
    outcomes: Counter[str]

    @property
    def passed(self) -> int:
        return self.outcomes[Outcome.passed.value]


class Difference(NamedTuple):
    """An answer on which two scoring profiles disagree."""

    task_id: TaskId
    sample: int
    verdicts: dict[str, Verdict]


def open_run(path: str | Path) -> RunFolder:
    """A run folder to read. Raises RunError when it is none."""
    return RunFolder.read(Path(path))


def profiles_of(folder: RunFolder) -> list[str]:
    """The profiles a run was judged by, its own first."""
    own = str(folder.manifest["identity"]["profile"])
    others = sorted(path.name.split(".")[1] for path in folder.path.glob("verdicts.*.jsonl"))
    return [own, *others]


def summaries(folder: RunFolder) -> list[TaskSummary]:
    """One line a task, in the order of the data."""
    tasks: dict[TaskId, Counter[str]] = {}
    for verdict in folder.verdicts():
        tasks.setdefault(verdict.task_id, Counter())[verdict.outcome.value] += 1
    return [TaskSummary(task_id, outcomes) for task_id, outcomes in tasks.items()]


def judged(folder: RunFolder, task: str) -> list[Judged]:
    """The answers to a task with their verdicts. Raises RunError when the run has no such task."""
    answers = [answer for answer in folder.answers() if str(answer.task_id) == task]
    if not answers:
        raise RunError(f"{folder.path} has no answers to task {task}", hint=f"benchwright show {folder.path}")
    verdicts = {verdict.sample: verdict for verdict in folder.verdicts() if str(verdict.task_id) == task}
    return [Judged(answer, verdicts.get(answer.sample)) for answer in answers]


def differences(folder: RunFolder) -> Iterator[Difference]:
    """The answers on which the run's profiles disagree whether they pass."""
    names = profiles_of(folder)
    if len(names) < 2:
        raise RunError(
            f"{folder.path} was judged by one profile only",
            hint="run it again with --profile strict --profile mera-code",
        )
    streams = [folder.verdicts("" if name == names[0] else name) for name in names]
    for rows in zip(*streams, strict=True):
        if len({row.outcome is Outcome.passed for row in rows}) > 1:
            yield Difference(rows[0].task_id, rows[0].sample, dict(zip(names, rows, strict=True)))


def programs(folder: RunFolder, answers: list[Answer]) -> dict[int, Extraction] | None:
    """What was taken from each answer, by sample; None where the data set is no longer to be found."""
    identity = folder.manifest["identity"]
    data = Path(str(folder.manifest["data"]))
    if not data.exists() or not answers:
        return None
    track: Track = registry.find("track", str(identity["track"]))
    task = _task(track, data, answers[0].task_id)
    if task is None:
        return None
    profile = str(identity["profile"])
    return {answer.sample: track.extract(task, answer, profile=profile) for answer in answers}


def _task(track: Track, data: Path, task_id: TaskId) -> Task | None:
    return next((task for task in track.load(data) if task.task_id == task_id), None)


def cheats(folder: RunFolder) -> Iterator[Verdict]:
    """Verdicts on answers that tried to cheat or to escape: none of them passed."""
    for verdict in folder.verdicts():
        if verdict.outcome is Outcome.tampered or verdict.suspicious:
            yield verdict
