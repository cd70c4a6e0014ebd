"""The votes of accepted answers on weak tests: do most agree with the gold or with the mutated gold?

A mutant that the tests accept and that differs from the gold is not always wrong. If most accepted answers
give the mutant's value, the gold is probably wrong. If most give the gold's value, a test for it is proposed.
Otherwise nothing is proposed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec

from benchwright.auditing.agreement import likely_wrong
from benchwright.auditing.answers import LIMIT_S, StoredAnswers, accepted_programs
from benchwright.auditing.findings import TaskFinding
from benchwright.auditing.tasks import AuditTask, proposed_test
from benchwright.building.adequacy.inputs import Arguments
from benchwright.building.adequacy.witnesses import Grown, Reply, is_different, replies, witness_of
from benchwright.executing.trials import Trials
from benchwright.text.syntax import ParseFault, parse_expression
from benchwright.tracks.fold import NotConstant, fold

_ASKED = ("weak_tests", "weak_beyond")


class _OpenFinding(NamedTuple):
    """A finding with a readable call, and the number of accepted answers on each side."""

    at: int  # of the finding
    call: Arguments


def with_majorities(
    findings: Sequence[TaskFinding], tasks: Sequence[AuditTask], stored: StoredAnswers, trials: Trials
) -> list[TaskFinding]:
    """The findings; those about a mutated gold with the votes of the accepted answers to their task."""
    known = {task.unit: task for task in tasks if task.unit in stored.programs}
    asked: dict[str, list[_OpenFinding]] = {}
    for at, each in enumerate(findings):
        if each.code in _ASKED and each.task in known and (call := _arguments(each.call)) is not None:
            asked.setdefault(each.task, []).append(_OpenFinding(at, call))
    found = list(findings)
    for unit, given in _given(asked, known, stored, trials).items():
        gold, *answers = given
        for number, question in enumerate(asked[unit]):
            ends = [each[number] for each in answers if len(each) > number]
            if len(gold) > number and gold[number][0] == "value" and ends:
                found[question.at] = _with_verdict(
                    known[unit], findings[question.at], question, gold[number], ends
                )
    return found


def _arguments(call: str) -> Arguments | None:
    """The arguments of a call in a counterexample; None if one is not a constant."""
    tree = parse_expression(call)
    if isinstance(tree, ParseFault) or not isinstance(tree, ast.Call):
        return None
    try:
        args = tuple(fold(each) for each in tree.args)
        return Arguments(args, {each.arg: fold(each.value) for each in tree.keywords if each.arg})
    except NotConstant:
        return None


def _given(
    asked: Mapping[str, Sequence[_OpenFinding]],
    tasks: Mapping[str, AuditTask],
    stored: StoredAnswers,
    trials: Trials,
) -> dict[str, list[list[Reply]]]:
    """The replies of the gold and then of each accepted answer to the calls of each task."""
    wanted = []
    for unit, questions in asked.items():
        task = tasks[unit]
        grown = Grown(task.solved, [each.call for each in questions], [])
        programs = [task.solved.gold, *accepted_programs(task, stored)]
        wanted += [(unit, (grown, program, LIMIT_S)) for program in programs]
    found: dict[str, list[list[Reply]]] = {}
    for (unit, _), reply in zip(wanted, replies(trials, [each for _, each in wanted]), strict=True):
        found.setdefault(unit, []).append(reply)
    return found


def _with_verdict(
    task: AuditTask, finding: TaskFinding, question: _OpenFinding, gold: Reply, ends: Sequence[Reply]
) -> TaskFinding:
    as_gold = sum(not is_different(gold[1], each) for each in ends)
    shown = [witness_of(task.solved, question.call, gold[1], each).other for each in ends]
    as_change = sum(_kind(each) == _kind(finding.other) for each in shown) if finding.other else 0
    likely = {"gold": "gold", "other": "change", "": ""}[likely_wrong(as_gold, as_change, len(ends))]
    evidence = {"passing": len(ends), "as_gold": as_gold, "as_change": as_change, "likely_wrong": likely}
    is_proposed = likely == "change" and finding.code == "weak_tests"
    return msgspec.structs.replace(
        finding,
        detail=finding.detail + "".join(_said(likely, as_gold, as_change, len(ends))),
        test=proposed_test(task, finding.call, finding.gold) if is_proposed else "",
        evidence={**finding.evidence, **evidence},
    )


def _kind(shown: str) -> str:
    """The comparison key: a value, or an exception without its message."""
    return shown.partition(":")[0] if shown.startswith("raises ") else shown


def _said(likely: str, as_gold: int, as_change: int, passing: int) -> Iterator[str]:
    if likely == "gold":
        yield f"; likely the gold is, as {as_change} of {passing} accepted answers give the other value"
    elif likely == "change":
        yield f"; {as_gold} of {passing} accepted answers are with the gold"
