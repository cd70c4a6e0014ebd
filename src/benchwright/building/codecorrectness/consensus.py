"""What several executions of one row say together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from benchwright.executing.ledger import Execution
from benchwright.records import Record

# In this order: a row is the first of these that any of its executions says, since a label needs all of
# them. Only then do successes and failures count.
UNKNOWN = ("absent", "sandbox_error", "tampered", "environment")
STATES = (*UNKNOWN, "flaky", "steady")


class Consensus(Record, frozen=True, kw_only=True):
    """`state` is one of STATES; `label` is what a data set writes, empty unless the state is "steady"."""

    state: str
    label: str = ""
    runs: int = 0
    passes: int = 0
    kinds: dict[str, int] = {}  # of the failures
    detail: str = ""  # of the execution that decided

    @property
    def pass_rate(self) -> float:
        """The part of the executions in which all tests passed."""
        return self.passes / self.runs if self.runs else 0.0


def agree(executions: Sequence[Execution]) -> Consensus:
    """One verdict on a row; unanimous or no label, as a majority would keep rows that answer by chance."""
    states = [_state(execution) for execution in executions]
    passes = states.count("success")
    kinds = dict(sorted(Counter(each.kind for each in executions if each.kind).items()))
    state, deciding = _verdict(states)
    return Consensus(
        state=state,
        label=states[0] if state == "steady" else "",
        runs=0 if state == "absent" else len(executions),
        passes=passes,
        kinds=kinds,
        detail=executions[deciding].detail if executions else "it was never executed",
    )


def _state(execution: Execution) -> str:
    known = execution.state in ("success", "failed") and execution.kind == "environment"
    return "environment" if known else execution.state


def _verdict(states: list[str]) -> tuple[str, int]:
    """The state, and which execution shows it best."""
    if not states:
        return "sandbox_error", 0
    for unknown in UNKNOWN:
        if unknown in states:
            return unknown, states.index(unknown)
    strange = [state for state in states if state not in ("success", "failed")]
    if strange:
        raise ValueError(f"a runner reported the state {strange[0]!r}")
    if len(set(states)) > 1:
        return "flaky", states.index("failed")
    return "steady", 0
