"""What executing a task's gold, stubs, rewrites and mutants says of its tests, as findings and as totals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from benchwright.auditing.findings import TaskFinding
from benchwright.auditing.tasks import AuditTask, proposed_test
from benchwright.building.adequacy.gates import (
    alternatives_gate,
    gold_gate,
    levels_gate,
    stubs_gate,
    wrong_gate,
)
from benchwright.building.adequacy.nouns import Examination, Mutated
from benchwright.contracts import Subject
from benchwright.records import Record

_QUESTIONS = (gold_gate, stubs_gate, wrong_gate, levels_gate, alternatives_gate)


class Totals(Record, frozen=True, kw_only=True):
    """What was executed for all tasks together, and how it ended."""

    examined: int = 0  # tasks
    gold_passed: int = 0  # tasks whose gold passed under every variation
    executions: int = 0  # of golds
    stubs: int = 0
    stubs_passed: int = 0
    alternatives: int = 0
    mutants: dict[str, int] = {}  # by fate
    witnessed: int = 0  # tasks with a survivor that differs from the gold on some input
    cpu_s: float = 0.0  # of the programs, in the sandbox


class _Bounds:
    """What the questions may ask beside the examination: no score is wanted here."""

    min_mutation_score = 0.0

    def examination(self, candidate: Subject) -> Examination:
        """Never asked for: the examination is at hand."""
        raise NotImplementedError(candidate.unit)


def executed_findings(task: AuditTask, found: Examination) -> Iterator[TaskFinding]:
    """The faults that execution shows, then each place in the gold whose change the tests do not notice."""
    for question in _QUESTIONS:
        decision = question(found, _Bounds())
        if decision.reason:
            code = "sandbox_error" if decision.reason == "not_executed" else decision.reason
            yield TaskFinding(task=task.unit, code=code, detail=decision.detail, evidence=decision.evidence)
    for mutant in found.weaknesses:
        if mutant.witness is not None:
            yield _weakness(task, mutant)


def _weakness(task: AuditTask, mutant: Mutated) -> TaskFinding:
    witness = mutant.witness
    assert witness is not None
    return TaskFinding(
        task=task.unit,
        code="weak_beyond" if witness.beyond else "weak_tests",
        detail=f"{witness.call} gives {witness.gold}, and {witness.other} with line {mutant.line} changed",
        place=f"line {mutant.line} of the solution",
        diff=mutant.diff,
        call=witness.call,
        gold=witness.gold,
        other=witness.other,
        test=proposed_test(task, witness.call, witness.gold),
        evidence={"mutant": mutant.name},
    )


def totals(found: Iterable[Examination]) -> Totals:
    """The sums over all examinations."""
    found = list(found)
    fates = Counter(mutant.fate for each in found for mutant in each.mutants)
    return Totals(
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


def unexecuted(tasks: Sequence[AuditTask]) -> Iterator[TaskFinding]:
    """The tasks that nothing can be executed for, each with the reason."""
    for task in tasks:
        if task.lacks:
            yield TaskFinding(task=task.unit, code="not_executed", detail=task.lacks)
