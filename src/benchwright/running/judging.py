"""The stage that judges: answers in, verdicts out, each stored as it is made and none made twice."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from benchwright.contracts import Criterion, Executor, Job, Judgement
from benchwright.display.escape import escaped
from benchwright.progress import Watcher, stage
from benchwright.records import Answer, Outcome, TaskId, Verdict
from benchwright.running.plan import Plan
from benchwright.store.keys import compact
from benchwright.store.runfolder import RunFolder


def judge_answers(plan: Plan, folder: RunFolder, pool: Executor, watch: Watcher, *, profile: str) -> None:
    """Fill the verdicts of a profile. An answer whose verdict is there is not executed again."""
    done = folder.judged_keys(profile)
    name = "verdicts" if profile == plan.profiles[0] else f"verdicts ({profile})"
    with stage(watch, name, total=plan.total, done=len(done)), folder.verdict_writer(profile) as writer:
        waiting = (
            answer
            for answer in folder.answers()
            if compact(verdict_key(plan, answer.key, profile)) not in done
        )
        for verdict in judge(plan, pool, waiting, profile=profile, trouble=reporter(folder, watch)):
            writer.append(verdict)
            watch.tick(verdict.outcome)


def verdict_key(plan: Plan, answer_key: str, profile: str) -> str:
    """The answer's key with all else that decides its verdict."""
    return plan.verdict_key(answer_key, profile)


def reporter(folder: RunFolder, watch: Watcher) -> Callable[[str], None]:
    """Remember and show that the sandbox had to be started anew."""

    def report(text: str) -> None:
        folder.event("sandbox_retry", why=text)
        watch.note(f"the sandbox was started anew: {text}")

    return report


def judge(
    plan: Plan, pool: Executor, answers: Iterable[Answer], *, profile: str, trouble: Callable[[str], None]
) -> Iterator[Verdict]:
    """A verdict for each answer, in the order they are done. Holds only the answers at work.

    `trouble` is told of each failure of the sandbox that another attempt got over.
    """
    at_work: dict[int, Answer] = {}
    criteria: dict[TaskId, Criterion] = {}

    def jobs() -> Iterator[Job]:
        for number, answer in enumerate(answers):
            at_work[number] = answer
            criterion = criteria.get(answer.task_id)
            if criterion is None:
                task = plan.tasks[answer.task_id]
                criterion = Criterion(plan.spec(task, profile), task, profile)
                criteria[answer.task_id] = criterion
            yield Job(number, answer, criterion, _settled(answer))

    for number, judgement in pool.judge(jobs()):
        answer = at_work.pop(number)
        if judgement.trouble:
            trouble(judgement.trouble)
        yield _verdict(plan, answer, judgement, profile)


def _settled(answer: Answer) -> Judgement | None:
    """The judgement of an answer that the model did not give."""
    if answer.error is None:
        return None
    return Judgement(outcome=Outcome.model_error, detail=escaped(answer.error))


def _verdict(plan: Plan, answer: Answer, judgement: Judgement, profile: str) -> Verdict:
    return Verdict(
        key=verdict_key(plan, answer.key, profile),
        task_id=answer.task_id,
        sample=answer.sample,
        profile=profile,
        outcome=judgement.outcome,
        isolation=judgement.isolation,
        cpu_s=judgement.cpu_s,
        wall_s=judgement.wall_s,
        detail="" if _tells_of_task(plan, judgement) else judgement.detail,
        stdout="" if _tells_of_task(plan, judgement) else judgement.stdout,
        rule=judgement.rule,
        truncated=judgement.truncated,
        suspicious=judgement.suspicious,
        scores=judgement.scores,
        parts={} if _tells_of_task(plan, judgement) else judgement.parts,
    )


_TOLD = frozenset({"no_code", "syntax_error", "no_entry_point", "sandbox_error", "model_error"})


def _tells_of_task(plan: Plan, judgement: Judgement) -> bool:
    """Whether the reason of a verdict may quote a task whose content is to stay out of the run folder.

    What an answer printed or raised may be its arguments, so only what was said before it ran is kept.
    """
    return plan.withheld and judgement.outcome.value not in _TOLD
