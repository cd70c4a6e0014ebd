"""The stage that judges: answers in, verdicts out; first the harness proves itself on the gold answers and
stubs of the data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from benchwright.contracts import (
    Assessable,
    BatchExecutor,
    Criterion,
    Executor,
    Job,
    Judgement,
    Preparing,
)
from benchwright.display.escape import escaped, escaped_path
from benchwright.errors import PrerequisiteError, SelfCheckError, command_name
from benchwright.progress import Watcher, stage
from benchwright.records import Answer, Outcome, SelfCheck, Task, TaskId, Verdict
from benchwright.running.plan import Plan
from benchwright.running.taking_up import is_judged_by_other_rules
from benchwright.store.key_set import KeySet
from benchwright.store.keys import content_key
from benchwright.store.runfolder import RunFolder
from benchwright.store.writing import read_records

# The stage that judges: answers in, verdicts out, each stored as it is made and none made twice.


def judge_answers(
    plan: Plan, folder: RunFolder, pool: Executor, watch: Watcher, *, profile: str, total: int | None = None
) -> None:
    """Fill the verdicts of a profile. An answer whose verdict is there is not executed again.

    `total` is how many answers there are, where they are not the plan's.
    """
    done = folder.judged_keys(profile)
    name = "verdicts" if profile == plan.profiles[0] else f"verdicts ({profile})"
    total = plan.total if total is None else total
    with stage(watch, name, total=total, done=len(done)), folder.verdict_writer(profile) as writer:
        ready = _prepared(plan, _unjudged(plan, folder, done, profile), watch)
        report = reporter(folder, watch)
        for verdicts in judge_batches(plan, pool, ready, profile=profile, trouble=report):
            writer.append_all(verdicts)
            for verdict in verdicts:
                watch.tick(verdict.outcome)


def _unjudged(plan: Plan, folder: RunFolder, done: KeySet, profile: str) -> Iterator[Answer]:
    for answer in folder.answers():
        if not done or verdict_key(plan, answer.key, profile) not in done:
            yield answer


def _prepared(plan: Plan, answers: Iterable[Answer], watch: Watcher) -> Iterator[Answer]:
    """The answers; before the first of them the track makes what its tasks need on this machine."""
    for number, answer in enumerate(answers):
        if number == 0 and isinstance(plan.track, Preparing):
            plan.track.prepare(plan.tasks.values(), note=watch.note)
        yield answer


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
    for verdicts in judge_batches(plan, pool, answers, profile=profile, trouble=trouble):
        yield from verdicts


def judge_batches(
    plan: Plan, pool: Executor, answers: Iterable[Answer], *, profile: str, trouble: Callable[[str], None]
) -> Iterator[list[Verdict]]:
    """The same, together as they come in, which may be one by one."""
    at_work: dict[int, Answer] = {}
    criteria = _Criteria(plan, profile)

    def jobs() -> Iterator[Job]:
        for number, answer in enumerate(answers):
            at_work[number] = answer
            yield Job(number, answer, criteria.of(answer.task_id), _settled(answer))

    for batch in _batches(pool, jobs()):
        verdicts = []
        for number, judgement in batch:
            if judgement.trouble:
                trouble(judgement.trouble)
            verdicts.append(_weighted(plan, _verdict(plan, at_work.pop(number), judgement, profile)))
        yield verdicts


def _batches(pool: Executor, jobs: Iterator[Job]) -> Iterator[list[tuple[int, Judgement]]]:
    if isinstance(pool, BatchExecutor):
        return pool.judge_batches(jobs)
    return ([one] for one in pool.judge(jobs))


class _Criteria:
    """What the answers to each task are judged by, made once."""

    def __init__(self, plan: Plan, profile: str) -> None:
        self._plan, self._profile = plan, profile
        self._made: dict[TaskId, Criterion] = {}

    def of(self, task_id: TaskId) -> Criterion:
        """That of a task."""
        found = self._made.get(task_id)
        if found is None:
            task = self._plan.tasks[task_id]
            found = Criterion(self._plan.spec(task, self._profile), task, self._profile)
            self._made[task_id] = found
        return found


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
        round=answer.round,
        traceback="" if plan.agent is None or _tells_of_task(plan, judgement) else judgement.traceback,
    )


def _weighted(plan: Plan, verdict: Verdict) -> Verdict:
    """The verdict with the total that the run's own weights give; judges know the track's alone."""
    if not (plan.weights and isinstance(plan.track, Assessable)):
        return verdict
    return plan.track.assessed(plan.tasks[verdict.task_id], verdict, ())


_TOLD = frozenset({"no_code", "syntax_error", "no_entry_point", "sandbox_error", "model_error"})


def _tells_of_task(plan: Plan, judgement: Judgement) -> bool:
    """Whether the reason of a verdict may quote a task whose content is to stay out of the run folder.

    What an answer printed or raised may be its arguments, so only what was said before it ran is kept.
    """
    return plan.withheld and judgement.outcome.value not in _TOLD


# The harness proves itself on the data before it scores: the gold answers pass, the stubs do not.

FILE = "self_check.jsonl"
GOLD, STUB = 0, 1  # the sample numbers of self-check answers
SHOWN = 5


def self_check(plan: Plan, folder: RunFolder, pool: Executor, watch: Watcher) -> SelfCheck:
    """Judge gold and stub of every task by the strict profile, once for each run folder.

    Raises SelfCheckError, naming the tasks, when a gold answer fails or a stub passes, and
    PrerequisiteError when this machine cannot run answers at all.
    """
    if is_judged_by_other_rules(plan, folder):
        (folder.path / FILE).unlink(missing_ok=True)
    known = _known(plan, folder)
    waiting = [answer for answer in _answers(plan) if verdict_key(plan, answer.key, "strict") not in known]
    total = len(known) + len(waiting)
    with stage(watch, "self-check", total=total, done=len(known)), folder.self_check_writer() as writer:
        ready = _prepared(plan, waiting, watch)
        for verdict in judge(plan, pool, ready, profile="strict", trouble=reporter(folder, watch)):
            writer.append(verdict)
            known[verdict.key] = verdict
            watch.tick(verdict.outcome)
            _stop_if_nothing_runs(known)
    check = _conclude(plan, list(known.values()))
    if not check.holds:
        raise SelfCheckError(_complaint(check), hint=_hint(plan, check))
    return check


def _known(plan: Plan, folder: RunFolder) -> dict[str, Verdict]:
    path = folder.path / FILE
    wanted = {verdict_key(plan, answer.key, "strict") for answer in _answers(plan)}
    rows = read_records(path, Verdict, torn="skip") if path.exists() else iter(())
    return {row.key: row for row in rows if row.key in wanted and _is_as_it_should_be(row)}


def _is_as_it_should_be(verdict: Verdict) -> bool:
    """Whether the verdict can be kept. Any other is judged again, since it may be the machine's doing."""
    if verdict.sample == GOLD:
        return _is_good(verdict)
    return not _stub_is_bad(verdict)


def _is_good(verdict: Verdict) -> bool:
    """Whether the rules hold nothing against the answer: it passed, was graded, or is left to a judge."""
    return verdict.outcome in (Outcome.passed, Outcome.scored, Outcome.undecided)


def _stop_if_nothing_runs(known: dict[str, Verdict]) -> None:
    """Do not try a thousand answers on a machine where the first few could not be started."""
    if len(known) == SHOWN and all(row.outcome is Outcome.sandbox_error for row in known.values()):
        detail = next(iter(known.values())).detail
        message = f"no answer can be run on this machine: {detail}"
        raise PrerequisiteError(message, hint=f"{command_name()} doctor")


def _answers(plan: Plan) -> Iterator[Answer]:
    for task in plan.tasks.values():
        for sample, text in ((GOLD, plan.track.gold(task)), (STUB, plan.track.stub(task))):
            if text is not None:
                yield _answer(task, sample, text)


def _answer(task: Task, sample: int, text: str) -> Answer:
    key = content_key("self-check", task.revision, sample, text)
    return Answer(key=key, task_id=task.task_id, sample=sample, model="self-check", text=text)


def _conclude(plan: Plan, verdicts: list[Verdict]) -> SelfCheck:
    gold = [verdict for verdict in verdicts if verdict.sample == GOLD]
    stub = [verdict for verdict in verdicts if verdict.sample == STUB]
    failures = [f"gold of {_said(verdict)}" for verdict in gold if not _is_good(verdict)]
    failures += [f"stub of {_said(verdict)}" for verdict in stub if _stub_is_bad(verdict)]
    return SelfCheck(
        gold_passed=sum(map(_is_good, gold)),
        gold_total=len(gold),
        stub_passed=sum(map(_is_good, stub)),
        stub_total=len(stub),
        failures=failures,
    )


def _stub_is_bad(verdict: Verdict) -> bool:
    return _is_good(verdict) or verdict.outcome.is_missing


def _said(verdict: Verdict) -> str:
    return f"task {verdict.task_id}: {verdict.outcome.value} {verdict.detail}".rstrip()


def _complaint(check: SelfCheck) -> str:
    failures = "".join(f"\n  {line}" for line in check.failures[:SHOWN])
    more = len(check.failures) - SHOWN
    rest = f"\n  and {more} more" if more > 0 else ""
    return (
        f"the self-check does not hold, so no score is given: gold passed {check.gold_passed} of "
        f"{check.gold_total}, stub passed {check.stub_passed} of {check.stub_total}{failures}{rest}"
    )


def _hint(plan: Plan, check: SelfCheck) -> str:
    if all(" sandbox_error" in line for line in check.failures):
        return f"{command_name()} doctor"
    return f"repair these rows of {escaped_path(plan.options.data)}, or leave them out with --exclude TASK"
