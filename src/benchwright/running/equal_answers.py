"""Equal answers to a task are executed once; each keeps its own verdict, which names the executed one."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator
from hashlib import blake2b

import msgspec

from benchwright.contracts import Executor, Job, Judgement, ProgramSpec
from benchwright.records import Answer, Outcome, TaskId
from benchwright.running.judging import batches, status_of

MOST_KEPT = 4096  # judgements; answers usually come task by task
MOST_WAITING = 10_000  # answers that are held until the equal one is judged

_Content = tuple[TaskId, str, bytes]  # task, profile, and digest of what is judged


class EqualAnswersExecutor:
    """An executor that sends the first of equal answers to another one, and copies its judgement.

    It wraps the executor that adds canaries, so no canary is ever taken for an answer that equals it. Memory
    is bounded: beyond both limits, an answer is executed although it equals another one.
    """

    def __init__(self, executor: Executor) -> None:
        self.size, self.status = executor.size, status_of(executor)
        self._executor = executor
        self._known: OrderedDict[_Content, Judgement] = OrderedDict()

    def judge(self, jobs: Iterable[Job]) -> Iterator[tuple[int, Judgement]]:
        """Yield number and judgement of each job once, in any order."""
        for batch in self.judge_batches(jobs):
            yield from batch

    def judge_batches(self, jobs: Iterable[Job]) -> Iterator[list[tuple[int, Judgement]]]:
        """Yield the same in batches."""
        while jobs:
            session = _Session(self._known)
            for batch in batches(self._executor, session.distinct(jobs)):
                yield session.with_copies(batch)
            if copies := session.with_copies([]):
                yield copies
            jobs = session.again


class _Session:
    """One reading of the jobs, with the answers that are held meanwhile."""

    def __init__(self, known: OrderedDict[_Content, Judgement]) -> None:
        self.copies: list[tuple[int, Judgement]] = []  # judgements to return
        self.again: list[Job] = []  # they waited for an answer that the sandbox could not judge
        self._known = known
        self._sent: dict[int, tuple[_Content, int]] = {}  # content and sample, by number of the job
        self._waiting: dict[_Content, list[Job]] = {}
        self._pending = 0  # waiting answers, and copies to return

    def distinct(self, jobs: Iterable[Job]) -> Iterator[Job]:
        """Yield the jobs that must be executed, and hold the others."""
        for job in jobs:
            if not (isinstance(job.given, Answer) and _is_repeatable(job)):
                yield job
                continue
            content = _content(job, job.given)
            if self._may_hold(job, content):
                self._pending += 1
                continue
            if content not in self._waiting:
                self._waiting[content] = []
                self._sent[job.number] = content, job.given.sample
            yield job

    def _may_hold(self, job: Job, content: _Content) -> bool:
        """Hold a job if an equal one was sent before; False if it must be sent itself."""
        if self._pending >= MOST_WAITING:
            return False
        if content in self._known:
            self._known.move_to_end(content)
            self.copies.append((job.number, self._known[content]))
            return True
        if content in self._waiting:
            self._waiting[content].append(job)
            return True
        return False

    def with_copies(self, batch: list[tuple[int, Judgement]]) -> list[tuple[int, Judgement]]:
        """Return a batch with the judgements of answers that equal one of the batch."""
        for number, judgement in batch:
            if number in self._sent:
                self._release(*self._sent.pop(number), judgement)
        copies, self.copies = self.copies, []
        self._pending -= len(copies)
        return [*batch, *copies]

    def _release(self, content: _Content, sample: int, judgement: Judgement) -> None:
        waiting = self._waiting.pop(content)
        if judgement.outcome is Outcome.sandbox_error:
            self._pending -= len(waiting)
            self.again += waiting
            return
        copy = msgspec.structs.replace(judgement, equal_to=sample, trouble="")
        self._known[content] = copy
        if len(self._known) > MOST_KEPT:
            self._known.popitem(last=False)
        self.copies += [(each.number, copy) for each in waiting]


def _is_repeatable(job: Job) -> bool:
    """Whether equal answers are executed under equal conditions, without a library of the task's choice."""
    spec = job.criterion.spec
    is_bare = not isinstance(spec, ProgramSpec) or spec.environment == "bare"
    return spec.repeatable and is_bare and job.settled is None


_NOT_JUDGED = {
    "key": "",
    "sample": 0,
    "seed": None,
    "tokens_in": None,
    "tokens_out": None,
    "batch": "",
    "seconds": None,
    "cached": "",
}


def _content(job: Job, answer: Answer) -> _Content:
    """Identify what is judged: all fields of an answer but those that name it and count its cost."""
    judged = msgspec.json.encode(msgspec.structs.replace(answer, **_NOT_JUDGED))
    return answer.task_id, job.criterion.profile, blake2b(judged, digest_size=16).digest()
