"""Stage try: twins of the models that drafts load, each canonical solution with variations, other programs.

A level passes if it passes each time. If executions of one program differ, one factor at a time is varied to
find the cause: chance, the order of sets, or the clock.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

import msgspec

from benchwright.building.adequacy.examining import TOGETHER, examine
from benchwright.building.adequacy.gates import GATES
from benchwright.building.adequacy.nouns import Effort, Examination
from benchwright.building.aicodereval.nouns import Draft, ExaminedDraft
from benchwright.building.aicodereval.options import EntryBounds
from benchwright.building.aicodereval.other_twin import WEIGHTS_GATES, OtherTwin, tried_on_other
from benchwright.building.aicodereval.shown_examples import EXAMPLES, example_trial, examples_decision
from benchwright.building.aicodereval.solving import solved
from benchwright.building.aicodereval.tiers import LACKS, is_executable
from benchwright.building.aicodereval.weights import equipped
from benchwright.building.gates import decide, open_gates
from benchwright.building.solved import SolvedTask
from benchwright.contracts import CallCase, Decision, Gate, Subject, Variation
from benchwright.executing.trials import Trial, Trials, Tried
from benchwright.records import Drop, Outcome
from benchwright.tracks.aicodereval.entry import Weights
from benchwright.tracks.aicodereval.twins import Make, make_twins, unavailable

FLAKY = "flaky"  # reason of the gate about the canonical solution
_REPEATS = 3  # executions to test one cause
_CAUSES = (
    ("flaky_random", [Variation(number=100 + n) for n in range(_REPEATS)]),
    ("flaky_set_order", [Variation(number=200 + n, hash_seed=17 * n) for n in range(_REPEATS)]),
    ("flaky_clock", [Variation(number=300 + n, clock_shift_s=n * 40_000_000) for n in range(_REPEATS)]),
)


class Executing:
    """The gates that execute, with the examinations that they read."""

    def __init__(self, bounds: EntryBounds, make: Make = make_twins) -> None:
        self.min_mutation_score = bounds.mutation_score
        self._effort, self._make = Effort(executions=bounds.executions), make
        self._found: dict[str, Examination] = {}
        self._other: dict[str, OtherTwin] = {}
        self.gates: list[Gate[SolvedTask]] = open_gates((*GATES.values(), *WEIGHTS_GATES), (), self)

    def examination(self, candidate: Subject) -> Examination:
        """The examination of a candidate of the latest batch."""
        return self._found[candidate.unit]

    def on_other(self, candidate: Subject) -> OtherTwin | None:
        """The result on the second twin; None if the candidate loads no model with one."""
        return self._other.get(candidate.unit)

    def tried(self, found: Iterable[ExaminedDraft], trials: Trials) -> Iterator[ExaminedDraft | Drop]:
        """Each draft with the outcomes of its levels and the decisions of the gates.

        A draft that cannot be executed here passes unchanged. A draft for which the sandbox failed is a drop,
        and the next call retries it.
        """
        waiting = iter(equipped(found, self._make))
        while chunk := list(islice(waiting, TOGETHER)):
            tasks = {each.draft.unit: solved(each.draft) for each in chunk if is_executable(each)}
            ended = examine(tasks.values(), trials, effort=self._effort)
            self._found = {each.unit: each for each in ended}
            twinned = [tasks[each.draft.unit] for each in chunk if self._has_twins(each)]
            self._other = dict(
                zip((each.unit for each in twinned), tried_on_other(twinned, trials), strict=True)
            )
            shown = _examples(
                [each.draft for each in chunk if each.draft.unit in tasks and not self._fault(each)], trials
            )
            for each in chunk:
                task = tasks.get(each.draft.unit)
                yield each if task is None else self._examined(each, task, trials, shown.get(each.draft.unit))

    def _fault(self, each: ExaminedDraft) -> str:
        return self._found[each.draft.unit].gold_fault

    def _has_twins(self, each: ExaminedDraft) -> bool:
        """Whether to try the second twin too, which needs a pass on the first."""
        found = self._found.get(each.draft.unit)
        return found is not None and not found.gold_fault and each.draft.entry.weights is Weights.stand_in

    def _examined(
        self, each: ExaminedDraft, task: SolvedTask, trials: Trials, shown: Decision | None
    ) -> ExaminedDraft | Drop:
        gold, other = self.examination(task).gold, self.on_other(task)
        ends = [*gold, *([other.missing] if other is not None and other.missing is not None else [])]
        if (failed := next((end for end in ends if end.outcome.is_missing), None)) is not None:
            return Drop(unit=task.unit, reason=str(failed.outcome), detail=failed.detail)
        decisions = {**self._decisions(task, trials), **({EXAMPLES: shown} if shown else {})}
        notable = {name: each for name, each in decisions.items() if each != Decision()}
        levels = steady_levels(_levels(each), gold)
        each = msgspec.structs.replace(each, draft=_timed(each.draft, gold))
        draft = each.draft if other is None or other.cases is None else _with_cases(each.draft, other.cases)
        return msgspec.structs.replace(
            each, draft=draft, levels=levels, decisions={**each.decisions, **notable}
        )

    def _decisions(self, task: SolvedTask, trials: Trials) -> dict[str, Decision]:
        """The decisions of all gates; only that about the canonical solution if it does not pass."""
        gold, *others = self.gates
        found = decide(task, [gold])
        if (first := found[gold.name]).reason:
            return {gold.name: self._explained(first, task, trials)}
        return found | decide(task, others, every=True)

    def _explained(self, decision: Decision, task: SolvedTask, trials: Trials) -> Decision:
        """The detailed reason why the canonical solution does not pass, if one is known."""
        if decision.reason == FLAKY:
            return _with_cause(decision, task, trials)
        details = {end.detail for end in self.examination(task).gold}
        lacks = {lack for detail in details if (lack := unavailable(detail, task.gold)) is not None}
        if not lacks:
            return decision
        lack = min(lacks, key=lambda each: each.name)
        reason = LACKS[lack.lack]
        return msgspec.structs.replace(decision, reason=reason, detail=lack.name or decision.detail)


def _examples(drafts: Sequence[Draft], trials: Trials) -> dict[str, Decision]:
    """The results of the doctests in docstrings, by draft."""
    wanted = {each.unit: trial for each in drafts if (trial := example_trial(each)) is not None}
    ends = trials.run([*wanted.values()], name="examples of docstrings")
    return {unit: examples_decision(end) for unit, end in zip(wanted, ends, strict=True)}


# In steps, so that a build on another machine nearly always gives the same entry.
_STEPS_S = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 60.0)


def _timed(draft: Draft, gold: Sequence[Tried]) -> Draft:
    """The draft with the maximum processor seconds of its solution."""
    most = max(end.cpu_s for end in gold)
    time_s = next((step for step in _STEPS_S if most <= step), most)
    return msgspec.structs.replace(draft, entry=msgspec.structs.replace(draft.entry, time_s=time_s))


def _with_cases(draft: Draft, cases: list[CallCase]) -> Draft:
    return msgspec.structs.replace(draft, entry=msgspec.structs.replace(draft.entry, cases=cases))


def _levels(each: ExaminedDraft) -> list[str]:
    return list(dict.fromkeys(str(case.level) for case in each.draft.entry.cases))


def steady_levels(levels: Sequence[str], ended: Sequence[Tried]) -> dict[str, Outcome]:
    """The outcome of each level; `flaky` if it differs between executions.

    If a program did not reach its levels, each of them has the outcome of the whole.
    """
    found = {}
    for level in levels:
        outcomes = {each.parts.get(level, each.outcome) for each in ended}
        found[level] = outcomes.pop() if len(outcomes) == 1 else Outcome.flaky
    return found


def _with_cause(decision: Decision, task: SolvedTask, trials: Trials) -> Decision:
    """The cause of differing executions, found by varying one factor at a time."""
    spent = decision.cpu_s
    for name, variations in _CAUSES:
        specs = [msgspec.structs.replace(task.spec, variation=each) for each in variations]
        ended = trials.run([Trial(task.gold, spec) for spec in specs], name="causes")
        spent += sum(end.cpu_s for end in ended)
        if len({end.outcome for end in ended}) > 1:
            return msgspec.structs.replace(decision, reason=name, cpu_s=spent)
    return msgspec.structs.replace(decision, cpu_s=spent)
