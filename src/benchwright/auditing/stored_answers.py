"""Stored answers as further programs, and what the accepted ones say about weak tests.

Reported are programs that pass but differ from the canonical solution, failing programs that agree with each
other, and whether most accepted programs agree with the canonical or with the mutated solution.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from benchwright.auditing.agreement import agreeing, is_agreement, is_same, likely_wrong
from benchwright.auditing.audit_tasks import AuditTask, proposed_test
from benchwright.auditing.findings import TaskFinding
from benchwright.building.adequacy.counterexamples import (
    GeneratedInputs,
    InputLimits,
    Reply,
    counterexample_of,
    find_counterexample,
    is_different,
    reference_inputs,
    replies,
)
from benchwright.building.adequacy.examination_records import Counterexample
from benchwright.building.adequacy.generated_inputs import Arguments, calls_of_tests
from benchwright.building.adequacy.trial_programs import diff
from benchwright.contracts import Track
from benchwright.display.escape import escaped_path
from benchwright.errors import UsageError
from benchwright.executing.trials import Trials
from benchwright.records import Answer, Outcome, Task, Verdict
from benchwright.running.run_data import data_by_hash, data_of, open_run
from benchwright.sandbox.untrusted import READ_CPU_S, CpuTimeExceeded, processor_limit
from benchwright.store.runfolder import RunFolder
from benchwright.store.writing import read_records
from benchwright.text.syntax import ParseFault, parse, parse_expression, writes_long_integer
from benchwright.tracks.constant_folding import NotConstant, fold

INPUTS = 32  # generated calls for each task
LIMIT_S = 1.0  # processor seconds of one program for all of them
MOST = 40  # distinct programs of a task to compare
_FAILED = (Outcome.wrong, Outcome.exception)


class StoredProgram(NamedTuple):
    """A program of answers; answers that differ only in layout and comments share one."""

    program: str
    passed: bool
    source: str  # the first answer that gave it: "RUN, sample 3"


class StoredAnswers(NamedTuple):
    """The programs of each task by name, and the number of answers that belong to no task."""

    programs: dict[str, list[StoredProgram]]
    answers: int
    unfit: int


def read_answers(runs: Iterable[str | Path], tasks: Sequence[AuditTask], data: str | Path) -> StoredAnswers:
    """The programs in run folders on this data set. Raises UsageError for a run on another one."""
    known = {task.unit: task for task in tasks}
    found: dict[str, dict[str, StoredProgram]] = {}
    answers = unfit = 0
    for run in runs:
        fitting = 0
        for answer, verdict, task, track in _verdicts_of(open_run(run), data):
            answers += 1
            audited = known.get(str(task.task_id)) if task else None
            if task is None or audited is None or audited.solved.revision != task.revision:
                unfit += 1
                continue
            fitting += 1
            if (program := _program(track, task, answer, verdict)) is not None:
                source = f"{escaped_path(run)}, sample {answer.sample}"
                each = StoredProgram(program, verdict.outcome is Outcome.passed, source)
                found.setdefault(audited.unit, {}).setdefault(_form(program), each)
        if not fitting:
            message = f"--answers {escaped_path(run)}: none of its answers belongs to a task of this data set"
            raise UsageError(message, hint="give a run on the audited data set")
    programs = {unit: list(each.values())[:MOST] for unit, each in found.items()}
    return StoredAnswers(programs, answers, unfit)


def _verdicts_of(folder: RunFolder, data: str | Path) -> Iterator[tuple[Answer, Verdict, Task | None, Track]]:
    """The answers of a run that have a verdict, each with its task."""
    source = data_of(folder, data_by_hash([data]))
    if not source.track.executes:
        message = f"--answers {escaped_path(folder.path)}: its answers are labels, not programs"
        raise UsageError(message, hint="give a run whose answers are programs")
    tasks: Mapping[Any, Task] = source.tasks()
    verdicts = {(each.task_id, each.sample): each for each in read_records(folder.verdicts_path(""), Verdict)}
    for answer in read_records(folder.answers_path, Answer, torn="skip"):
        verdict = verdicts.get((answer.task_id, answer.sample))
        if verdict is not None:
            yield answer, verdict, tasks.get(answer.task_id), source.track


def _program(track: Track, task: Task, answer: Answer, verdict: Verdict) -> str | None:
    """The program of an answer that passed or was wrong; None for any other outcome."""
    if verdict.outcome is not Outcome.passed and verdict.outcome not in _FAILED:
        return None
    try:
        with processor_limit(READ_CPU_S):
            extraction = track.extract(task, answer, profile=verdict.profile)
    except CpuTimeExceeded:
        return None
    return extraction.program if extraction.problem is None else None


def _form(program: str) -> str:
    """The syntax of a program without its docstrings, equal for programs that differ in layout alone."""
    tree = parse(program)
    if isinstance(tree, ParseFault) or writes_long_integer(program):
        return program
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module) and ast.get_docstring(
            node, clean=False
        ):
            node.body = node.body[1:]
    return ast.dump(tree)


def answer_findings(
    tasks: Sequence[AuditTask], stored: StoredAnswers, trials: Trials
) -> Iterator[TaskFinding]:
    """The findings of stored answers about the tests of tasks whose gold passes."""
    answered_tasks = [task for task in tasks if task.unit in stored.programs]
    limits = [InputLimits(LIMIT_S)] * len(answered_tasks)
    grown = reference_inputs([task.solved for task in answered_tasks], trials, inputs=INPUTS, limits=limits)
    known = [_with_own(task, each, trials) for task, each in zip(answered_tasks, grown, strict=True)]
    programs = [
        (at, each, program)
        for at, (task, each) in enumerate(zip(answered_tasks, known, strict=True))
        if each.calls
        for program in _others(task, stored.programs[task.unit])
    ]
    given = replies(trials, [(each, program.program, LIMIT_S) for _, each, program in programs])
    by_task: dict[int, list[tuple[StoredProgram, list[Reply]]]] = {}
    for (at, _, program), reply in zip(programs, given, strict=True):
        by_task.setdefault(at, []).append((program, reply))
    for at, ended in by_task.items():
        yield from _weak(answered_tasks[at], known[at], ended)
        yield from _narrow(answered_tasks[at], known[at], ended)


def _others(task: AuditTask, programs: Sequence[StoredProgram]) -> Iterator[StoredProgram]:
    """All programs except the gold."""
    gold = _form(task.solved.gold)
    return (each for each in programs if _form(each.program) != gold)


def accepted_programs(task: AuditTask, stored: StoredAnswers) -> list[str]:
    """The stored programs that pass, without the gold."""
    return [each.program for each in _others(task, stored.programs[task.unit]) if each.passed]


def _with_own(task: AuditTask, grown: GeneratedInputs, trials: Trials) -> GeneratedInputs:
    """The calls of the tests, then the generated ones, each with the value of the gold."""
    own = GeneratedInputs(grown.task, calls_of_tests(grown.task.spec), [])
    [given] = replies(trials, [(own, grown.task.gold, LIMIT_S)]) if own.calls else [[]]
    valued = [
        (call, payload) for call, (kind, payload) in zip(own.calls, given, strict=False) if kind == "value"
    ]
    return GeneratedInputs(
        grown.task,
        [*(call for call, _ in valued), *grown.calls],
        [*(value for _, value in valued), *grown.gold],
    )


ProgramReplySets = Sequence[tuple[StoredProgram, list[Reply]]]


class _DisputedAnswer(NamedTuple):
    """An accepted answer, a call on which the gold differs, and the accepted answers on each side."""

    program: StoredProgram
    witness: Counterexample
    as_gold: int
    as_answer: int


def _weak(task: AuditTask, grown: GeneratedInputs, ended: ProgramReplySets) -> Iterator[TaskFinding]:
    """Programs that pass and differ from the gold: one question within the test range, else one beyond.

    Execution cannot decide whether the gold or the answer is right, so neither is proposed as a test.
    """
    passing = [each for each in ended if each[0].passed]
    within = [found for each in passing if (found := _doubt(grown, each, passing, beyond=False))]
    differing = within or [found for each in passing if (found := _doubt(grown, each, passing, beyond=True))]
    if not differing:
        return
    doubt = min(differing, key=lambda each: (-each.as_answer, len(_diff(task, each.program))))
    program, witness = doubt.program, doubt.witness
    likely, why = _likely_wrong(doubt, len(passing))
    yield TaskFinding(
        task=task.unit,
        code="answer_differs" if within else "answer_differs_beyond",
        detail=f"gold and answer differ: one of them is wrong. {witness.call} gives {witness.gold} "
        f"by the gold, {witness.other} by {program.source}, which passes{why}",
        place=program.source,
        diff=_diff(task, program),
        call=witness.call,
        gold=witness.gold,
        other=witness.other,
        evidence={
            "programs": len(differing),
            "passing": len(passing),
            "as_gold": doubt.as_gold,
            "as_answer": doubt.as_answer,
            "likely_wrong": likely,
        },
    )


def _doubt(
    grown: GeneratedInputs,
    each: tuple[StoredProgram, list[Reply]],
    passing: ProgramReplySets,
    *,
    beyond: bool,
) -> _DisputedAnswer | None:
    """The first call on which an accepted answer differs from the gold, or None.

    Within the test range another value is required: an exception may be part of the contract.
    """
    program, given = each
    for at, (call, gold, reply) in enumerate(zip(grown.calls, grown.gold, given, strict=False)):
        if (beyond or (not call.beyond and reply[0] == "value")) and is_different(gold, reply):
            others = [replies[at] for _, replies in passing if len(replies) > at]
            return _DisputedAnswer(
                program,
                counterexample_of(grown.task, call, gold, reply),
                as_gold=sum(not is_different(gold, other) for other in others),
                as_answer=sum(is_same(reply, other) for other in others),
            )
    return None


def _likely_wrong(doubt: _DisputedAnswer, passing: int) -> tuple[str, str]:
    """The side that most accepted answers contradict, "gold" or "answer", and a sentence about it."""
    side = likely_wrong(doubt.as_gold, doubt.as_answer, passing)
    if side == "gold":
        return "gold", f"; likely the gold is, as {doubt.as_answer} of {passing} accepted answers give this"
    if side == "other":
        words = f"; likely the answer is, as {doubt.as_gold} of {passing} accepted answers are with the gold"
        return "answer", words
    return "", ""


def _narrow(task: AuditTask, grown: GeneratedInputs, ended: ProgramReplySets) -> Iterator[TaskFinding]:
    """Programs that fail and agree with each other, if their agreement is meaningful."""
    passing = sum(program.passed for program, _ in ended)
    group = agreeing([each for each in ended if not each[0].passed], grown)
    if not group:
        return
    why = is_agreement(group[0][1], grown, agreeing=len(group), passing=passing)
    witness = find_counterexample(grown, group[0][1])
    if not why or witness is None:
        return
    program = min((each for each, _ in group), key=lambda each: len(_diff(task, each)))
    yield TaskFinding(
        task=task.unit,
        code="right_answers_fail",
        detail=f"{len(group)} different programs fail and agree on {len(grown.calls)} calls: {why}",
        place=program.source,
        diff=_diff(task, program),
        call=witness.call,
        gold=witness.gold,
        other=witness.other,
        evidence={"agreeing": len(group), "passing": passing, "calls": len(grown.calls)},
    )


def _diff(task: AuditTask, program: StoredProgram) -> str:
    return diff(task.solved.gold, program.program)


_QUESTION_CODES = ("weak_tests", "weak_beyond")


class _OpenFinding(NamedTuple):
    """A finding with a readable call, and the number of accepted answers on each side."""

    at: int  # of the finding
    call: Arguments


def with_majorities(
    findings: Sequence[TaskFinding], tasks: Sequence[AuditTask], stored: StoredAnswers, trials: Trials
) -> list[TaskFinding]:
    """The findings; those about a mutated gold with the votes of the accepted answers to their task."""
    known = {task.unit: task for task in tasks if task.unit in stored.programs}
    open_findings: dict[str, list[_OpenFinding]] = {}
    for at, each in enumerate(findings):
        if (
            each.code in _QUESTION_CODES
            and each.task in known
            and (call := _arguments(each.call)) is not None
        ):
            open_findings.setdefault(each.task, []).append(_OpenFinding(at, call))
    found = list(findings)
    for unit, given in _replies(open_findings, known, stored, trials).items():
        gold, *answers = given
        for number, question in enumerate(open_findings[unit]):
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


def _replies(
    open_findings: Mapping[str, Sequence[_OpenFinding]],
    tasks: Mapping[str, AuditTask],
    stored: StoredAnswers,
    trials: Trials,
) -> dict[str, list[list[Reply]]]:
    """The replies of the gold and then of each accepted answer to the calls of each task."""
    wanted = []
    for unit, questions in open_findings.items():
        task = tasks[unit]
        grown = GeneratedInputs(task.solved, [each.call for each in questions], [])
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
    results = [counterexample_of(task.solved, question.call, gold[1], each).other for each in ends]
    as_change = sum(_kind(each) == _kind(finding.other) for each in results) if finding.other else 0
    likely = {"gold": "gold", "other": "change", "": ""}[likely_wrong(as_gold, as_change, len(ends))]
    evidence = {"passing": len(ends), "as_gold": as_gold, "as_change": as_change, "likely_wrong": likely}
    is_proposed = likely == "change" and finding.code == "weak_tests"
    return msgspec.structs.replace(
        finding,
        detail=finding.detail + "".join(_majority_note(likely, as_gold, as_change, len(ends))),
        test=proposed_test(task, finding.call, finding.gold) if is_proposed else "",
        evidence={**finding.evidence, **evidence},
    )


def _kind(result: str) -> str:
    """The comparison key: a value, or an exception without its message."""
    return result.partition(":")[0] if result.startswith("raises ") else result


def _majority_note(likely: str, as_gold: int, as_change: int, passing: int) -> Iterator[str]:
    if likely == "gold":
        yield f"; likely the gold is, as {as_change} of {passing} accepted answers give the other value"
    elif likely == "change":
        yield f"; {as_gold} of {passing} accepted answers are with the gold"
