"""Findings about tests from the execution of gold, stubs, rewrites and mutants, and their totals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from benchwright.auditing.audit_tasks import AuditTask
from benchwright.auditing.findings import TaskFinding
from benchwright.building.adequacy.examination_records import Examination, MutantResult
from benchwright.building.adequacy.execution_gates import (
    alternatives_gate,
    gold_gate,
    levels_gate,
    stubs_gate,
    wrong_gate,
)
from benchwright.contracts import Subject
from benchwright.errors import PrerequisiteError, UsageError
from benchwright.executing.trials import environment_lock
from benchwright.records import Outcome, Record
from benchwright.sandbox.environments import find_environment
from benchwright.sandbox.limits import Limits
from benchwright.tracks.aicodereval.stand_in_models import unavailable

MORE = 8  # factor of the memory limit in a hint
_NO_MODULE = "ModuleNotFoundError"
_QUESTIONS = (gold_gate, stubs_gate, wrong_gate, levels_gate, alternatives_gate)


class ExecutionTotals(Record, frozen=True, kw_only=True):
    """The number of executions over all tasks, and their outcomes."""

    examined: int = 0  # tasks
    gold_passed: int = 0  # tasks whose gold passed under every variation
    executions: int = 0  # executions of golds
    stubs: int = 0
    stubs_passed: int = 0
    alternatives: int = 0
    mutants: dict[str, int] = {}  # by fate
    witnessed: int = 0  # tasks with a survivor that differs from the gold on some input
    cpu_s: float = 0.0  # of the programs, in the sandbox


class _AuditBounds:
    """The bounds for the execution gates; an audit requires no score."""

    min_mutation_score = 0.0

    def examination(self, candidate: Subject) -> Examination:
        """Not used, since the caller has the examination."""
        raise NotImplementedError(candidate.unit)


def executed_findings(task: AuditTask, found: Examination, limits: Limits) -> Iterator[TaskFinding]:
    """The faults that execution shows, then each place in the gold whose change no test detects.

    `limits` are those of the executions.
    """
    for question in _QUESTIONS:
        decision = question(found, _AuditBounds())
        if decision.reason:
            yield TaskFinding(
                task=task.unit,
                code=_code(found, decision.reason, task.solved.gold),
                detail=decision.detail + _hint(task, found, limits),
                evidence=decision.evidence,
            )
    slow = [name for name, end in found.alternatives.items() if end.outcome is Outcome.timed_out]
    if slow:
        detail = f"{slow[0]}: {found.alternatives[slow[0]].detail}"
        yield TaskFinding(task=task.unit, code="timed_out", detail=detail, evidence={"alternatives": slow})
    for mutant in found.weaknesses:
        if mutant.witness is not None:
            yield _weakness(task, mutant)


def _code(found: Examination, reason: str, gold: str) -> str:
    """The code of a refusal; a refusal that says nothing about the task has another code."""
    if reason == "not_executed":
        return "sandbox_error"
    if reason == "gold_fails" and all(_lacks(each.detail, gold) for each in found.gold):
        return "env_missing"
    return reason


def _lacks(detail: str, gold: str) -> bool:
    """Whether an execution ended because a library or a model is missing."""
    return _NO_MODULE in detail or unavailable(detail, gold) is not None


def _hint(task: AuditTask, found: Examination, limits: Limits) -> str:
    """The memory limit with which a solution may pass that ran out of memory."""
    if all(each.outcome is not Outcome.out_of_memory for each in found.gold):
        return ""
    bare = find_environment(task.solved.spec.environment).is_bare
    limit_mb = (limits.of_bare() if bare else limits).memory_mb
    return f" (it may hold {limit_mb} MiB; hint: --memory {MORE * limit_mb} --out OTHER)"


def _weakness(task: AuditTask, mutant: MutantResult) -> TaskFinding:
    witness = mutant.witness
    assert witness is not None
    return TaskFinding(
        task=task.unit,
        code="weak_beyond" if witness.beyond else "weak_tests",
        detail=f"{witness.call} gives {witness.gold}, and {witness.other} with line {mutant.line} changed; "
        "the tests accept both, and one is wrong",
        place=f"line {mutant.line} of the solution",
        diff=mutant.diff,
        call=witness.call,
        gold=witness.gold,
        other=witness.other,
        evidence={"mutant": mutant.name},
    )


def execution_totals(found: Iterable[Examination]) -> ExecutionTotals:
    """The sums over all examinations."""
    found = list(found)
    fates = Counter(mutant.fate for each in found for mutant in each.mutants)
    return ExecutionTotals(
        examined=len(found),
        gold_passed=sum(not each.gold_fault for each in found),
        executions=sum(len(each.gold) for each in found),
        stubs=sum(len(each.stubs) for each in found),
        stubs_passed=sum(end.passed for each in found for end in each.stubs.values()),
        alternatives=sum(len(each.alternatives) for each in found),
        mutants=dict(sorted(fates.items())),
        witnessed=sum(bool(each.weaknesses) for each in found),
        cpu_s=round(sum(sum(each.cpu_s.values()) for each in found), 1),
    )


def executable(tasks: Sequence[AuditTask]) -> list[AuditTask]:
    """The tasks; a task without its dependency profile has the reason in `lacks`, and is not executed."""
    missing = {name: _missing(name) for name in {task.solved.spec.environment for task in tasks}}
    return [
        task._replace(lacks=why, lacks_code="env_missing")
        if not task.lacks and (why := missing[task.solved.spec.environment])
        else task
        for task in tasks
    ]


def _missing(environment: str) -> str:
    try:
        environment_lock(environment)
    except (PrerequisiteError, UsageError) as error:
        hint = f" (hint: {error.hint})" if error.hint else ""
        return f"its profile {environment} is not available: {error.message}{hint}"
    return ""


def unexecuted(tasks: Sequence[AuditTask]) -> Iterator[TaskFinding]:
    """The tasks that cannot be executed, each with the reason."""
    for task in tasks:
        if task.lacks:
            yield TaskFinding(task=task.unit, code=task.lacks_code, detail=task.lacks)
