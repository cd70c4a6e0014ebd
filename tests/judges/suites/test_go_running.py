"""Reading the report of a run: nothing counts but lines with the words that were drawn."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from benchwright.contracts import CaseReport
from benchwright.judges.suites.go_running import GoRunRequest, read_report

TICKET = GoRunRequest(
    suite=3, folder="src", failing="TestQb", flags=["-test.v=true", "-x"], words=["w0", "w1", "w2", "w3"]
)
GOOD = b"w0\tbegun\t\t\nw1\tpassed\tTestA\t\nw2\tfailed\tTestQb\tassertion\nw3\tend\t\t\n"


def test_honest_report() -> None:
    """A whole report gives its cases and its end."""
    told = read_report(GOOD, TICKET)
    cases = [
        CaseReport(name="TestA", state="passed"),
        CaseReport(name="TestQb", state="failed", kind="assertion"),
    ]

    assert (told.begun, told.ended, told.cases, told.fault) == (True, True, cases, "")


def test_cut_report() -> None:
    """One that stops early has not ended, and is no forgery."""
    told = read_report(GOOD[: GOOD.index(b"w2")], TICKET)

    assert (told.begun, told.ended, len(told.cases), told.fault) == (True, False, 1, "")


def test_wrong_word() -> None:
    """A line without its word is a fault, and all after it is left."""
    told = read_report(GOOD.replace(b"w2", b"w1"), TICKET)

    assert (told.ended, len(told.cases), bool(told.fault)) == (False, 1, True)


def test_end_too_early() -> None:
    """An end that leaves words over is none."""
    assert not read_report(b"w0\tbegun\t\t\nw1\tend\t\t\n", TICKET).ended


def test_more_lines_than_words() -> None:
    """A line after the last word is a fault."""
    assert read_report(GOOD + b"w4\tpassed\tTestB\t\n", TICKET).fault


def test_text_without_line_end() -> None:
    """Text after the last line is a fault."""
    assert read_report(GOOD + b"x", TICKET).fault


def test_ticket_text() -> None:
    """The ticket is what the harness reads: number, folder, canaries, flags, words."""
    assert TICKET.text() == "3\nsrc\ncanaries\nTestQb\n-test.v=true -x\nw0\nw1\nw2\nw3"


@given(st.binary(max_size=300))
def test_any_bytes(data: bytes) -> None:
    """No bytes make a report that has ended without the words."""
    assert not read_report(data, TICKET).ended
