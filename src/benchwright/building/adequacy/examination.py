"""Examination of tasks by execution: canonical solution, stubs, wrong and right programs, mutants.

Each step runs for many tasks at once. So all cores have work, and an interpreter starts once for each
variation instead of once for each task. The ledger of trials stores every execution. An examination is
derived from it each time and costs only what the ledger does not have yet.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

import msgspec

from benchwright.building.adequacy.counterexamples import (
    GeneratedInputs,
    InputLimits,
    find_counterexample,
    raises_alike,
    read_replies,
    reference_inputs,
    try_replies,
)
from benchwright.building.adequacy.examination_records import (
    Examination,
    ExaminationEffort,
    MutantResult,
    ReferenceReplies,
    SolvedTask,
)
from benchwright.building.adequacy.stubs import expected_values
from benchwright.building.adequacy.trial_limits import GOLD_S, call_limit, limit_of
from benchwright.building.adequacy.trial_programs import (
    ProgramTrials,
    TrialSubject,
    chosen_mutants,
    diff,
    guard_lines,
    mutant_programs,
    own_spec,
    try_programs,
)
from benchwright.contracts import LevelsSpec
from benchwright.executing.trials import TrialResult, Trials, vary
from benchwright.lang.protocol import Mutant
from benchwright.records import Outcome
from benchwright.sandbox.codec import decode
from benchwright.text.literal import source_text

TOGETHER = 100  # tasks in a batch: enough to keep the cores busy, few enough for memory
MOST_DECLARED, LEAST_DECLARED = 0.1, 3  # maximum share of mutants that a task may declare equivalent
_LEAST_WITNESSED_S, _WITNESSED_S = 1 / 8, 1 / 2  # for all generated calls of a solution; most take 0.001 s


def examine(
    tasks: Iterable[SolvedTask], trials: Trials, *, effort: ExaminationEffort | None = None
) -> Iterator[Examination]:
    """One examination for each task, in order."""
    waiting, effort = iter(tasks), effort or ExaminationEffort()
    while batch := list(islice(waiting, TOGETHER)):
        yield from _examined(batch, trials, effort)


def _examined(tasks: Sequence[SolvedTask], trials: Trials, effort: ExaminationEffort) -> list[Examination]:
    golds = _gold(tasks, trials, effort)
    sound = [at for at, gold in enumerate(golds) if all(each.passed for each in gold)]
    mutants = {at: chosen_mutants(tasks[at].gold, effort.mutants) for at in sound if effort.mutants}
    subjects = [
        TrialSubject(tasks[at], golds[at], mutants.get(at, []), rewrites=effort.rewrites) for at in sound
    ]
    tried = dict(zip(sound, try_programs(subjects, trials), strict=True))
    survivors = {
        at: [each for each in mutants.get(at, []) if _survives(tried[at].ends.get("mutants", {}), each)]
        for at in sound
    }
    witnessed = _witnesses(tasks, survivors, golds, trials, effort)
    return [
        _examination(task, golds[at], tried.get(at), mutants.get(at, []), witnessed.get(at))
        for at, task in enumerate(tasks)
    ]


def _gold(tasks: Sequence[SolvedTask], trials: Trials, effort: ExaminationEffort) -> list[list[TrialResult]]:
    """The executions of each solution: the usual one, then the varied ones.

    The usual one is observed, which makes the others cheaper. A solution that timed out, also by itself, is
    not executed further.
    """
    wanted = [vary(task.gold, own_spec(task), effort.executions) for task in tasks]
    usual = trials.run([each[0] for each in wanted], name="canonical solutions")
    varied = [
        [] if end.outcome is Outcome.timed_out else each[1:] for each, end in zip(wanted, usual, strict=True)
    ]
    ends = iter(trials.run([trial for each in varied for trial in each], name="variations"))
    return [[end, *islice(ends, len(each))] for end, each in zip(usual, varied, strict=True)]


def _survives(tried: dict[str, TrialResult], mutant: Mutant) -> bool:
    return mutant.name in tried and tried[mutant.name].passed


class _WitnessSearch(NamedTuple):
    grown: GeneratedInputs
    found: dict[str, MutantResult]  # survivors by name
    cpu_s: list[float]  # by program


def _witnesses(
    tasks: Sequence[SolvedTask],
    survivors: dict[int, list[Mutant]],
    golds: Sequence[Sequence[TrialResult]],
    trials: Trials,
    effort: ExaminationEffort,
) -> dict[int, _WitnessSearch]:
    open_ = [at for at, mutants in survivors.items() if effort.inputs and (mutants or _has_cases(tasks[at]))]
    limits = [_input_limits(golds[at][0]) for at in open_]
    grown = reference_inputs([tasks[at] for at in open_], trials, inputs=effort.inputs, limits=limits)
    candidates = [
        (at, each, mutant)
        for at, each in zip(open_, grown, strict=True)
        if each.calls
        for mutant in survivors[at]
    ]
    programs = {at: mutant_programs(survivors[at], golds[at][0]) for at in open_}
    wanted = [
        (each, programs[at][mutant.name], limit_of(each.cpu_s, GOLD_S)) for at, each, mutant in candidates
    ]
    found = {at: _WitnessSearch(each, {}, [each.cpu_s]) for at, each in zip(open_, grown, strict=True)}
    for (at, each, mutant), end in zip(candidates, try_replies(trials, wanted, by_call=True), strict=True):
        found[at].found[mutant.name] = _survivor(tasks[at], mutant, each, read_replies(end))
        found[at].cpu_s.append(end.cpu_s)
    _excuse_guards(tasks, found, survivors, trials)
    return found


def _input_limits(gold: TrialResult) -> InputLimits:
    """Limits that follow from the time of the solution for the tests: a slow one needs more.

    A single call may take half of the time for all, so that one that hangs differs from many slow ones.
    """
    all_s = max(_LEAST_WITNESSED_S, limit_of(gold.cpu_s, _WITNESSED_S, times=1))
    return InputLimits(all_s, call_limit(gold.call_s, all_s / 2) or all_s / 2)


def _has_cases(task: SolvedTask) -> bool:
    return isinstance(task.spec, LevelsSpec)


def _asks_to_raise(task: SolvedTask) -> bool:
    return isinstance(task.spec, LevelsSpec) and any(case.expected.raises for case in task.spec.cases)


def _excuse_guards(
    tasks: Sequence[SolvedTask],
    found: dict[int, _WitnessSearch],
    survivors: dict[int, list[Mutant]],
    trials: Trials,
) -> None:
    """Mark survivors in a guard as equivalent if they raise what the solution raises on all generated calls.

    A guard before `max(values)` is redundant, as `max` raises the same error; no test could detect its
    removal.
    """
    candidates = []
    for at, (grown, _, _) in found.items():
        guards = guard_lines(tasks[at].gold) if grown.raising or _asks_to_raise(tasks[at]) else set()
        calls = grown._replace(calls=[call for call, _ in grown.raising])
        candidates += [(at, calls, each) for each in survivors[at] if each.line in guards]
    wanted = [(calls, each.code, limit_of(calls.cpu_s, GOLD_S)) for _, calls, each in candidates]
    for (at, calls, each), end in zip(candidates, try_replies(trials, wanted, by_call=True), strict=True):
        given = read_replies(end)
        mutated = found[at].found.get(each.name) or _survivor(tasks[at], each, calls, [])
        if mutated.witness is None and raises_alike(calls, given):
            found[at].found[each.name] = msgspec.structs.replace(mutated, fate="equivalent")


def _survivor(
    task: SolvedTask, mutant: Mutant, grown: GeneratedInputs, given: list[tuple[str, bytes]]
) -> MutantResult:
    return MutantResult(
        name=mutant.name,
        kind=mutant.kind,
        line=mutant.line,
        fate="survived",
        declared=mutant.name in task.equivalent_mutants,
        diff=diff(task.gold, mutant.code),
        witness=find_counterexample(grown, given),
    )


def _examination(
    task: SolvedTask,
    gold: list[TrialResult],
    tried: ProgramTrials | None,
    mutants: Sequence[Mutant],
    witnessed: _WitnessSearch | None,
) -> Examination:
    ends, cpu_s, rejecting = tried or ProgramTrials({}, {}, [])
    found = witnessed.found if witnessed else {}
    cpu_s = {"gold": sum(each.cpu_s for each in gold), **cpu_s}
    if witnessed:
        cpu_s["witnesses"] = sum(witnessed.cpu_s)
    return Examination(
        unit=task.unit,
        revision=task.revision,
        gold=gold,
        stubs=ends.get("stubs", {}),
        wrong=ends.get("wrong", {}),
        alternatives=ends.get("alternatives", {}),
        mutants=_believed(
            [found.get(each.name) or _mutated(task, each, ends.get("mutants", {})) for each in mutants]
        ),
        rejecting=rejecting,
        replies=_gold_replies(witnessed.grown) if witnessed else ReferenceReplies(),
        expected=sorted(set(expected_values(task.spec))),
        inputs=len(witnessed.grown.calls) if witnessed else 0,
        cpu_s=cpu_s,
    )


def _believed(mutants: list[MutantResult]) -> list[MutantResult]:
    """Accept survivors that are declared equivalent and have no counterexample, up to a share of all
    mutants.
    """
    left = max(LEAST_DECLARED, int(MOST_DECLARED * len(mutants)))
    believed = []
    for each in mutants:
        if each.declared and each.fate == "survived" and each.witness is None and left:
            left -= 1
            each = msgspec.structs.replace(each, fate="equivalent")  # noqa: PLW2901 (the same mutant)
        believed.append(each)
    return believed


def _gold_replies(grown: GeneratedInputs) -> ReferenceReplies:
    """The frequency of the most common reply to calls like those of the tests, and the number of new
    replies.
    """
    given = [payload for call, payload in zip(grown.calls, grown.gold, strict=True) if not call.beyond]
    failed = [kind for call, kind in grown.raising if not call.beyond and kind in ("KeyError", "IndexError")]
    counted = Counter([*given, *(each.encode() for each in failed)])
    known = set(expected_values(grown.task.spec))
    others = {source_text(decode(payload)) for payload in set(given)} - known
    return ReferenceReplies(
        calls=sum(counted.values()), common=max(counted.values(), default=0), others=len(others)
    )


def _mutated(task: SolvedTask, mutant: Mutant, tried: dict[str, TrialResult]) -> MutantResult:
    end = tried.get(mutant.name)
    fate = "equivalent" if end is None else _fate(end.outcome)
    return MutantResult(
        name=mutant.name,
        kind=mutant.kind,
        line=mutant.line,
        fate=fate,
        declared=mutant.name in task.equivalent_mutants,
        detail="" if end is None or end.passed else end.detail,
        diff=diff(task.gold, mutant.code) if fate == "survived" else "",
    )


def _fate(outcome: Outcome) -> str:
    if outcome is Outcome.passed:
        return "survived"
    if outcome.is_missing:
        return "not_executed"
    return "timed_out" if outcome is Outcome.timed_out else "killed"
