"""Stage try: the canonical solution of each draft, several times and each time varied; then the gates that execute.

A level passes when it passed each time. Why one did not end alike each time is looked into: by chance, by
the order of sets, or by the clock.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

import msgspec

from benchwright.building.aicodereval.nouns import ExaminedDraft
from benchwright.building.aicodereval.options import EntryBounds
from benchwright.building.aicodereval.solving import solved
from benchwright.building.aicodereval.tiers import is_executable
from benchwright.building.gates import decide
from benchwright.building.solved import SolvedTask
from benchwright.contracts import Decision, Gate, Variation
from benchwright.executing.trials import Trial, Tried, Trials, varied
from benchwright.records import Drop, Outcome

AT_ONCE = 64  # drafts whose canonical solutions are executed together, so that no core waits
GOLD = "aicodereval.gold"
_REPEATS = 3  # executions that look for one cause

_CAUSES = (
    ("flaky_random", [Variation(number=100 + number) for number in range(_REPEATS)]),
    ("flaky_set_order", [Variation(number=200 + n, hash_seed=17 * n + 1) for n in range(_REPEATS)]),
    ("flaky_clock", [Variation(number=300 + n, clock_shift_s=n * 40_000_000) for n in range(_REPEATS)]),
)


def tried(
    found: Iterable[ExaminedDraft], trials: Trials, gates: Sequence[Gate[SolvedTask]], bounds: EntryBounds
) -> Iterator[ExaminedDraft | Drop]:
    """Each draft with the outcomes of its levels and what the gates decide.

    What cannot be executed here goes on as it came. Gates are asked only where all levels pass: the others
    are not certified anyhow, and no mutant of theirs tells anything.
    """
    waiting = iter(found)
    while chunk := list(islice(waiting, AT_ONCE)):
        yield from _tried_together(chunk, trials, gates, bounds)


def _tried_together(
    chunk: Sequence[ExaminedDraft], trials: Trials, gates: Sequence[Gate[SolvedTask]], bounds: EntryBounds
) -> Iterator[ExaminedDraft | Drop]:
    runs = [_gold(solved(each.draft), bounds) if is_executable(each) else [] for each in chunk]
    ended = iter(trials.run((trial for each in runs for trial in each), name="canonical solutions"))
    for each, asked in zip(chunk, runs, strict=True):
        mine = list(islice(ended, len(asked)))
        if not mine:
            yield each
        elif (failed := next((end for end in mine if end.outcome.is_missing), None)) is not None:
            yield Drop(unit=each.draft.unit, reason=str(failed.outcome), detail=failed.detail)
        else:
            yield _examined(each, mine, trials, gates)


def _gold(task: SolvedTask, bounds: EntryBounds) -> list[Trial]:
    return varied(task.gold, task.spec, bounds.executions)


def _examined(
    each: ExaminedDraft, ended: Sequence[Tried], trials: Trials, gates: Sequence[Gate[SolvedTask]]
) -> ExaminedDraft:
    levels = steady_levels([str(level) for level in _levels(each)], ended)
    found = dict(each.decisions)
    found[GOLD] = _gold_decision(each, ended, trials)
    if all(outcome is Outcome.passed for outcome in levels.values()):
        found |= decide(solved(each.draft), gates, every=True)
    return msgspec.structs.replace(each, levels=levels, decisions=found)


def _levels(each: ExaminedDraft) -> list[str]:
    return list(dict.fromkeys(str(case.level) for case in each.draft.entry.cases))


def steady_levels(levels: Sequence[str], ended: Sequence[Tried]) -> dict[str, Outcome]:
    """How each level ended, and `flaky` for one that did not end alike each time.

    Where a program did not come to its levels, each of them ended as the whole did.
    """
    found = {}
    for level in levels:
        outcomes = {each.parts.get(level, each.outcome) for each in ended}
        found[level] = outcomes.pop() if len(outcomes) == 1 else Outcome.flaky
    return found


def _gold_decision(each: ExaminedDraft, ended: Sequence[Tried], trials: Trials) -> Decision:
    counts = Counter(str(end.outcome) for end in ended)
    evidence = {"executions": len(ended), "outcomes": dict(sorted(counts.items()))}
    cpu_s = sum(end.cpu_s for end in ended)
    if all(end.passed for end in ended):
        return Decision(evidence=evidence, cpu_s=cpu_s)
    if _is_steady(ended):
        first = ended[0]
        return Decision(reason="gold_fails", detail=first.detail[:300], evidence=evidence, cpu_s=cpu_s)
    cause, spent = _cause(solved(each.draft), trials)
    detail = next(end.detail for end in ended if not end.passed)
    return Decision(reason=cause, detail=detail[:300], evidence=evidence, cpu_s=cpu_s + spent)


def _is_steady(ended: Sequence[Tried]) -> bool:
    return len({(end.outcome, tuple(sorted(end.parts.items()))) for end in ended}) == 1


def _cause(task: SolvedTask, trials: Trials) -> tuple[str, float]:
    """Why executions of one program differ, by varying one thing at a time, and what it took to find out."""
    spent = 0.0
    for name, variations in _CAUSES:
        specs = [msgspec.structs.replace(task.spec, variation=each) for each in variations]
        ended = trials.run([Trial(task.gold, spec) for spec in specs], name="causes")
        spent += sum(end.cpu_s for end in ended)
        if not _is_steady(ended):
            return name, spent
    return "flaky", spent
