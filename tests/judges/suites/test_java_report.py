"""The report of a Java run: sealed lines, what they say, and what becomes of those that do not fit."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.contracts import Suite
from benchwright.judges.suites import java_report
from benchwright.judges.suites.java_report import changed_files, draw_key, read_claims, seal
from benchwright.judges.suites.report_verification import SuiteClaims
from benchwright.records import Outcome
from benchwright.sandbox.commands import CommandResult
from benchwright.sandbox.zygote import AnswerUsage

KEY = bytes(range(16)).hex()
SUITE = Suite(
    lang="Java",
    framework="junit5",
    files={"T.java": ""},
    focal="T.java",
    test="T.java",
    cases=["T#a", "T$In#b", "T#c"],
)
WELL = [("E", "T#a", "passed", "", ""), ("E", "T$In#b", "failed", "assertion", "no\nyes"), ("Z", "2")]


def report(*lines: tuple[str, ...], key: str = KEY, first: int = 0) -> bytes:
    """What the launcher prints."""
    texts = [java_report.line(*fields).encode() for fields in lines]
    return b"".join(
        b"\n@%s %s\n" % (seal(key, b"%d %s" % (number, text)).encode(), text)
        for number, text in enumerate(texts, first)
    )


def ran(output: bytes, status: int | None = 0, outcome: Outcome = Outcome.passed) -> CommandResult:
    """How the command of a run ended."""
    return CommandResult(outcome, "said", status, {}, output, AnswerUsage(1.0, 2.0, 0, 0, 0, output))


def test_the_seal_of_the_paper() -> None:
    """The test vector of the paper's appendix A."""
    assert seal(KEY, bytes(range(15))) == "a129ca6149be45e5"


def test_a_key_is_drawn_anew() -> None:
    """Thirty-two hexadecimal digits, never the same twice."""
    keys = {draw_key() for _ in range(100)}

    assert (100, {32}) == (len(keys), {len(key) for key in keys})


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=1))
def test_fields_come_back(fields: list[str]) -> None:
    """A line holds any fields, has no line end in it, and gives them back."""
    line = java_report.line(*fields)

    assert (fields, 1) == (java_report.fields(line), len(line.splitlines() or [""]))


def test_half_a_pair_in_a_field() -> None:
    """Text from the JVM that UTF-8 cannot hold does not stop the reader."""
    assert java_report.fields("a\\ud800b") == ["a?b"]


@pytest.mark.parametrize("text", ["", "-1", "1e3", "9" * 5000, "²", "٣", " 1"])
def test_counts_that_are_none(text: str) -> None:
    """Only plain digits, and few of them, are a number."""
    assert java_report.number(text) == -1


def test_a_complete_report() -> None:
    """Its cases as they ended, with what the run took."""
    claims = read_claims(SUITE, KEY, ran(report(("S", "T#a"), *WELL)), cpu_s=0.5)
    told = [(case.name, case.state, case.kind, case.detail) for case in claims.cases]

    assert told == [("T#a", "passed", "", ""), ("T$In#b", "failed", "assertion", "no\nyes")]
    assert (claims.complete, claims.kind, claims.cpu_s, claims.wall_s) == (True, "", 1.5, 2.0)


def test_lines_in_between_are_not_ours() -> None:
    """What programs or the JVM print beside the report says nothing."""
    output = b"warning @x\nOK (3 tests)" + report(*WELL[:1]) + b"@ 0\n" + report(*WELL[1:], first=1) + b"bye"

    assert read_claims(SUITE, KEY, ran(output)).complete


@pytest.mark.parametrize(
    "output",
    [
        report(*WELL, key=draw_key()),
        report(*WELL) + report(*WELL),
        report(*WELL, first=1),
        report(WELL[0]) + report(WELL[2], first=2),
        report(*WELL).replace(b"failed", b"passed"),
        report(*WELL) + b"\n@0123456789abcdef Z\t0\n",
    ],
)
def test_lines_without_their_seal(output: bytes) -> None:
    """Another key, repeated, moved, left out, changed or added lines: tampering."""
    claims = read_claims(SUITE, KEY, ran(output))

    assert (claims.kind, claims.complete) == ("tampered", False)


@pytest.mark.parametrize(("lines", "status"), [(WELL, 1), ([("Z", "5")], 0)])
def test_a_report_that_contradicts_itself(lines: list[tuple[str, ...]], status: int) -> None:
    """The end must count what came and the exit status agree."""
    assert read_claims(SUITE, KEY, ran(report(*lines), status)).kind == "tampered"


def test_a_run_that_a_limit_ended() -> None:
    """Cases that had ended are kept; the one that ran is named."""
    lines = [("S", "T#a"), ("E", "T#a", "passed", "", ""), ("S", "T#c")]
    claims = read_claims(SUITE, KEY, ran(report(*lines), None, Outcome.timed_out))

    assert (
        [case.name for case in claims.cases],
        claims.kind,
        claims.detail,
        claims.complete,
    ) == (["T#a"], "timeout", "said in T#c", False)


@pytest.mark.parametrize(
    ("kind", "read"), [("memory", "memory"), ("nonsense", "exception"), ("", "exception")]
)
def test_a_run_that_broke_off(kind: str, read: str) -> None:
    """What JUnit let pass is the reason; a kind that is none counts as an exception."""
    claims = read_claims(SUITE, KEY, ran(report(("X", kind, "heap")), 3, Outcome.exception))

    assert (read, "heap", False) == (claims.kind, claims.detail, claims.complete)


def test_silence() -> None:
    """A JVM that exits well without a report has not passed anything."""
    claims = read_claims(SUITE, KEY, ran(b""))

    assert (claims.kind, claims.complete, claims.cases) == ("exception", False, [])


def test_what_is_said_of_a_class() -> None:
    """It holds for the cases of the class and of those within it, unless they have a word of their own."""
    lines = [("E", "T", "failed", "exception", "all"), ("E", "T#a", "passed", "", ""), ("Z", "2")]
    claims = read_claims(SUITE, KEY, ran(report(*lines)))

    assert {case.name: case.state for case in claims.cases} == {
        "T#a": "passed",
        "T$In#b": "failed",
        "T#c": "failed",
    }


ASSUMING = """
import org.junit.jupiter.api.*;
class T {
    @Test void a() { Assumptions.assumeTrue(false); }
    @Test void c() {}
    @Nested class In { @Disabled @Test void b() {} }
}
"""
ALL_PASS = [("E", name, "passed", "", "") for name in ("T#a", "T$In#b", "T#c")]


def read(
    *lines: tuple[str, ...], early: tuple[tuple[str, ...], ...] = (), test: str = ASSUMING
) -> SuiteClaims:
    """What is made of a report of these lines, and of others before them."""
    suite = msgspec.structs.replace(SUITE, files={"T.java": test})
    return read_claims(suite, KEY, ran(report(*early, *lines, ("Z", str(len(lines))))))


def test_a_class_that_failed_beside_cases_that_passed() -> None:
    """What is said of a class, or of a single parameter's runner, fails the suite."""
    for name in ("T", "T$In", "[0]", ""):
        claims = read(*ALL_PASS, ("E", name, "failed", "assertion", "left open"))

        assert (claims.kind, claims.detail) == ("assertion", f"{name}: left open")


@pytest.mark.parametrize(
    "early",
    [("E", "T#a", "failed", "exception", ""), ("E", "T#x", "passed", "", ""), ("A", "T#a", "test", "")],
)
def test_an_end_that_says_less(early: tuple[str, ...]) -> None:
    """A failure, a case or an assumption that was told while the tests ran must be in the end."""
    claims = read(*ALL_PASS, early=(early,))

    assert (claims.kind, "while the tests ran" in claims.detail) == ("tampered", True)


def test_an_end_that_says_more() -> None:
    """A case may still become worse after it was told as passed."""
    lines = [("E", "T#a", "failed", "assertion", ""), *ALL_PASS[1:]]

    assert read(*lines, early=(ALL_PASS[0],)).complete


def skipped(name: str, origin: str = "") -> list[tuple[str, ...]]:
    """All cases passed but one, which was skipped, by an assumption where there is an origin."""
    lines = [each for each in ALL_PASS if each[1] != name]
    return [*lines, ("E", name, "skipped", "", ""), *([("A", name, origin, "why")] if origin else [])]


@pytest.mark.parametrize(
    ("lines", "believed"),
    [
        (skipped("T#a", "test"), True),
        (skipped("T#a", "junit"), True),
        (skipped("T#a", "other"), False),
        (skipped("T#a", "nonsense"), False),
        (skipped("T#c", "test"), False),
        (skipped("T#c"), False),
        (skipped("T$In#b"), True),
        ([*ALL_PASS, ("A", "T#a", "other", "one of its values")], False),
        ([*ALL_PASS, ("A", "T#a", "test", "one of its values")], True),
        ([*ALL_PASS, ("A", "T", "test", "the class")], False),
    ],
)
def test_who_may_skip(lines: list[tuple[str, ...]], believed: bool) -> None:
    """The tests' own text, in the case's own reach; a throw from elsewhere is tampering."""
    assert (read(*lines).kind == "") == believed


def test_the_runners_do_not_agree() -> None:
    """What JUnit calls a success and our wrapper did not see return is tampering when it is settled."""
    claims = read(("E", "T#a", "failed", "tampered", "did not return"), *ALL_PASS[1:])

    assert [case.kind for case in claims.cases] == ["tampered", "", ""]


@pytest.mark.parametrize(
    ("back", "told"),
    [
        ({"c-x/A.class": b"1", "data": b"2"}, ""),
        ({"c-x/A.class": b"1", "data": b"3"}, "data"),
        ({"c-x/A.class": b"2", "data": b"2"}, "classes/A.class"),
        ({"data": b"2"}, "classes/A.class"),
        ({"c-x/A.class": b"1", "data": b"2", "c-x/B.class": b""}, "classes/B.class"),
    ],
)
def test_files_that_a_run_changed(back: dict[str, bytes], told: str) -> None:
    """Whatever was sent must come back as it was, and nothing may have joined the classes."""
    sent = {"c-x/A.class": b"1", "data": b"2"}

    assert changed_files(sent, ran(b"")._replace(files=back), "c-x") == told


@given(st.binary(max_size=400))
def test_any_output_can_be_read(output: bytes) -> None:
    """No bytes raise, and none of them make a complete report."""
    assert not read_claims(SUITE, KEY, ran(output)).complete
