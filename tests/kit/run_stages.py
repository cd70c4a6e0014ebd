"""For tests of single stages of a run: a plan, a pool with scripted results, and a watcher that records."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, Self

from benchwright.contracts import Extraction, Job, Judgement, Spec
from benchwright.executing.worker import AnswerJudge
from benchwright.records import Answer, Outcome
from benchwright.running.plan import Plan, RunOptions, make_plan
from benchwright.sandbox.untrusted import processor_limit
from benchwright.store.runfolder import RunFolder
from benchwright.tracks.functions.humaneval import TRACK
from kit.small_data import humaneval


class WorkerProgram(NamedTuple):
    """A program that a worker would have executed, and its spec."""

    program: str
    spec: Spec


Decide = Callable[[WorkerProgram], Judgement]


def plan_of(folder: Path, *, tasks: int = 3, **changed: Any) -> Plan:
    """Return a plan for gold answers, with some options changed."""
    options = {"track": "humaneval", "data": str(humaneval(folder, tasks)), "model": "gold:", **changed}
    return make_plan(RunOptions(**options))


def folder_of(plan: Plan, place: Path) -> RunFolder:
    """Open the plan's run folder for writing."""
    return RunFolder.open(place / "run", plan.manifest(), mode="either", clock=lambda: "now")


def judged_as(outcome: str, **more: Any) -> Judgement:
    """Return a judgement."""
    return Judgement(outcome=Outcome(outcome), **more)


def by_text(job: WorkerProgram) -> Judgement:
    """Let a stub raise and everything else pass, as with a sound data set."""
    return judged_as("exception" if "NotImplementedError" in job.program else "passed")


class Pretender:
    """Replaces a pool: reads answers in this process, decides without a worker, and records the programs."""

    size = 1

    def __init__(self, decide: Decide = by_text, *, ahead: int = 1) -> None:
        self._decide, self._ahead = decide, ahead
        self.executed: list[WorkerProgram] = []
        self.taken = 0

    def judge(self, jobs: Iterable[Job]) -> Iterator[tuple[int, Judgement]]:
        """Yield judgements, the last first of each `ahead` jobs: a pool keeps no order."""
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
        spec, task, profile = job.criterion
        assert task is not None
        assert isinstance(job.given, Answer)
        judge = AnswerJudge(TRACK, _Saying(self), reading=processor_limit)  # type: ignore[arg-type]
        return job.number, judge.judge(job.given, task, spec, profile=profile)

    def decide(self, job: WorkerProgram) -> Judgement:
        """Return the scripted result of a program."""
        self.executed.append(job)
        return self._decide(job)


class _Saying:
    """Replaces all judges: compiles the programs that it would have executed, and executes nothing."""

    def __init__(self, pretender: Pretender) -> None:
        self._pretender = pretender

    def of(self, spec: Spec) -> Self:
        return self

    def judge(self, taken: Extraction, spec: Spec) -> Judgement:
        try:
            compile(taken.program, "<solution>", "exec")
        except SyntaxError:
            return judged_as("syntax_error")
        return self._pretender.decide(WorkerProgram(taken.program, spec))


class Listener:
    """A watcher that records its events."""

    def __init__(self) -> None:
        self.heard: list[tuple[Any, ...]] = []

    def begin(self, stage: str, total: int, done: int) -> None:
        """Record it."""
        self.heard.append(("begin", stage, total, done))

    def tick(self, outcome: Outcome | None) -> None:
        """Record it."""
        self.heard.append(("tick", outcome and outcome.value))

    def status(self, text: str) -> None:
        """Record it."""
        self.heard.append(("status", text))

    def end(self) -> None:
        """Record it."""
        self.heard.append(("end",))

    def note(self, text: str) -> None:
        """Record it."""
        self.heard.append(("note", text))


def store(folder: RunFolder, answers: Iterable[Answer]) -> None:
    """Write answers as asking does."""
    with folder.answer_writer() as writer:
        writer.append_all(answers)


def answer(task: int, sample: int = 0, text: str = "    return x\n", **more: Any) -> Answer:
    """Return an answer to one of the small tasks."""
    return Answer(
        key=f"{task:016x}{sample:016x}", task_id=f"Small/{task}", sample=sample, model="m", text=text, **more
    )
