"""Trial programs for the tests of a task: stubs, named wrong programs, mutants, and alternative right
ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec

from benchwright.building.adequacy.mutants import limit_of
from benchwright.building.adequacy.rewrites import rewrites
from benchwright.building.adequacy.stubs import stubs
from benchwright.building.solved import SolvedTask
from benchwright.contracts import LevelsSpec, ProgramSpec
from benchwright.executing.trials import Trial, Trials, Tried, limited
from benchwright.lang.answers import Mutant
from benchwright.records import Outcome

GOLD_S = 3.0  # seconds of processor time for a solution whose spec has no limit
_WRONG = ("stubs", "wrong", "mutants")  # roles of programs that must fail
Ends = dict[str, dict[str, Tried]]  # results of programs, by role and name


class TrialSubject(NamedTuple):
    """A task whose canonical solution passes, with the results of its executions."""

    task: SolvedTask
    gold: Sequence[Tried]
    mutants: Sequence[Mutant]
    rewrites: bool  # whether to try rewrites of the canonical solution


class TriedPrograms(NamedTuple):
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
    return limited(task.spec, task.spec.cpu_limit_s or GOLD_S)


def try_programs(subjects: Sequence[TrialSubject], trials: Trials) -> list[TriedPrograms]:
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
        TriedPrograms(
            ends,
            {role: sum(end.cpu_s for end in of_role.values()) for role, of_role in ends.items()},
            _rejecting(subject, ends),
        )
        for subject, ends in zip(subjects, tried, strict=True)
    ]


def _parts(at: int, subject: TrialSubject) -> Iterator[_TrialProgram]:
    task = subject.task
    whole = own_spec(task)
    short = limited(task.spec, limit_of(subject.gold[0].cpu_s, task.spec.cpu_limit_s or GOLD_S))
    for name, program in stubs(task.entry_point, task.spec).items():
        yield _TrialProgram(at, "stubs", name, program, short)
    for name, program in task.wrong.items():
        yield _TrialProgram(at, "wrong", name, program, whole)
    right = {f"given {number}": program for number, program in enumerate(task.alternatives, 1)}
    made = rewrites(task.gold, task.entry_point) if subject.rewrites else {}
    for name, program in {**right, **made}.items():
        yield _TrialProgram(at, "alternatives", name, program, whole)
    until = _until_failed(short)
    for mutant in subject.mutants:
        if mutant.name not in task.idle_mutants:
            yield _TrialProgram(at, "mutants", mutant.name, mutant.code, until)


def _until_failed(spec: ProgramSpec) -> ProgramSpec:
    """The spec that stops at the first failed level, if it has levels."""
    return msgspec.structs.replace(spec, until_failed=True) if isinstance(spec, LevelsSpec) else spec


def _rejecting(subject: TrialSubject, ends: Ends) -> list[str]:
    failing = [end for role in _WRONG for end in ends.get(role, {}).values()]
    return [name for name in subject.gold[0].parts if any(_rejects(end, name) for end in failing)]


def _rejects(end: Tried, part: str) -> bool:
    """Whether a program fails a part.

    A program that reached no part failed each; skipped parts are unknown.
    """
    outcome = end.parts.get(part, Outcome.passed) if end.parts else end.outcome
    return not end.outcome.is_missing and outcome is not Outcome.passed
