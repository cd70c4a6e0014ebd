"""The gates that execute: a code of its own for each refusal, with what it rests on."""

from __future__ import annotations

from typing import Any

import pytest

from benchwright.building.adequacy.examination_records import Counterexample, Examination, MutantResult
from benchwright.building.adequacy.execution_gates import GATES, QUESTIONS
from benchwright.building.engine.gates import admit, open_gates
from benchwright.contracts import Admission, Subject
from benchwright.executing.trials import TrialResult
from benchwright.records import Drop, Outcome
from kit.solved_tasks import SOUND

PASSED = TrialResult(key="", outcome=Outcome.passed, cpu_s=0.1)
WRONG = TrialResult(key="", outcome=Outcome.wrong, detail="call 1: f(1) gave 2, expected 1", cpu_s=0.1)
SLOW = TrialResult(key="", outcome=Outcome.timed_out, detail="3 s of processor time", cpu_s=3.0, alone=True)
BROKEN = TrialResult(key="", outcome=Outcome.sandbox_error)


def mutated(line: int, fate: str, *, beyond: bool | None = None) -> MutantResult:
    witness = None if beyond is None else Counterexample(call="f()", gold="1", other="2", beyond=beyond)
    return MutantResult(
        name=f"compare-{line}-1-{fate}", kind="compare", line=line, fate=fate, witness=witness
    )


def examined(**fields: Any) -> Examination:
    """A sound one but for what the test says."""
    sound: dict[str, Any] = {
        "gold": [PASSED] * 5,
        "stubs": {"returns None": WRONG},
        "alternatives": {"renamed variables": PASSED},
        "mutants": [mutated(n, "killed") for n in range(9)] + [mutated(9, "survived")],
    }
    return Examination(unit="t", revision="r", **{**sound, **fields})


class Bounds:
    """A recipe with one examination."""

    min_mutation_score = 0.8

    def __init__(self, found: Examination) -> None:
        self.found = found

    def examination(self, candidate: Subject) -> Examination:
        """The one."""
        return self.found


def through(found: Examination) -> list[Any]:
    """What all gates together say of a candidate."""
    return list(admit([SOUND], open_gates(GATES.values(), [], Bounds(found))))


def test_a_sound_task_is_admitted_with_evidence() -> None:
    """Its score, its survivors and what it cost are in the record."""
    admission, candidate = through(examined(cpu_s={"gold": 0.5, "mutants": 2.0}))

    assert candidate is SOUND
    assert isinstance(admission, Admission)
    assert admission.decisions["gold"].cpu_s == 0.5
    evidence = admission.decisions["mutation"].evidence
    assert (evidence["score"], evidence["killed"], evidence["survived"]) == (0.9, 9, 1)
    assert evidence["survivors"] == ["compare-9-1-survived"]


@pytest.mark.parametrize(
    ("code", "fields"),
    [
        ("gold_fails", {"gold": [WRONG] * 5}),
        ("flaky", {"gold": [PASSED, PASSED, WRONG]}),
        ("flaky", {"gold": [WRONG, PASSED]}),
        ("not_executed", {"gold": [PASSED, BROKEN]}),
        ("timed_out", {"gold": [SLOW] * 5}),
        ("timed_out", {"gold": [PASSED, PASSED, SLOW]}),
        ("gold_fails", {"gold": [SLOW, WRONG, SLOW]}),
        ("flaky", {"gold": [SLOW, PASSED, WRONG]}),
        ("not_executed", {"gold": [SLOW, BROKEN]}),
        ("stub_passes", {"stubs": {"returns None": PASSED, "returns 1": WRONG}}),
        ("wrong_passes", {"wrong": {"keeps the sign": PASSED}}),
        ("alternative_fails", {"alternatives": {"given 1": WRONG}}),
        ("weak_tests", {"mutants": [mutated(1, "killed"), mutated(2, "survived")]}),
        (
            "level_rejects_nothing",
            {
                "gold": [TrialResult(key="", outcome=Outcome.passed, parts={"normal": Outcome.passed})],
                "rejecting": [],
            },
        ),
    ],
)
def test_each_fault_has_its_code(code: str, fields: dict[str, Any]) -> None:
    """And a sentence."""
    (drop,) = through(examined(**fields))

    assert isinstance(drop, Drop)
    assert drop.reason == code
    assert drop.detail


def test_what_was_not_executed_is_no_refusal() -> None:
    """A failure of the sandbox says nothing against a right solution or a mutant."""
    _, candidate = through(
        examined(alternatives={"given 1": BROKEN}, mutants=[mutated(1, "killed"), mutated(2, "not_executed")])
    )

    assert candidate is SOUND


def test_declared_equivalents_are_left_out_of_the_score() -> None:
    """Those killed by time count as killed, and are counted apart."""
    found = examined(mutants=[mutated(1, "equivalent"), mutated(2, "timed_out"), mutated(3, "killed")])

    assert found.score == 1.0
    assert QUESTIONS["mutation"](found, Bounds(found)).evidence["timed_out"] == 1
    assert examined(mutants=[]).score is None


def test_a_line_is_one_weakness_and_those_within_the_range_lead() -> None:
    """Ten mutants of a line show one gap."""
    mutants = [
        mutated(4, "survived", beyond=True),
        mutated(4, "survived", beyond=False),
        mutated(2, "survived", beyond=True),
        mutated(3, "survived"),
    ]
    found = examined(mutants=mutants).weaknesses

    assert [(each.line, each.witness and each.witness.beyond) for each in found] == [(4, False), (2, True)]


def test_an_alternative_that_time_ended_is_no_reason() -> None:
    """Beside one that fails it is not the one that is named."""
    assert not QUESTIONS["alternatives"](examined(alternatives={"slow": SLOW}), Bounds(examined())).reason
    found = examined(alternatives={"slow": SLOW, "other": WRONG})

    decision = QUESTIONS["alternatives"](found, Bounds(found))

    assert (decision.reason, decision.evidence["failed"]) == ("alternative_fails", ["other"])
