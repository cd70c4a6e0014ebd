"""Application of gates: each candidate passes the gates in order, and the first refusal gives its drop."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec

from benchwright.contracts import KEEP, Admission, Decision, Gate, GateOpener, StatefulGate, Subject
from benchwright.errors import RunError, UsageError
from benchwright.records import Drop
from benchwright.registry import find

S = TypeVar("S", bound=Subject)
GateFunction = Callable[[S, Any], Decision]
_CODE = re.compile(r"[a-z][a-z0-9_]*")


class FunctionGate(NamedTuple, Generic[S]):
    """A gate made of one function of a candidate and the bounds."""

    name: str
    version: int
    check: GateFunction[S]
    bounds: Any

    def decide(self, candidate: S) -> Decision:
        """Call the function."""
        return self.check(candidate, self.bounds)


def gate(name: str, *, version: int = 1) -> Callable[[GateFunction[S]], GateOpener]:
    """Decorator: turn a function of a candidate and the bounds into the opener of a gate."""

    def opener_of(check: GateFunction[S]) -> GateOpener:
        return lambda bounds: FunctionGate(name, version, check, bounds)

    return opener_of


def open_gates(openers: Iterable[GateOpener], names: Iterable[str], bounds: Any) -> list[Gate[Any]]:
    """Open the gates of a recipe, then those that a user names.

    Raises UsageError for an unknown or repeated name.
    """
    opened = [opener(bounds) for opener in openers]
    for name in names:
        if any(each.name == name for each in opened):
            raise UsageError(f"--gate {name}: this gate is already applied", hint="remove the option")
        found: Gate[Any] = find("gate", name)(bounds)
        if found.name != name:
            raise UsageError(f"--gate {name}: the gate registered under this name is called {found.name!r}")
        opened.append(found)
    return opened


def gate_versions(gates: Iterable[Gate[Any]], names: Iterable[str]) -> dict[str, int]:
    """The versions of the named gates; two builds with equal versions decide alike."""
    known = {each.name: each.version for each in gates}
    return {name: known[name] for name in sorted(names)}


def decide(candidate: S, gates: Sequence[Gate[S]], *, every: bool = False) -> dict[str, Decision]:
    """The decision of each gate up to the first refusal, or of all gates with `every`."""
    decisions: dict[str, Decision] = {}
    for each in gates:
        decision = decisions[each.name] = each.decide(candidate)
        if decision.reason:
            _check_code(each.name, decision.reason)
            if not every:
                break
    return decisions


def refusal(decisions: Mapping[str, Decision]) -> Decision | None:
    """The decision that refused the candidate, or None."""
    return next((each for each in decisions.values() if each.reason), None)


def precomputed_decisions(
    candidate: S, gates: Sequence[Gate[S]], *, cheap: Collection[str]
) -> dict[str, Decision]:
    """The decisions that `admit` would ask of these gates, if they are the first ones."""
    decisions = decide(candidate, gates)
    if refusal(decisions) is not None:
        left = [each for each in gates if each.name in cheap and each.name not in decisions]
        decisions |= decide(candidate, left, every=True)
    return decisions


class PrecomputedGate(Generic[S]):
    """A gate whose decision was computed before: `known` has the decision about the current candidate."""

    def __init__(self, gate: Gate[S], known: Mapping[str, Decision]) -> None:
        self.name, self.version, self._known = gate.name, gate.version, known

    def decide(self, _: S) -> Decision:
        """Return the known decision."""
        return self._known[self.name]


def admit(
    candidates: Iterable[S], gates: Sequence[Gate[S]], *, cheap: Collection[str] = ()
) -> Iterator[S | Drop | Admission]:
    """Yield the candidates that all gates keep, the others as drops, and admissions with evidence or cost.

    A gate remembers only candidates that every gate kept, so no candidate is dropped because of a dropped
    one. Gates named in `cheap` are also asked about a refused candidate; the drop lists their reasons.
    """
    remembering = [each for each in gates if isinstance(each, StatefulGate)]
    later = {each.name: each for each in gates if each.name in cheap}
    for candidate in candidates:
        decisions = decide(candidate, gates)
        if (refused := refusal(decisions)) is not None:
            left = [gate for name, gate in later.items() if name not in decisions]
            also = [each.reason for each in decide(candidate, left, every=True).values() if each.reason]
            yield _drop(candidate, refused, decisions, also=also)
            continue
        for each in remembering:
            each.remember(candidate)
        if notable := {name: decision for name, decision in decisions.items() if decision != KEEP}:
            yield Admission(unit=candidate.unit, revision=candidate.revision, decisions=notable)
        yield candidate


def _check_code(name: str, reason: str) -> None:
    if not _CODE.fullmatch(reason):
        message = f"the gate {name} gave the reason {reason!r}, which is not a reason code"
        raise RunError(message, hint="use lower-case letters, digits and underscores, for example too_long")


def _drop(
    candidate: Subject, refused: Decision, decisions: Mapping[str, Decision], *, also: list[str]
) -> Drop:
    """The drop of a refused candidate; its cost is that of all gates that were asked."""
    drop = Drop(
        unit=candidate.unit,
        reason=refused.reason,
        detail=refused.detail,
        evidence=refused.evidence,
        also=also,
    )
    cpu_s = sum(each.cpu_s for each in decisions.values())
    return msgspec.structs.replace(drop, cpu_s=cpu_s) if cpu_s else drop
