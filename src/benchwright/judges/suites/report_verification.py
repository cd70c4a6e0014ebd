"""Verify the report of a suite: what the trusted side believes of a runner's claims, and the two canaries.

The only source of a SuiteReport. The tests ran in one process with the code under test, so each message may
be forged. A report is valid if it is complete: every case that the trusted parse knows and no other, each
once; the canary that must fail failed and the other passed; and the last message came. Everything else is
"failed" or "tampered". Code that makes all tests pass makes the failing canary pass; code that silences the
runner loses one. Names are drawn for each execution, so no text can contain them.
"""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Callable, Mapping
from string import ascii_lowercase

from benchwright.contracts import FAILURES, CaseReport, Suite, SuiteReport
from benchwright.display.escape import escaped_start
from benchwright.records import Outcome, Record

STATES = ("passed", "failed", "skipped")
DETAIL_LIMIT = 500
_KINDS = {
    Outcome.timed_out: "timeout",
    Outcome.out_of_memory: "memory",
    Outcome.tampered: "tampered",
}


class SuiteClaims(Record, frozen=True, kw_only=True):
    """The output of the sandbox, with its format checked and its content not trusted.

    `cases` has one entry for each run of each case, canaries included, in the order they came; a parametrised
    case has one for each of its runs, under their own names. `complete`: the final message came, with the
    right nonce. `kind` and `detail`: why it did not, or why nothing was run at all, such as a syntax error;
    then `cases` has the entries before that.
    """

    cases: list[CaseReport] = []
    complete: bool = False
    kind: str = ""  # one of FAILURES
    detail: str = ""
    cpu_s: float = 0.0
    wall_s: float = 0.0
    diagnostics: str = ""  # compiler messages on the focal file
    lines: list[int] = []  # executed lines of the focal file
    versions: dict[str, str] = {}


def kind_of(outcome: Outcome) -> str:
    """Return the failure kind of a sandbox outcome; `exception` for all others."""
    return _KINDS.get(outcome, "exception")


def shorten(text: str) -> str:
    """Return the first characters of a text, control characters escaped."""
    return escaped_start(text, DETAIL_LIMIT)


def sandbox_error(detail: str) -> SuiteReport:
    """Return the report for a sandbox that failed repeatedly: nothing is known of the suite."""
    return SuiteReport(state="sandbox_error", detail=shorten(detail))


def verify_report(
    suite: Suite, canaries: Canaries, claims: SuiteClaims, *, case_of: Callable[[str], str] = str
) -> SuiteReport:
    """Return the report on a suite. `case_of` maps the name of a run to its case ("test_x[1]" to
    "test_x")."""
    sign = _tampering(suite, canaries, claims, case_of)
    if sign:
        return _report("tampered", "", sign, [], claims)
    runs: dict[str, list[CaseReport]] = {}
    for claim in claims.cases:
        runs.setdefault(case_of(claim.name), []).append(claim)
    cases = [_case(name, runs.get(name, []), claims) for name in suite.cases]
    state, kind, detail = _judged(cases, canaries, claims)
    return _report(state, kind, detail, cases, claims)


def _report(state: str, kind: str, detail: str, cases: list[CaseReport], claims: SuiteClaims) -> SuiteReport:
    return SuiteReport(
        state=state,
        kind=kind,
        cases=cases,
        detail=shorten(detail),
        cpu_s=claims.cpu_s,
        wall_s=claims.wall_s,
        diagnostics=shorten(claims.diagnostics),
        lines=claims.lines,
        versions=claims.versions,
    )


def _tampering(suite: Suite, canaries: Canaries, claims: SuiteClaims, case_of: Callable[[str], str]) -> str:
    """Return what an honest runner never claims, as a sentence; empty if there is nothing of that kind."""
    if claims.kind == "tampered":
        return claims.detail or "wrote to the channel of the report"
    known = {*suite.cases, canaries.passing, canaries.failing}
    states = {claim.name: claim.state for claim in claims.cases}
    for claim in claims.cases:
        if claim.state not in STATES or claim.kind not in ("", *FAILURES):
            return f"{claim.name}: a state that no runner reports"
        if claim.kind == "tampered":
            return f"{claim.name}: {claim.detail}"
        if claim.name not in known and case_of(claim.name) not in known:
            return f"{claim.name}: a case that is not in the test file"
    repeated_names = [
        name for name, count in Counter(claim.name for claim in claims.cases).items() if count > 1
    ]
    if repeated_names:
        return f"{repeated_names[0]}: reported twice"
    return _canary_fault(canaries, states) or _gap(suite, canaries, claims, case_of)


def _canary_fault(canaries: Canaries, states: Mapping[str, str]) -> str:
    """Check the canaries. A passing canary that fails is an ordinary failure if nothing else passed either: a
    fixture for all tests of a file may have failed."""
    if states.get(canaries.failing) == "passed":
        return "a test that must fail was reported as passed"
    others = [state for name, state in states.items() if name not in (canaries.passing, canaries.failing)]
    if "passed" not in others:
        return ""
    if states.get(canaries.failing, "failed") != "failed":
        return "a test that must fail was reported as skipped"
    return "" if states.get(canaries.passing, "passed") == "passed" else "a test that must pass did not"


def _gap(suite: Suite, canaries: Canaries, claims: SuiteClaims, case_of: Callable[[str], str]) -> str:
    """Return what a report lacks that claims to be complete. An incomplete report is a failure instead."""
    if not claims.complete or claims.kind:
        return ""
    reported = {case_of(claim.name) for claim in claims.cases} | {claim.name for claim in claims.cases}
    missing = [name for name in suite.cases if name not in reported]
    if missing:
        return f"{missing[0]}: not in a report that claims to be complete"
    canary_missing = not {canaries.passing, canaries.failing} <= reported
    return "a test that was added is not in a report that claims to be complete" if canary_missing else ""


def _case(name: str, runs: list[CaseReport], claims: SuiteClaims) -> CaseReport:
    """Combine the runs of a case: failed if one failed, else passed if one passed."""
    if not runs:
        kind = claims.kind or "exception"
        return CaseReport(name=name, state="failed", kind=kind, detail="did not run to its end")
    failed = next((run for run in runs if run.state == "failed"), None)
    decisive = failed or next((run for run in runs if run.state == "passed"), runs[0])
    run = decisive.name if decisive.name != name and decisive.detail else ""
    detail = f"{run}: {decisive.detail}" if run else decisive.detail
    kind = (decisive.kind or "exception") if failed else ""
    return CaseReport(name=name, state=decisive.state, kind=kind, detail=shorten(detail))


def _judged(cases: list[CaseReport], canaries: Canaries, claims: SuiteClaims) -> tuple[str, str, str]:
    if claims.kind:
        return "failed", claims.kind, claims.detail
    if not claims.complete:
        return "failed", "exception", claims.detail or "the process ended before its report was complete"
    failed = next((case for case in cases if case.state == "failed"), None)
    if failed is not None:
        return "failed", failed.kind, f"{failed.name}: {failed.detail}"
    if not cases:
        return "failed", "environment", "the suite names no test case"
    if all(case.state == "skipped" for case in cases):
        return "failed", "environment", f"every case was skipped: {cases[0].detail}"
    return "success", "", ""


_LETTERS = 14


class Canaries(Record, frozen=True, kw_only=True):
    """The names under which the runner reports the two tests."""

    passing: str
    failing: str


def random_word() -> str:
    """Return random lower-case letters, usable in an identifier of every language."""
    number, size = secrets.randbelow(len(ascii_lowercase) ** _LETTERS), len(ascii_lowercase)
    return "".join(ascii_lowercase[number // size**place % size] for place in range(_LETTERS))


def draw_canaries(form: str) -> Canaries:
    """Draw canaries whose names are `form` with its `{}` filled, in Java for example "FooTest#{}"."""
    return Canaries(passing=form.format(random_word()), failing=form.format(random_word()))
