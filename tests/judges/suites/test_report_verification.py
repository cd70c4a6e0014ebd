"""Which claims on a suite are believed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.contracts import FAILURES, CaseReport, Suite
from benchwright.judges.suites.report_verification import (
    STATES,
    Canaries,
    SuiteClaims,
    draw_canaries,
    kind_of,
    random_word,
    sandbox_error,
    shorten,
    verify_report,
)
from benchwright.records import Outcome

SUITE = Suite(
    lang="Go", framework="go", files={"a": "", "b": ""}, focal="a", test="b", cases=["TestA", "TestB"]
)
CANARIES = Canaries(passing="TestP", failing="TestF")


def case(name: str, state: str = "passed", kind: str = "", detail: str = "") -> CaseReport:
    return CaseReport(name=name, state=state, kind=kind, detail=detail)


def failing(name: str, kind: str = "assertion", detail: str = "") -> CaseReport:
    return case(name, "failed", kind, detail)


WATCHED = [case("TestP"), failing("TestF")]
GOOD = [case("TestA"), case("TestB"), *WATCHED]


def state_of(cases: list[CaseReport], **fields: object) -> str:
    claims = SuiteClaims(cases=cases, **{"complete": True, **fields})  # type: ignore[arg-type]
    report = verify_report(SUITE, CANARIES, claims, case_of=lambda name: name.partition("/")[0])
    return f"{report.state} {report.kind}".strip()


@pytest.mark.parametrize(
    ("cases", "fields", "expected"),
    [
        (GOOD, {}, "success"),
        (GOOD[::-1], {}, "success"),
        (GOOD, {"complete": False}, "failed exception"),
        (GOOD, {"complete": False, "kind": "timeout"}, "failed timeout"),
        (GOOD, {"kind": "memory"}, "failed memory"),
        (GOOD, {"kind": "tampered"}, "tampered"),
        ([], {"complete": False, "kind": "compile"}, "failed compile"),
        ([], {}, "tampered"),
        (GOOD[:3], {}, "tampered"),
        (GOOD[1:], {}, "tampered"),
        ([*GOOD, case("TestA")], {}, "tampered"),
        ([*GOOD, case("TestC")], {}, "tampered"),
        ([*GOOD, case("TestA/1"), case("TestA/2")], {}, "success"),
        ([*GOOD, case("TestA/1"), failing("TestA/2")], {}, "failed assertion"),
        ([case("TestA"), failing("TestB", "exception"), *WATCHED], {}, "failed exception"),
        ([case("TestA"), case("TestB"), case("TestP"), case("TestF")], {}, "tampered"),
        ([failing("TestA"), failing("TestB"), case("TestP"), case("TestF")], {}, "tampered"),
        ([case("TestA"), case("TestF")], {"complete": False}, "tampered"),
        ([case("TestA"), case("TestB"), failing("TestP"), failing("TestF")], {}, "tampered"),
        ([case("TestA"), case("TestB"), case("TestP"), case("TestF", "skipped")], {}, "tampered"),
        ([failing("TestA"), failing("TestB"), failing("TestP"), failing("TestF")], {}, "failed assertion"),
        ([case("TestA", "skipped"), case("TestB"), *WATCHED], {}, "success"),
        ([case("TestA", "skipped"), case("TestB", "skipped"), *WATCHED], {}, "failed environment"),
        ([case(name, "skipped") for name in ("TestA", "TestB", "TestP", "TestF")], {}, "failed environment"),
        ([case("TestA", "splendid"), *GOOD[1:]], {}, "tampered"),
        ([failing("TestA", "bad luck"), *GOOD[1:]], {}, "tampered"),
        ([failing("TestA", "tampered"), *GOOD[1:]], {}, "tampered"),
        ([failing("TestA", ""), *GOOD[1:]], {}, "failed exception"),
    ],
)
def test_settling(cases: list[CaseReport], fields: dict[str, object], expected: str) -> None:
    """Success only for a complete report on exactly the known cases, with both canaries as they must be."""
    assert state_of(cases, **fields) == expected


@given(
    st.lists(
        st.builds(
            CaseReport,
            name=st.sampled_from(["TestA", "TestB", "TestP", "TestF", "TestX", "TestA/1"]),
            state=st.sampled_from([*STATES, "odd"]),
            kind=st.sampled_from(["", *FAILURES, "odd"]),
        ),
        max_size=7,
    ),
    st.booleans(),
    st.sampled_from(["", *FAILURES]),
)
def test_success_is_never_lightly_given(cases: list[CaseReport], complete: bool, kind: str) -> None:
    """Whatever is claimed, a success has all cases, none failed, one passed, and the canaries right."""
    states = {claim.name: claim.state for claim in cases}
    success = state_of(cases, complete=complete, kind=kind) == "success"
    own = [states.get(name) for name in ("TestA", "TestB") if name in states or f"{name}/1" not in states]
    right = (states.get("TestP"), states.get("TestF")) == ("passed", "failed")

    assert not success or (
        complete
        and not kind
        and right
        and len(states) == len(cases)
        and None not in own
        and "failed" not in own
    )


def test_cases_of_a_report() -> None:
    """Each case once, in the suite's order; a run that failed gives its name; what did not run says so."""
    claims = SuiteClaims(cases=[failing("TestB/x", "assertion", "1 is 2"), case("TestB/y")], kind="timeout")
    report = verify_report(SUITE, CANARIES, claims, case_of=lambda name: name.partition("/")[0])

    assert report.cases == [
        failing("TestA", "timeout", "did not run to its end"),
        failing("TestB", "assertion", "TestB/x: 1 is 2"),
    ]


def test_no_cases() -> None:
    """A suite without a case has nothing that could succeed."""
    suite = Suite(lang="Go", framework="go", files={}, focal="a", test="b", cases=[])
    report = verify_report(suite, CANARIES, SuiteClaims(cases=WATCHED, complete=True))

    assert (report.state, report.kind) == ("failed", "environment")


def test_shown_text() -> None:
    """Control characters are escaped, and the length is bounded after that."""
    assert (shorten("a\x1b[1m\n"), len(shorten("\x1b" * 999))) == ("a\\x1b[1m\n", 500)


@pytest.mark.parametrize(
    ("outcome", "kind"),
    [
        (Outcome.timed_out, "timeout"),
        (Outcome.out_of_memory, "memory"),
        (Outcome.tampered, "tampered"),
        (Outcome.output_limit, "exception"),
        (Outcome.exception, "exception"),
    ],
)
def test_kinds(outcome: Outcome, kind: str) -> None:
    """How the sandbox's ends are called in a report."""
    assert kind_of(outcome) == kind


def test_sandbox_error() -> None:
    """A failure of the sandbox is a state of its own, which blames nobody."""
    assert (sandbox_error("gone\0").state, sandbox_error("gone\0").detail) == ("sandbox_error", "gone\\x00")


def test_canaries() -> None:
    """Names are drawn anew, differ, follow the wanted form and can be part of an identifier."""
    canaries = draw_canaries("FooTest#{}")
    names = {canaries.passing, canaries.failing, *(f"FooTest#{random_word()}" for _ in range(50))}

    assert (len(names), all(name[8:].isalpha() and name[8:].islower() for name in names)) == (52, True)
