"""Gates applied: the first refusal counts, only what all keep is remembered, evidence and cost are kept."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright import registry
from benchwright.building.codecorrectness.options import RowBounds
from benchwright.building.codecorrectness.row_gates import GATES
from benchwright.building.codecorrectness.row_records import Candidate
from benchwright.building.engine.gates import admit, decide, gate, gate_versions, open_gates, refusal
from benchwright.contracts import KEEP, Admission, Decision
from benchwright.errors import RunError, UsageError
from benchwright.records import Drop
from kit.made_candidates import candidate


def _named(name: str, decision: Decision) -> Any:
    return gate(name)(lambda _candidate, _bounds: decision)(None)


class _Once:
    """Refuses what it remembers."""

    name, version = "once", 3

    def __init__(self) -> None:
        self.known: list[str] = []

    def decide(self, candidate: Candidate) -> Decision:
        return Decision(reason="again") if candidate.revision in self.known else KEEP

    def remember(self, candidate: Candidate) -> None:
        self.known.append(candidate.revision)


@given(st.lists(st.sampled_from(["", "first", "second"]), max_size=5))
def test_the_first_refusal_is_the_reason(reasons: list[str]) -> None:
    """Gates after it are not asked, and every candidate is kept or dropped once."""
    gates = [_named(f"g{at}", Decision(reason=reason)) for at, reason in enumerate(reasons)]
    first = next((reason for reason in reasons if reason), "")
    decisions = decide(candidate(), gates)
    (found,) = admit([candidate()], gates)

    assert len(decisions) == (reasons.index(first) + 1 if first else len(reasons))
    assert (getattr(refusal(decisions), "reason", "")) == first
    assert found == (Drop(unit=candidate().unit, reason=first) if first else candidate())


def test_only_what_all_gates_keep_is_remembered() -> None:
    """A candidate that a later gate drops is no reason to drop the next one."""
    refused = iter([True, False, False])
    later = gate("later")(lambda _each, _bounds: Decision(reason="no") if next(refused) else KEEP)(None)
    found = list(admit([candidate()] * 3, [_Once(), later]))

    assert [each.reason if isinstance(each, Drop) else "" for each in found] == ["no", "", "again"]


def test_evidence_and_cost_of_a_kept_candidate() -> None:
    """They stand in its admission, which comes before it; gates that have none are not in it."""
    told = Decision(evidence={"seen": 3}, cpu_s=0.5)
    gates = [_named("plain", KEEP), _named("expensive", told)]
    unit, revision = candidate().unit, candidate().revision
    admission = Admission(unit=unit, revision=revision, decisions={"expensive": told})

    assert list(admit([candidate()], gates)) == [admission, candidate()]


def test_evidence_and_cost_of_a_dropped_candidate() -> None:
    """The drop has the evidence of the gate that refused it, and what all that were asked have cost."""
    kept = Decision(evidence={"seen": 3}, cpu_s=0.5)
    refused = Decision(reason="too_slow", detail="2 s", evidence={"s": 2}, cpu_s=1.5)
    (drop,) = admit([candidate()], [_named("a", kept), _named("b", refused), _named("c", kept)])

    assert drop == Drop(unit=candidate().unit, reason="too_slow", detail="2 s", evidence={"s": 2}, cpu_s=2.0)


@pytest.mark.parametrize("reason", ["Too long", "a|b", "x\n", "über", "1st"])
def test_a_reason_that_is_no_code(reason: str) -> None:
    """It would stand in tables and cards: the gate is named."""
    with pytest.raises(RunError, match="the gate odd gave the reason"):
        decide(candidate(), [_named("odd", Decision(reason=reason))])


def test_a_recipe_and_further_gates(monkeypatch: pytest.MonkeyPatch) -> None:
    """A user's gates come after the recipe's and are versioned; one that is applied already is refused."""
    monkeypatch.setattr(registry, "_installed", lambda kind: {"once": _Point()} if kind == "gate" else {})
    gates = open_gates(GATES, ["once"], RowBounds())

    own = [name for name in registry.GATES if name.startswith("codecorrectness.")]

    assert [each.name for each in gates] == [*own, "once"]
    assert gate_versions(gates, ["once"]) == {"once": 3}
    with pytest.raises(UsageError, match="already applied"):
        open_gates(GATES, ["codecorrectness.size"], RowBounds())
    with pytest.raises(UsageError, match="unknown gate: onse"):
        open_gates((), ["onse"], RowBounds())


class _Point:
    """An entry point."""

    def load(self) -> Any:
        return lambda bounds: _Once()


def test_a_gate_of_another_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """A gate is known by one name, in identities and in admissions."""
    monkeypatch.setattr(registry, "_installed", lambda kind: {"twice": _Point()})
    with pytest.raises(UsageError, match="is called 'once'"):
        open_gates((), ["twice"], RowBounds())


def test_every_built_in_gate_can_be_opened_by_name() -> None:
    """The registry's names and the gates' own are the same."""
    assert [registry.find("gate", name)(RowBounds()).name for name in registry.GATES] == list(registry.GATES)
