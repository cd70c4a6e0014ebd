"""What executing a solution gave, as cases: values as data, exceptions by type, and faults in words."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.building.aicodereval.drafted_cases import as_json, read_cases, spec_for
from benchwright.building.aicodereval.drafting_prompts import ProposedCase
from benchwright.cases.reading import resolve
from benchwright.contracts import CaseLevel, RepliesSpec
from benchwright.executing.trials import TrialResult
from benchwright.records import Outcome
from benchwright.sandbox.codec import decode, encode

PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5)
    | st.binary(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text(max_size=3) | st.integers(0, 3), inner, max_size=3)
    ),
    max_leaves=8,
)


def _proposed(level: CaseLevel = CaseLevel.normal, name: str = "a", **kwargs: Any) -> ProposedCase:
    return ProposedCase(name=name, level=level, description="", args=[1], kwargs=kwargs)


def _tried(*replies: tuple[str, bytes]) -> TrialResult:
    return TrialResult(key="k", outcome=Outcome.passed, payload=msgspec.msgpack.encode(replies))


@settings(deadline=None)
@given(value=PLAIN)
def test_values_are_written_and_read(value: Any) -> None:
    """What a case writes is what its judge compares with."""
    assert resolve(as_json(value)) == value


@pytest.mark.parametrize("value", [float("nan"), float("inf"), [float("nan")], object(), 1j])
def test_values_that_no_case_asks_for(value: Any) -> None:
    """No number, and nothing that cannot be written."""
    with pytest.raises((ValueError, TypeError)):
        as_json(value)


def test_tolerances_where_a_float_stands() -> None:
    """And nowhere else: all other values are compared exactly."""
    for value, tolerant in ((1, False), ([1, {"a": 0.5}], True), ((1.5,), True), ("1.5", False)):
        found = read_cases([_proposed()], [_tried(("value", encode(value)))])
        assert bool(found.cases[0].expected.rel_tol) is tolerant


@pytest.mark.parametrize(
    ("level", "text", "raises", "fault"),
    [
        (CaseLevel.edge_case, "ValueError: no (line 3)", "ValueError", ""),
        (CaseLevel.edge_case, "KeyError", "KeyError", ""),
        (CaseLevel.normal, "ValueError: no (line 3)", "", "only edge cases may raise"),
        (CaseLevel.edge_case, "Own: no", "", "built-in exception"),
        (CaseLevel.edge_case, "KeyboardInterrupt: ", "", "built-in exception"),
        (CaseLevel.edge_case, "print: x", "", "built-in exception"),
    ],
)
def test_exceptions(level: CaseLevel, text: str, raises: str, fault: str) -> None:
    """A case asks for a type that everybody can raise, and only an edge case does."""
    found = read_cases([_proposed(level)], [_tried(("exception", text.encode()))])

    assert fault in found.fault and bool(fault) is bool(found.fault)
    assert [case.expected.raises for case in found.cases] == ([raises] if raises else [])


def test_a_program_that_ended() -> None:
    """The case at which it ended is named, with why."""
    ended = _tried(("value", encode(1)), ("ended", b"timed_out: 20 s"))
    found = read_cases([_proposed(), _proposed(name="b"), _proposed(name="c")], [ended])

    assert found.cases == []
    assert found.fault.startswith("case 'b'") and "timed_out" in found.fault
    broken = TrialResult(key="k", outcome=Outcome.syntax_error, detail="line 1")
    assert "syntax_error, line 1" in read_cases([_proposed()], [broken]).fault


def test_executions_must_agree() -> None:
    """The first that differs is named."""
    found = read_cases([_proposed()], [_tried(("value", encode(1))), _tried(("value", encode(2)))])

    assert "another execution of the same call" in found.fault


def test_what_is_executed() -> None:
    """All calls of all cases, or what is wrong with an input."""
    levels = [_proposed(level, name=level.value, key={"$literal": "(1, 2)"}) for level in CaseLevel]
    spec = spec_for(levels, "f", "bare", {})

    assert isinstance(spec, RepliesSpec)
    assert (spec.count, decode(spec.calls)) == (3, [((1,), {"key": (1, 2)})] * 3)
    assert "no case of level edge_case" in str(spec_for(levels[:1], "f", "bare", {}))
    assert "duplicate case name" in str(spec_for([*levels, levels[0]], "f", "bare", {}))
