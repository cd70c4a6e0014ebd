"""For tests of single stages of a run: a plan, a pool that says what it is told to, a watcher that listens."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from benchwright.judges.python import Judgement
from benchwright.records import Answer, Outcome
from benchwright.run.plan import Options, Plan, make_plan
from benchwright.run.pool import Job
from benchwright.store.runfolder import RunFolder
from small_data import humaneval

Decide = Callable[[Job], Judgement]


def plan_of(folder: Path, *, tasks: int = 3, **changed: Any) -> Plan:
    """A plan for gold answers, with some options changed."""
    options = {"track": "humaneval", "data": str(humaneval(folder, tasks)), "model": "gold:", **changed}
    return make_plan(Options(**options))


def folder_of(plan: Plan, place: Path) -> RunFolder:
    """The plan's run folder, opened to write."""
    return RunFolder.open(place / "run", plan.manifest(), mode="either", clock=lambda: "now")


def judged_as(outcome: str, **more: Any) -> Judgement:
    """A judgement."""
    return Judgement(outcome=Outcome(outcome), **more)


def by_text(job: Job) -> Judgement:
    """A stub raises, all else is right: what a sound data set gives."""
    return judged_as("exception" if "NotImplementedError" in job.program else "passed")


class Pretender:
    """Stands in for a pool: decides without a process, and keeps what it was given to execute."""

    def __init__(self, decide: Decide = by_text, *, ahead: int = 1) -> None:
        self._decide, self._ahead = decide, ahead
        self.executed: list[Job] = []
        self.taken = 0

    def judge(self, jobs: Iterable[Job]) -> Iterator[tuple[int, Judgement]]:
        """Judgements, the last first of each `ahead` jobs: a pool keeps no order."""
        held: list[Job] = []
        for job in jobs:
            self.taken += 1
            held.append(job)
            if len(held) == self._ahead:
                yield from map(self._end, reversed(held))
                held.clear()
        yield from map(self._end, reversed(held))

    def _end(self, job: Job) -> tuple[int, Judgement]:
        if job.settled is not None:
            return job.number, job.settled
        self.executed.append(job)
        return job.number, self._decide(job)


class Listener:
    """A watcher that keeps what it was told."""

    def __init__(self) -> None:
        self.heard: list[tuple[Any, ...]] = []

    def begin(self, stage: str, total: int, done: int) -> None:
        """Keep it."""
        self.heard.append(("begin", stage, total, done))

    def tick(self, outcome: Outcome | None) -> None:
        """Keep it."""
        self.heard.append(("tick", outcome and outcome.value))

    def status(self, text: str) -> None:
        """Keep it."""
        self.heard.append(("status", text))

    def end(self) -> None:
        """Keep it."""
        self.heard.append(("end",))

    def note(self, text: str) -> None:
        """Keep it."""
        self.heard.append(("note", text))


def store(folder: RunFolder, answers: Iterable[Answer]) -> None:
    """Write answers as asking does."""
    with folder.answer_writer() as writer:
        writer.append_all(answers)


def answer(task: int, sample: int = 0, text: str = "    return x\n", **more: Any) -> Answer:
    """An answer to one of the small tasks."""
    return Answer(
        key=f"{task:016x}{sample:016x}", task_id=f"Small/{task}", sample=sample, model="m", text=text, **more
    )
