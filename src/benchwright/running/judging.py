"""The stage that judges: turns answers into verdicts, each stored at once and none made twice.

Canaries, which are reference and stub answers, are judged among the first answers in the same queue, and
prove the sandbox of the run. No judgement leaves before all canaries have ended as they must. So no verdict
of a sandbox that judges wrongly is stored, and a killed run judges again at most the answers that were held
back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from random import SystemRandom
from typing import TypeVar

from benchwright.contracts import (
    ENV_MISSING,
    AssessableTrack,
    BatchExecutor,
    Criterion,
    Executor,
    Job,
    Judgement,
    ReportingExecutor,
    with_defaults,
)
from benchwright.display.escape import escaped
from benchwright.progress import Watcher, stage
from benchwright.records import Answer, Outcome, TaskId, Verdict
from benchwright.running.plan import Plan
from benchwright.store.keys import KeySet
from benchwright.store.runfolder import RunFolder


def judge_answers(
    plan: Plan, folder: RunFolder, pool: Executor, watch: Watcher, *, profile: str, total: int | None = None
) -> None:
    """Add the missing verdicts of a profile to the folder.

    `total` is the number of answers, where it is not the plan's.
    """
    done = folder.judged_keys(profile, but=lacked_environment if plan.options.repositories else None)
    name = "verdicts" if profile == plan.profiles[0] else f"verdicts ({profile})"
    total = plan.total if total is None else total
    with stage(watch, name, total=total, done=len(done)), folder.verdict_writer(profile) as writer:
        ready = prepare_tasks(plan, _answers_to_judge(plan, folder, done, profile), watch)
        report, status = reporter(folder, watch), status_of(pool)
        for verdicts in judge_batches(plan, pool, ready, profile=profile, trouble=report):
            writer.append_all(verdicts)
            if text := status():
                watch.status(text)
            for verdict in verdicts:
                watch.tick(verdict.outcome)


def lacked_environment(verdict: Verdict) -> bool:
    """Whether an answer was not judged because its environment was missing, which clones may now supply."""
    return verdict.outcome is Outcome.undecided and verdict.detail.startswith(ENV_MISSING)


def _answers_to_judge(plan: Plan, folder: RunFolder, done: KeySet, profile: str) -> Iterator[Answer]:
    for answer in folder.answers():
        if not done or (verdict_key(plan, answer.key, profile), answer.task_id) not in done:
            yield answer


def prepare_tasks(plan: Plan, answers: Iterable[Answer], watch: Watcher) -> Iterator[Answer]:
    """Yield the answers. Before the first one, the track prepares what its tasks need on this machine."""
    for number, answer in enumerate(answers):
        if number == 0:
            with_defaults(plan.track).prepare(plan.tasks.values(), note=watch.note)
        yield answer


def verdict_key(plan: Plan, answer_key: str, profile: str) -> str:
    """Return the key of an answer combined with everything else that decides its verdict."""
    return plan.verdict_key(answer_key, profile)


def reporter(folder: RunFolder, watch: Watcher) -> Callable[[str], None]:
    """Return a callback that records and shows each restart of the sandbox."""

    def report(text: str) -> None:
        folder.event("sandbox_retry", why=text)
        watch.note(f"sandbox restarted: {text}")

    return report


def judge(
    plan: Plan, pool: Executor, answers: Iterable[Answer], *, profile: str, trouble: Callable[[str], None]
) -> Iterator[Verdict]:
    """Yield a verdict for each answer, in the order they finish. Holds only the answers in progress.

    `trouble` receives each failure of the sandbox from which another attempt recovered.
    """
    for verdicts in judge_batches(plan, pool, answers, profile=profile, trouble=trouble):
        yield from verdicts


def judge_batches(
    plan: Plan, pool: Executor, answers: Iterable[Answer], *, profile: str, trouble: Callable[[str], None]
) -> Iterator[list[Verdict]]:
    """Yield the same in batches, as the executor returns them."""
    at_work: dict[int, Answer] = {}
    criteria = _Criteria(plan, profile)

    def jobs() -> Iterator[Job]:
        for number, answer in enumerate(answers):
            at_work[number] = answer
            yield Job(number, answer, criteria.of(answer), _missing_judgement(answer))

    for batch in batches(pool, jobs()):
        verdicts = []
        for number, judgement in batch:
            if judgement.trouble:
                trouble(judgement.trouble)
            verdicts.append(verdict_on(plan, at_work.pop(number), judgement, profile))
        yield verdicts


def batches(pool: Executor, jobs: Iterable[Job]) -> Iterator[list[tuple[int, Judgement]]]:
    """Yield the batches of an executor; batches of one from an executor that has none."""
    if isinstance(pool, BatchExecutor):
        return pool.judge_batches(jobs)
    return ([one] for one in pool.judge(jobs))


def status_of(pool: Executor) -> Callable[[], str]:
    """Return a callable that returns what an executor reports about its machines; empty for most."""
    return pool.status if isinstance(pool, ReportingExecutor) else str


class _Criteria:
    """The criteria of all tasks, each made once."""

    def __init__(self, plan: Plan, profile: str) -> None:
        self._plan, self._profile = plan, profile
        self._criteria: dict[TaskId, Criterion] = {}

    def of(self, answer: Answer) -> Criterion:
        """Return the criterion of an answer."""
        found = self._criteria.get(answer.task_id)
        if found is None:
            found = self._criteria[answer.task_id] = criterion_of(self._plan, answer, self._profile)
        return found


def criterion_of(plan: Plan, answer: Answer, profile: str) -> Criterion:
    """Return the criterion that judges an answer."""
    task = plan.tasks[answer.task_id]
    return Criterion(plan.spec(task, profile), task, profile)


def verdict_on(plan: Plan, answer: Answer, judgement: Judgement, profile: str) -> Verdict:
    """Return the verdict of a judgement, without parts that may reveal a withheld task."""
    return _with_run_weights(plan, _verdict(plan, answer, judgement, profile))


def _missing_judgement(answer: Answer) -> Judgement | None:
    """Return the judgement of an answer that is missing because the request failed."""
    if answer.error is None:
        return None
    return Judgement(outcome=Outcome.model_error, detail=escaped(answer.error))


def _verdict(plan: Plan, answer: Answer, judgement: Judgement, profile: str) -> Verdict:
    is_kept = not _tells_of_task(plan, judgement)
    return Verdict(
        key=verdict_key(plan, answer.key, profile),
        task_id=answer.task_id,
        sample=answer.sample,
        profile=profile,
        outcome=judgement.outcome,
        isolation=judgement.isolation,
        cpu_s=judgement.cpu_s,
        wall_s=judgement.wall_s,
        detail=judgement.detail if is_kept else "",
        stdout=judgement.stdout if is_kept else "",
        rule=judgement.rule,
        truncated=judgement.truncated,
        suspicious=judgement.suspicious,
        scores=judgement.scores,
        parts=judgement.parts if is_kept else {},
        round=answer.round,
        traceback=judgement.traceback if is_kept and plan.agent is not None else "",
        equal_to=judgement.equal_to,
    )


def _with_run_weights(plan: Plan, verdict: Verdict) -> Verdict:
    """Return the verdict with the total by the run's own weights; judges know the track's weights only."""
    if not (plan.weights and isinstance(plan.track, AssessableTrack)):
        return verdict
    return plan.track.assessed(plan.tasks[verdict.task_id], verdict, ())


_TOLD = frozenset({"no_code", "syntax_error", "no_entry_point", "sandbox_error", "model_error"})


def _tells_of_task(plan: Plan, judgement: Judgement) -> bool:
    """Whether the reason of a verdict may quote a task that must stay out of the run folder.

    Output and exceptions of an answer may contain its arguments, so only text from before its execution is
    kept.
    """
    return plan.withheld and judgement.outcome.value not in _TOLD


AMONG = 64  # the first answers of a run, among which they are
EACH = 4  # gold answers, and stubs
_RANDOM = SystemRandom()  # draws must not be predictable
T = TypeVar("T")


def drawn(items: Sequence[T], most: int = EACH) -> list[T]:
    """Return `most` items drawn at random without replacement; all items where there are fewer."""
    return _RANDOM.sample(items, min(most, len(items)))


class CanaryExecutor:
    """An executor that mixes canaries into its first jobs, once.

    `canaries` returns their jobs, made to look like the first job. `ended` receives the judgement of each
    canary with the number of its job, and raises for a wrong one. Jobs get new numbers, so their judge cannot
    recognize canaries.
    """

    def __init__(
        self,
        executor: Executor,
        canaries: Callable[[Answer | str], Iterable[Job]],
        ended: Callable[[int, Judgement], None],
    ) -> None:
        self.size, self.status = executor.size, status_of(executor)
        self._executor, self._canaries, self._ended = executor, canaries, ended
        self._is_done = False

    def judge(self, jobs: Iterable[Job]) -> Iterator[tuple[int, Judgement]]:
        """Yield number and judgement of each job that is not a canary, as they finish."""
        for batch in self.judge_batches(jobs):
            yield from batch

    def judge_batches(self, jobs: Iterable[Job]) -> Iterator[list[tuple[int, Judgement]]]:
        """Yield the same in batches."""
        jobs = iter(jobs)
        first = [] if self._is_done else list(islice(jobs, AMONG))
        if not first:
            yield from batches(self._executor, jobs)
            return
        canaries, self._is_done = list(self._canaries(first[0].given)), True
        all_jobs = chain(_mix(first, canaries), ((False, job) for job in jobs))
        yield from self._hold_until_proved(all_jobs, len(canaries))

    def _hold_until_proved(
        self, all_jobs: Iterable[tuple[bool, Job]], open_canaries: int
    ) -> Iterator[list[tuple[int, Judgement]]]:
        running_jobs: dict[int, tuple[bool, int]] = {}

        def numbered() -> Iterator[Job]:
            for number, (is_canary, job) in enumerate(all_jobs):
                running_jobs[number] = is_canary, job.number
                yield job._replace(number=number)

        pending: list[tuple[int, Judgement]] = []
        for batch in batches(self._executor, numbered()):
            for number, judgement in batch:
                is_canary, own = running_jobs.pop(number)
                if is_canary:
                    self._ended(own, judgement)
                    open_canaries -= 1
                else:
                    pending.append((own, judgement))
            if pending and not open_canaries:
                yield pending
                pending = []


def _mix(jobs: Sequence[Job], canaries: Sequence[Job]) -> Iterator[tuple[bool, Job]]:
    """Yield both in one random order; each kind keeps its own order."""
    places = set(_RANDOM.sample(range(len(jobs) + len(canaries)), len(canaries)))
    ordinary, planted = iter(jobs), iter(canaries)
    for place in range(len(jobs) + len(canaries)):
        yield (True, next(planted)) if place in places else (False, next(ordinary))
