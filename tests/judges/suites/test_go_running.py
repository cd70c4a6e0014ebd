"""Reading the report of a run: nothing counts but lines with the words that were drawn."""

from __future__ import annotations

from itertools import chain

from hypothesis import given
from hypothesis import strategies as st

from benchwright.contracts import CaseReport
from benchwright.judges.suites.go_running import SHOWN_LINES, GoRunRequest, read_report, stable_text

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


MESSAGES = (  # messages of a test that ranges over a map, as lines; testing marks those of t.Error since 1.26
    ["\x0f    sum_test.go:12: four: got 5\x0e"],
    ["\x0f    sum_test.go:12: one: got 2", "        want 1\x0e"],
    ["    sum_test.go:9: at 0xc00012a018 in /tmp/TestSum3141592653/001"],
    ["printed by the code"],
)


@given(st.permutations(MESSAGES))
def test_the_text_of_a_failure_does_not_depend_on_the_order_of_its_messages(order: list[list[str]]) -> None:
    """Lines of one message stay together; addresses and random names of folders are masked."""
    message_first = sorted(order, key=lambda lines: lines == MESSAGES[3])
    text = "sum_test.go:9: at 0xc* in /tmp/TestSum*/001 | sum_test.go:12: four: got 5 | sum_test.go:12: one: got 2"

    assert stable_text(list(chain(*message_first))) == f"{text} | want 1 | printed by the code"
    assert stable_text(list(chain(*order))) == stable_text(list(chain(*MESSAGES)))


def test_all_messages_are_ordered_before_the_first_are_shown() -> None:
    """Which of many are shown does not depend on the order either."""
    lines = [f"    sum_test.go:{number}: wrong" for number in range(9, 30)]

    assert stable_text(lines[::-1]) == " | ".join(line.strip() for line in lines[:SHOWN_LINES])
