"""The harness proves itself on the data before it scores: the gold answers pass, the stubs do not."""

from __future__ import annotations

from collections.abc import Iterator

from benchwright.contracts import Executor
from benchwright.display.escape import escaped_path
from benchwright.errors import PrerequisiteError, SelfCheckError, command_name
from benchwright.progress import Watcher, stage
from benchwright.records import Answer, Outcome, SelfCheck, Task, Verdict
from benchwright.running.judging import judge, reporter, verdict_key
from benchwright.running.plan import Plan
from benchwright.running.taking_up import is_judged_by_other_rules
from benchwright.store.appending import read_records
from benchwright.store.keys import content_key
from benchwright.store.runfolder import RunFolder

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
        for verdict in judge(plan, pool, waiting, profile="strict", trouble=reporter(folder, watch)):
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
        return verdict.outcome is Outcome.passed
    return not _stub_is_bad(verdict)


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
    failures = [f"gold of {_said(verdict)}" for verdict in gold if verdict.outcome is not Outcome.passed]
    failures += [f"stub of {_said(verdict)}" for verdict in stub if _stub_is_bad(verdict)]
    return SelfCheck(
        gold_passed=sum(verdict.outcome is Outcome.passed for verdict in gold),
        gold_total=len(gold),
        stub_passed=sum(verdict.outcome is Outcome.passed for verdict in stub),
        stub_total=len(stub),
        failures=failures,
    )


def _stub_is_bad(verdict: Verdict) -> bool:
    return verdict.outcome is Outcome.passed or verdict.outcome.is_missing


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
