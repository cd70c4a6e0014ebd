"""Gates that execute: each answers one question from the examination of a task.

A gate decides about one candidate and executes nothing itself, since many tasks are examined at once. The
bounds of the recipe provide the examination of a candidate.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from benchwright.building.adequacy.examination_records import Examination, MutantResult
from benchwright.building.engine.gates import gate
from benchwright.contracts import KEEP, Decision, GateOpener, Subject
from benchwright.executing.trials import TrialResult
from benchwright.records import Outcome

SHOWN = 5  # programs or mutants listed in a refusal


class GateBounds(Protocol):
    """The bounds of a recipe with these gates.

    `min_mutation_score` is the share of mutants that tests must kill.
    """

    min_mutation_score: float

    def examination(self, candidate: Subject) -> Examination:
        """The examination of a candidate."""
        ...


Question = Callable[[Examination, GateBounds], Decision]


def gold_gate(found: Examination, bounds: GateBounds) -> Decision:
    """The canonical solution passes under every variation; otherwise the `gold_fault` of the examination."""
    cost = found.cpu_s.get("gold", 0.0)
    if not found.gold_fault:
        return Decision(evidence={"executions": len(found.gold)}, cpu_s=cost)
    failed = [each for each in found.gold if not each.passed]
    failed.sort(key=lambda each: each.outcome is Outcome.timed_out)
    result = f"{failed[0].outcome.value} {failed[0].detail}".strip()
    return Decision(
        reason=found.gold_fault,
        detail=f"{len(failed)} of {len(found.gold)} executions fail: {result}",
        evidence={"outcomes": [each.outcome.value for each in found.gold]},
        cpu_s=cost,
    )


def stubs_gate(found: Examination, bounds: GateBounds) -> Decision:
    """No stub passes; otherwise `stub_passes`."""
    return _must_fail(found.stubs, "stub_passes", found.cpu_s.get("stubs", 0.0))


def wrong_gate(found: Examination, bounds: GateBounds) -> Decision:
    """No solution that is declared wrong passes; otherwise `wrong_passes`."""
    return _must_fail(found.wrong, "wrong_passes", found.cpu_s.get("wrong", 0.0))


def levels_gate(found: Examination, bounds: GateBounds) -> Decision:
    """Each part of the verdict rejects some wrong program; otherwise `level_rejects_nothing`."""
    idle = [name for name in (found.gold[0].parts if found.gold else {}) if name not in found.rejecting]
    if not idle:
        return KEEP
    detail = f"no wrong program fails at {', '.join(idle)}"
    return Decision(reason="level_rejects_nothing", detail=detail, evidence={"levels": idle})


def alternatives_gate(found: Examination, bounds: GateBounds) -> Decision:
    """Alternative right solutions pass; otherwise `alternative_fails`."""
    cost = found.cpu_s.get("alternatives", 0.0)
    failed = {name: end for name, end in found.alternatives.items() if _fails(end)}
    if not failed:
        return _keep_with({"alternatives": len(found.alternatives)} if found.alternatives else {}, cost)
    name, end = next(iter(failed.items()))
    return Decision(
        reason="alternative_fails",
        detail=f"{name}: {end.outcome.value} {end.detail}".strip(),
        evidence={"alternatives": len(found.alternatives), "failed": [*failed][:SHOWN]},
        cpu_s=cost,
    )


def mutation_gate(found: Examination, bounds: GateBounds) -> Decision:
    """The tests kill enough of the mutants; otherwise `weak_tests`."""
    cost = found.cpu_s.get("mutants", 0.0)
    score = found.supported_score
    if found.score is None or score is None:
        return _keep_with({}, cost)
    evidence = mutation_evidence(found)
    if score >= bounds.min_mutation_score:
        return _keep_with(evidence, cost)
    detail = f"the tests kill {score:.2f} of the mutants, and {bounds.min_mutation_score:g} is wanted"
    evidence["surviving"] = [
        _survivor_record(each) for each in found.weaknesses[:SHOWN] or found.survivors[:SHOWN]
    ]
    return Decision(reason="weak_tests", detail=detail, evidence=evidence, cpu_s=cost)


def _survivor_record(mutated: MutantResult) -> dict[str, str]:
    """A survivor for the author of the tests: its change, and a call that shows it."""
    witness = mutated.witness
    fields = {"name": mutated.name, "diff": mutated.diff}
    return {
        **fields,
        **({"call": witness.call, "solution": witness.gold, "mutant": witness.other} if witness else {}),
    }


def declared_gate(found: Examination, bounds: GateBounds) -> Decision:
    """No mutant declared equivalent differs from the solution, and there are not too many:
    `not_equivalent`.
    """
    refused = found.refused_equivalents
    if not refused:
        return KEEP
    first = refused[0]
    call = f" by {first.witness.call}" if first.witness else " by a test" if first.fate != "survived" else ""
    why = f"told from the solution{call}" if call else "more than may be declared"
    return Decision(
        reason="not_equivalent",
        detail=f"{first.name}: {why}"[:300],
        evidence={
            "refused": [each.name for each in refused],
            "surviving": [_survivor_record(each) for each in refused[:SHOWN]],
        },
    )


FEWEST_REPLIES, COMMON = 12, 0.97  # minimum number of calls to judge a share
FEW = 3  # different values that the tests expect, or shares among them


def table_gate(found: Examination, bounds: GateBounds) -> Decision:
    """The solution gives several values beyond the calls of the tests; otherwise `gold_table`.

    A table is also detected if it varies shares freely but never returns a value that the tests do not
    expect.
    """
    replies, expected = found.replies, found.expected
    if len(expected) < FEW or replies.calls < FEWEST_REPLIES:
        return KEEP
    shares = [each for each in expected if "." in each and not each.rstrip("0").endswith(".")]
    if replies.common >= COMMON * replies.calls:
        detail = f"{replies.common} of {replies.calls} calls like those of the tests give one and the same"
    elif replies.others < 2 and len(shares) >= FEW:
        detail = f"{replies.calls} calls like those of the tests give hardly a value that no test expects"
    else:
        return KEEP
    return Decision(reason="gold_table", detail=detail)


def mutation_evidence(found: Examination) -> dict[str, Any]:
    """The counts of mutants by fate, and the names of survivors, weaknesses first."""
    fates = [each.fate for each in found.mutants]
    counts = {fate: fates.count(fate) for fate in sorted(set(fates))}
    weak = [each.name for each in found.weaknesses]
    rest = [each.name for each in found.survivors if each.name not in weak]
    score = None if found.score is None else round(found.score, 4)
    supported = None if found.supported_score is None else round(found.supported_score, 4)
    declared = [each.name for each in found.mutants if each.declared and each.fate == "equivalent"]
    more = {"declared_equivalent": declared} if declared else {}
    return {
        "score": score,
        "supported_score": supported,
        **more,
        **counts,
        "witnessed": len(weak),
        "survivors": [*weak, *rest],
    }


def _must_fail(programs: dict[str, TrialResult], code: str, cost: float) -> Decision:
    passed = [name for name, end in programs.items() if end.passed]
    if passed:
        more = f" and {len(passed) - SHOWN} more" if len(passed) > SHOWN else ""
        detail = f"passes: {', '.join(passed[:SHOWN])}{more}"
        evidence = {"tried": len(programs), "passed": passed}
        return Decision(reason=code, detail=detail, evidence=evidence, cpu_s=cost)
    return _keep_with({"tried": len(programs)} if programs else {}, cost)


def _keep_with(evidence: dict[str, Any], cost: float) -> Decision:
    return Decision(evidence=evidence, cpu_s=cost) if evidence or cost else KEEP


def _fails(end: TrialResult) -> bool:
    """Whether a program fails. A timeout does not count: the machine may be busy, or the program slower."""
    return not (end.passed or end.outcome.is_missing or end.outcome is Outcome.timed_out)


def _opener(name: str, question: Question) -> GateOpener:
    def check(candidate: Subject, bounds: GateBounds) -> Decision:
        return question(bounds.examination(candidate), bounds)

    return gate(name)(check)


QUESTIONS: dict[str, Question] = {
    "gold": gold_gate,
    "stubs": stubs_gate,
    "wrong": wrong_gate,
    "levels": levels_gate,
    "alternatives": alternatives_gate,
    "mutation": mutation_gate,
    "declared": declared_gate,
    "table": table_gate,
}
GATES: dict[str, GateOpener] = {name: _opener(name, question) for name, question in QUESTIONS.items()}
