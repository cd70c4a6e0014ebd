"""Try the tests of a task on programs that must fail and programs that must pass.

Stubs and named wrong programs must fail; rewrites of the canonical solution and named alternatives must
pass. Mutants of the canonical solution measure the tests.
"""

from __future__ import annotations

import ast
import difflib
import marshal
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from types import CodeType
from typing import NamedTuple

import msgspec

from benchwright.building.adequacy.examination_records import SolvedTask
from benchwright.building.adequacy.rewrites import rewrites
from benchwright.building.adequacy.stubs import stubs
from benchwright.building.adequacy.trial_limits import GOLD_S, mutant_spec
from benchwright.contracts import LevelsSpec, ProgramSpec
from benchwright.executing.trials import Trial, TrialResult, Trials, with_cpu_limit
from benchwright.lang.protocol import Mutant
from benchwright.lang.python.adequacy_mutations import distinct_mutants
from benchwright.records import Outcome
from benchwright.store.keys import content_key
from benchwright.text.syntax import ParseFault, compile_program, is_cheap_to_compile, parse

_SLOW_S = 1 / 64  # processor seconds of a solution, from which its mutants are compiled to find equal ones
_WRONG = ("stubs", "wrong", "mutants")  # roles of programs that must fail
Ends = dict[str, dict[str, TrialResult]]  # results of programs, by role and name


class TrialSubject(NamedTuple):
    """A task whose canonical solution passes, with the results of its executions."""

    task: SolvedTask
    gold: Sequence[TrialResult]
    mutants: Sequence[Mutant]
    rewrites: bool  # whether to try rewrites of the canonical solution


class ProgramTrials(NamedTuple):
    """The results of a task's programs; `rejecting` are parts of the verdict that some wrong program
    fails.
    """

    ends: Ends
    cpu_s: dict[str, float]  # by role
    rejecting: list[str]


class _TrialProgram(NamedTuple):
    """A program to try: its role, and its name in that role."""

    task: int
    role: str
    name: str
    program: str
    spec: ProgramSpec


def own_spec(task: SolvedTask) -> ProgramSpec:
    """The spec for right programs of a task, with the task's own limit or the default."""
    return with_cpu_limit(task.spec, task.spec.cpu_limit_s or GOLD_S)


def try_programs(subjects: Sequence[TrialSubject], trials: Trials) -> list[ProgramTrials]:
    """Try the programs of all tasks.

    A mutant that fails a level is killed and not executed for later levels. Stubs and named wrong programs
    run on all levels, which shows whether each level rejects anything.
    """
    parts = [part for at, each in enumerate(subjects) for part in _parts(at, each)]
    wanted = [Trial(part.program, part.spec, again=part.role == "alternatives") for part in parts]
    ends = trials.run(wanted, name="programs that must fail")
    tried: list[Ends] = [{} for _ in subjects]
    for part, end in zip(parts, ends, strict=True):
        tried[part.task].setdefault(part.role, {})[part.name] = end
    return [
        ProgramTrials(
            ends,
            {role: sum(end.cpu_s for end in of_role.values()) for role, of_role in ends.items()},
            _rejecting(subject, ends),
        )
        for subject, ends in zip(subjects, tried, strict=True)
    ]


def _parts(at: int, subject: TrialSubject) -> Iterator[_TrialProgram]:
    task = subject.task
    whole = own_spec(task)
    short = mutant_spec(task.spec, subject.gold[0])
    for name, program in stubs(task.entry_point, task.spec).items():
        yield _TrialProgram(at, "stubs", name, program, short)
    for name, program in task.wrong.items():
        yield _TrialProgram(at, "wrong", name, program, whole)
    right = {f"given {number}": program for number, program in enumerate(task.alternatives, 1)}
    rewritten = rewrites(task.gold, task.entry_point) if subject.rewrites else {}
    for name, program in {**right, **rewritten}.items():
        yield _TrialProgram(at, "alternatives", name, program, whole)
    until = _until_failed(short)
    programs = mutant_programs(subject.mutants, subject.gold[0])
    for mutant in subject.mutants:
        if mutant.name not in task.idle_mutants:
            yield _TrialProgram(at, "mutants", mutant.name, programs[mutant.name], until)


def _until_failed(spec: ProgramSpec) -> ProgramSpec:
    """The spec that stops at the first failed level, if it has levels."""
    return msgspec.structs.replace(spec, until_failed=True) if isinstance(spec, LevelsSpec) else spec


def _rejecting(subject: TrialSubject, ends: Ends) -> list[str]:
    failing = [end for role in _WRONG for end in ends.get(role, {}).values()]
    return [name for name in subject.gold[0].parts if any(_rejects(end, name) for end in failing)]


def _rejects(end: TrialResult, part: str) -> bool:
    """Whether a program fails a part.

    A program that reached no part failed each; skipped parts are unknown.
    """
    outcome = end.parts.get(part, Outcome.passed) if end.parts else end.outcome
    return not end.outcome.is_missing and outcome is not Outcome.passed


def mutant_programs(mutants: Sequence[Mutant], gold: TrialResult) -> dict[str, str]:
    """The program to execute for each mutant, by name: of a slow solution the first with equal bytecode.

    To compile all mutants costs more than to execute the few equal ones, unless an execution is slow.
    """
    if gold.cpu_s < _SLOW_S:
        return {each.name: each.code for each in mutants}
    first: dict[bytes, str] = {}
    return {each.name: first.setdefault(_bytecode(each.code), each.code) for each in mutants}


def _bytecode(program: str) -> bytes:
    """The bytecode of a program without its lines; its text if it cannot be compiled here."""
    if not is_cheap_to_compile(program):
        return program.encode("utf-8", "surrogatepass")
    try:
        return marshal.dumps(_without_lines(compile_program(program)), 2)  # 2: without references
    except (SyntaxError, ValueError, OverflowError, RecursionError, MemoryError):
        return program.encode("utf-8", "surrogatepass")


def _without_lines(code: CodeType) -> CodeType:
    inner = (_without_lines(each) if isinstance(each, CodeType) else each for each in code.co_consts)
    return code.replace(co_consts=tuple(inner), co_firstlineno=1, co_linetable=b"")


LOOKED_AT = 2000  # maximum number of mutants of one program
CONTEXT = 1  # lines of context in a diff


def chosen_mutants(gold: str, budget: int) -> list[Mutant]:
    """At most `budget` distinct mutants in program order, always the same.

    If there are more, the hash of the name selects them: program order would cover only the first lines.
    """
    return list(_chosen_mutants(gold, budget))


@lru_cache(maxsize=128)  # a build needs those of a draft twice: for its task and for its examination
def _chosen_mutants(gold: str, budget: int) -> Sequence[Mutant]:
    found = list(islice(distinct_mutants(gold), LOOKED_AT))
    if len(found) <= budget:
        return found
    names = {each.name for each in sorted(found, key=lambda each: content_key(gold, each.name))[:budget]}
    return [each for each in found if each.name in names]


def guard_lines(program: str) -> set[int]:
    """The lines of conditions under which a program only raises."""
    tree = parse(program)
    if isinstance(tree, ParseFault):
        return set()
    return {
        line
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and all(isinstance(each, ast.Raise) for each in node.body)
        for line in range(node.lineno, (node.body[-1].end_lineno or node.lineno) + 1)
    }


def diff(gold: str, other: str) -> str:
    """The lines that differ, with one line of context and without the file header."""
    lines = difflib.unified_diff(gold.splitlines(), other.splitlines(), lineterm="", n=CONTEXT)
    return "\n".join(list(lines)[2:])
