"""One verdict out of several executions: unanimous, or no label."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.building.codecorrectness.label_executions import STATES, consensus_of, label_from_executions
from benchwright.building.codecorrectness.row_records import Candidate
from benchwright.contracts import Variation
from benchwright.executing.suite_ledger import Execution
from benchwright.records import Drop
from kit.made_candidates import candidate

_SEEN = ("success", "failed:assertion", "failed:environment", "tampered", "sandbox_error", "absent")


def _runs(*seen: str) -> list[Execution]:
    made = []
    for number, each in enumerate(seen):
        state, _, kind = each.partition(":")
        variation = Variation(number=number)
        made.append(
            Execution(
                key=str(number), row="r", lang="Go", variation=variation, state=state, kind=kind, detail=each
            )
        )
    return made


def _execution(state: str, *, kind: str = "", detail: str = "") -> Execution:
    return Execution(
        key="k", row="r", lang="Java", variation=Variation(), state=state, kind=kind, detail=detail
    )


@pytest.mark.parametrize(
    ("seen", "state", "label", "passes"),
    [
        (("success", "success"), "steady", "success", 2),
        (("failed:assertion", "failed:timeout"), "steady", "failed", 0),
        (("success", "failed:assertion", "success"), "flaky", "", 2),
        (("success", "failed:environment"), "environment", "", 1),
        (("failed:assertion", "tampered"), "tampered", "", 0),
        (("failed:assertion", "tampered", "sandbox_error"), "sandbox_error", "", 0),
        (("absent",), "absent", "", 0),
        ((), "sandbox_error", "", 0),
    ],
)
def test_agreement(seen: tuple[str, ...], state: str, label: str, passes: int) -> None:
    """What is not known of one execution is not known of the row; then disagreement; then the label."""
    told = consensus_of(_runs(*seen))

    assert (told.state, told.label, told.passes) == (state, label, passes)


def test_the_detail_is_that_of_the_deciding_execution() -> None:
    """Of a flaky row, the failure is what a reader wants to see."""
    assert consensus_of(_runs("success", "failed:assertion")).detail == "failed:assertion"


def test_kinds_are_counted() -> None:
    """A row may fail in two ways and still fail always."""
    told = consensus_of(_runs("failed:timeout", "failed:assertion", "failed:timeout"))

    assert (told.kinds, told.pass_rate, told.runs) == ({"assertion": 1, "timeout": 2}, 0.0, 3)


def test_a_state_that_no_contract_knows() -> None:
    """A runner that invents states is a fault of ours, and loud."""
    with pytest.raises(ValueError, match="strange"):
        consensus_of(_runs("strange"))


@given(st.lists(st.sampled_from(_SEEN), max_size=6))
def test_a_label_needs_every_execution(seen: list[str]) -> None:
    """There is a label exactly where all executions ended alike and told something."""
    told = consensus_of(_runs(*seen))
    states = {each.partition(":")[0] for each in seen}
    known = len(states) == 1 and states <= {"success", "failed"} and "failed:environment" not in seen

    assert (told.state in STATES, bool(told.label)) == (True, known)


def test_a_library_of_matchers_is_called_what_it_is() -> None:
    """Code that names the test framework cannot be told from code that forges a report; it is not accused."""
    for detail, reason in (
        ("org.box.IsBox names org.hamcrest, which only the tests may", "uses_test_library"),
        ("wrote to the channel of the report", "tampered"),
    ):
        found = label_from_executions(candidate(1), [_execution("tampered", detail=detail)] * 2)

        assert isinstance(found, Drop) and found.reason == reason


def test_a_mutant_that_does_not_compile_is_no_row() -> None:
    """It shows at sight. A state of history that does not is kept for now: another state has to compile."""
    ended = [_execution("failed", kind="compile", detail="A.java:1: cannot find symbol")] * 2
    mutant = label_from_executions(candidate(1, subset="mutated", mutation="x-1-1"), ended)
    state = label_from_executions(candidate(1, subset="history"), ended)

    assert isinstance(mutant, Drop) and mutant.reason == "does_not_compile"
    assert isinstance(state, Candidate) and (state.label, state.kind) == ("failed", "compile")


def test_a_process_that_ended_has_no_label() -> None:
    """By exit or by signal; an exception as the file is loaded is a failure like any other."""
    for detail, reason in (
        ("the process exited with status 0 before it had answered", "uses_exit"),
        ("the process was ended by signal 9 before it had answered", "uses_exit"),
        ("the JVM exited before the last test was over in BoxTest#a", "uses_exit"),
        ("exited with status 1 in BoxTest#a", "uses_exit"),
        ("ValueError: the process exited with status 0", ""),
    ):
        found = label_from_executions(
            candidate(1), [_execution("failed", kind="exception", detail=detail)] * 2
        )

        assert (found.reason if isinstance(found, Drop) else "") == reason
