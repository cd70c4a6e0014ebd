"""Tasks examined by execution: the canonical solution, stubs, wrong and right programs, mutants, witnesses.

Each step runs for many tasks at once, so that all cores have work and an interpreter is started once for
each variation and not once for each task. What was executed is in the ledger of trials; an examination is
made of it anew each time, and costs nothing but what the ledger does not know.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from benchwright.building.adequacy.mutants import chosen_mutants, diff, limit_of
from benchwright.building.adequacy.nouns import Effort, Examination, Mutated
from benchwright.building.adequacy.rewrites import rewrites
from benchwright.building.adequacy.stubs import stubs
from benchwright.building.adequacy.witnesses import (
    Grown,
    find_witness,
    grow_inputs,
    read_replies,
    try_replies,
)
from benchwright.building.solved import SolvedTask
from benchwright.contracts import ProgramSpec
from benchwright.executing.trials import Trial, Trials, Tried, limited, varied
from benchwright.lang.answers import Mutant
from benchwright.records import Outcome

TOGETHER = 100  # tasks: as many as keep the cores busy, as few as memory holds easily
GOLD_S = 3.0  # of processor time for each execution of a solution whose spec names no limit
_WITNESSED_S = 0.5  # for all grown calls of one program: most take a thousandth of it


def examine(
    tasks: Iterable[SolvedTask], trials: Trials, *, effort: Effort | None = None
) -> Iterator[Examination]:
    """One examination for each task, in their order."""
    waiting, effort = iter(tasks), effort or Effort()
    while batch := list(islice(waiting, TOGETHER)):
        yield from _examined(batch, trials, effort)


class _Part(NamedTuple):
    """A program tried for a task: its role, and its name in that role."""

    task: int
    role: str
    name: str
    program: str
    spec: ProgramSpec


def _examined(tasks: Sequence[SolvedTask], trials: Trials, effort: Effort) -> list[Examination]:
    golds = _gold(tasks, trials, effort)
    sound = [at for at, gold in enumerate(golds) if all(each.passed for each in gold)]
    mutants = {at: chosen_mutants(tasks[at].gold, effort.mutants) for at in sound if effort.mutants}
    parts = [part for at in sound for part in _parts(at, tasks[at], golds[at], mutants.get(at, []), effort)]
    ends = trials.run([Trial(part.program, part.spec) for part in parts], name="programs that must fail")
    tried: list[dict[str, dict[str, Tried]]] = [{} for _ in tasks]
    for part, end in zip(parts, ends, strict=True):
        tried[part.task].setdefault(part.role, {})[part.name] = end
    survivors = {
        at: [each for each in mutants.get(at, []) if _survives(tried[at].get("mutants", {}), each)]
        for at in sound
    }
    witnessed = _witnesses(tasks, survivors, golds, trials, effort)
    return [
        _examination(task, golds[at], tried[at], mutants.get(at, []), witnessed.get(at))
        for at, task in enumerate(tasks)
    ]


def _gold(tasks: Sequence[SolvedTask], trials: Trials, effort: Effort) -> list[list[Tried]]:
    wanted = [varied(task.gold, _own(task), effort.executions) for task in tasks]
    ends = iter(trials.run([trial for each in wanted for trial in each], name="canonical solutions"))
    return [list(islice(ends, len(each))) for each in wanted]


def _own(task: SolvedTask) -> ProgramSpec:
    return limited(task.spec, task.spec.cpu_limit_s or GOLD_S)


def _limit(task: SolvedTask, gold: Sequence[Tried]) -> float:
    return limit_of(gold[0].cpu_s, task.spec.cpu_limit_s or GOLD_S)


def _parts(
    at: int, task: SolvedTask, gold: Sequence[Tried], mutants: Sequence[Mutant], effort: Effort
) -> Iterator[_Part]:
    whole = _own(task)
    short = limited(task.spec, _limit(task, gold))
    for name, program in stubs(task.entry_point, task.spec).items():
        yield _Part(at, "stubs", name, program, short)
    for name, program in task.wrong.items():
        yield _Part(at, "wrong", name, program, whole)
    right = {f"given {number}": program for number, program in enumerate(task.alternatives, 1)}
    made = rewrites(task.gold, task.entry_point) if effort.rewrites else {}
    for name, program in {**right, **made}.items():
        yield _Part(at, "alternatives", name, program, whole)
    for mutant in mutants:
        if mutant.name not in task.equivalent_mutants:
            yield _Part(at, "mutants", mutant.name, mutant.code, short)


def _survives(tried: dict[str, Tried], mutant: Mutant) -> bool:
    return mutant.name in tried and tried[mutant.name].passed


class _Witnessed(NamedTuple):
    inputs: int
    found: dict[str, Mutated]  # survivors by name
    cpu_s: list[float]  # of each program tried


def _witnesses(
    tasks: Sequence[SolvedTask],
    survivors: dict[int, list[Mutant]],
    golds: Sequence[Sequence[Tried]],
    trials: Trials,
    effort: Effort,
) -> dict[int, _Witnessed]:
    open_ = [at for at, mutants in survivors.items() if mutants and effort.inputs]
    grown = grow_inputs([tasks[at] for at in open_], trials, inputs=effort.inputs, cpu_s=_WITNESSED_S)
    asked = [
        (at, each, mutant)
        for at, each in zip(open_, grown, strict=True)
        if each.calls
        for mutant in survivors[at]
    ]
    wanted = [(each, mutant.code, limit_of(each.cpu_s, GOLD_S)) for _, each, mutant in asked]
    found = {at: _Witnessed(len(each.calls), {}, [each.cpu_s]) for at, each in zip(open_, grown, strict=True)}
    for (at, each, mutant), end in zip(asked, try_replies(trials, wanted), strict=True):
        found[at].found[mutant.name] = _survivor(tasks[at], mutant, each, read_replies(end))
        found[at].cpu_s.append(end.cpu_s)
    return found


def _survivor(task: SolvedTask, mutant: Mutant, grown: Grown, given: list[tuple[str, bytes]]) -> Mutated:
    return Mutated(
        name=mutant.name,
        kind=mutant.kind,
        line=mutant.line,
        fate="survived",
        diff=diff(task.gold, mutant.code),
        witness=find_witness(grown, given),
    )


def _examination(
    task: SolvedTask,
    gold: list[Tried],
    tried: dict[str, dict[str, Tried]],
    mutants: Sequence[Mutant],
    witnessed: _Witnessed | None,
) -> Examination:
    failing = [end for role in ("stubs", "wrong", "mutants") for end in tried.get(role, {}).values()]
    found = witnessed.found if witnessed else {}
    cpu_s = {role: sum(end.cpu_s for end in ends.values()) for role, ends in tried.items()}
    if witnessed:
        cpu_s["witnesses"] = sum(witnessed.cpu_s)
    return Examination(
        unit=task.unit,
        revision=task.revision,
        gold=gold,
        stubs=tried.get("stubs", {}),
        wrong=tried.get("wrong", {}),
        alternatives=tried.get("alternatives", {}),
        mutants=[found.get(each.name) or _mutated(task, each, tried.get("mutants", {})) for each in mutants],
        rejecting=[name for name in gold[0].parts if any(_rejects(end, name) for end in failing)],
        inputs=witnessed.inputs if witnessed else 0,
        cpu_s={"gold": sum(each.cpu_s for each in gold), **cpu_s},
    )


def _rejects(end: Tried, part: str) -> bool:
    """A program that ends before a part has failed it."""
    return not end.outcome.is_missing and end.parts.get(part, end.outcome) is not Outcome.passed


def _mutated(task: SolvedTask, mutant: Mutant, tried: dict[str, Tried]) -> Mutated:
    end = tried.get(mutant.name)
    fate = "equivalent" if end is None else _fate(end.outcome)
    return Mutated(
        name=mutant.name,
        kind=mutant.kind,
        line=mutant.line,
        fate=fate,
        detail="" if end is None or end.passed else end.detail,
        diff=diff(task.gold, mutant.code) if fate == "survived" else "",
    )


def _fate(outcome: Outcome) -> str:
    if outcome is Outcome.passed:
        return "survived"
    if outcome.is_missing:
        return "not_executed"
    return "timed_out" if outcome is Outcome.timed_out else "killed"
