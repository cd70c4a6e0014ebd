"""Compiling Java suites many at a time: what is made of what javac's program says, and who is to blame."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.contracts import Suite
from benchwright.errors import SandboxError
from benchwright.judges.suites import java_compiling, java_report
from benchwright.judges.suites.java_compiling import (
    MOST_CLASSES,
    CompiledSuite,
    KnownClasses,
    compile_all,
    sources_key,
)
from benchwright.judges.suites.java_toolchain import JavaToolchain
from benchwright.judges.suites.java_tools import Tools
from benchwright.judges.suites.report_verification import draw_canaries
from benchwright.records import Outcome
from benchwright.sandbox.commands import Command, CommandResult
from benchwright.sandbox.zygote import AnswerUsage

TOOLS = Tools(
    toolchain=JavaToolchain(jdk="/jdk", jars=("/a.jar", "/b.jar"), java="17", junit5="5", junit4="4"),
    folder="/tools",
)
SUITE = Suite(
    lang="Java",
    framework="junit5",
    files={"src/T.java": "package a.b;\nclass T {}\n", "notes.txt": "x"},
    focal="src/T.java",
    test="src/T.java",
    cases=["T#a"],
)


def ran(
    *lines: tuple[str, ...],
    files: dict[str, bytes] | None = None,
    status: int | None = 0,
    outcome: Outcome = Outcome.passed,
) -> CommandResult:
    """What came back: the report's lines and class files."""
    report = "\n".join(java_report.line(*line) for line in lines).encode()
    usage = AnswerUsage(3.0, 4.0, 0, 0, 0, b"")
    return CommandResult(outcome, "it ended", status, {"report": report, **(files or {})}, b"", usage)


Gave = Callable[[list[str]], CommandResult]


def compiled(
    monkeypatch: pytest.MonkeyPatch, gave: Gave, count: int = 1
) -> tuple[dict[int, CompiledSuite], list[list[str]]]:
    """The result of so many suites, and which of them each attempt was given."""
    attempts: list[list[str]] = []

    def run_command(box: object, command: Command, *, cpu_s: float) -> CommandResult:
        asked = sorted({path.split("/")[1] for path in command.files if path.startswith("in/")})
        attempts.append(asked)
        return gave(asked)

    monkeypatch.setattr(java_compiling, "run_command", run_command)
    found = compile_all(object(), TOOLS, dict.fromkeys(range(count), SUITE), cpu_s=2.0)  # type: ignore[arg-type]
    return found, attempts


def all_done(asked: list[str]) -> CommandResult:
    """Each suite compiled to one class."""
    files = {f"out/{number}/a/b/T.class": number.encode() for number in asked}
    return ran(*(("done", number, "1", "") for number in asked), files=files)


def test_each_gets_its_own_classes(monkeypatch: pytest.MonkeyPatch) -> None:
    """In one attempt; the processor time is shared out."""
    found, attempts = compiled(monkeypatch, all_done, 3)

    assert attempts == [["0", "1", "2"]]
    assert found == {n: CompiledSuite(classes={"a/b/T.class": str(n).encode()}, cpu_s=1.0) for n in range(3)}


def test_what_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sources of a suite alone, and a job that names them."""
    sent: list[Command] = []

    def run_command(box: object, command: Command, *, cpu_s: float) -> CommandResult:
        sent.append(command)
        return all_done(["0"])

    monkeypatch.setattr(java_compiling, "run_command", run_command)
    compile_all(object(), TOOLS, {0: SUITE}, cpu_s=2.0)  # type: ignore[arg-type]

    assert set(sent[0].files) == {"job", "in/0/src/T.java"}
    assert sent[0].files["job"].decode().split("\n")[2:] == [
        "/bw-java/tools.jar:/jars/0.jar:/jars/1.jar",
        "0\tsrc/T.java",
    ]


ENDS = {
    "an error of the language": (
        ran(("error", "0", "compiler.err.x", "T.java", "3", "cannot  find\nsymbol"), ("failed", "0", "0", "")),
        ("compile", "T.java:3: cannot find symbol"),
    ),
    "a library": (
        ran(
            ("error", "0", "c", "T.java", "1", "package com.google.common does not exist"),
            ("failed", "0", "0", ""),
        ),
        ("environment", "T.java:1: package com.google.common does not exist"),
    ),
    "a package of the project": (
        ran(("error", "0", "c", "T.java", "1", "package a.b.more does not exist"), ("failed", "0", "0", "")),
        ("import", "T.java:1: package a.b.more does not exist"),
    ),
    "a limit": (ran(("timeout", "0", "0", "")), ("timeout", "javac took too long")),
    "memory": (
        ran(("failed", "0", "0", "java.lang.OutOfMemoryError: heap")),
        ("memory", "java.lang.OutOfMemoryError: heap"),
    ),
    "a crash": (ran(("failed", "0", "0", "java.lang.AssertionError")), ("compile", "java.lang.AssertionError")),
    "too many classes": (
        ran(("done", "0", str(MOST_CLASSES + 1), "")),
        ("compile", f"javac made {MOST_CLASSES + 1} class files"),
    ),
    "nothing said": (ran(), ("compile", "javac: it ended")),
    "ended by the sandbox": (ran(status=None, outcome=Outcome.timed_out), ("timeout", "javac: it ended")),
    "fewer files than told": (ran(("done", "0", "2", ""), files={"out/0/T.class": b""}), ("compile", "javac: it ended")),
    "told of another suite": (ran(("done", "7", "0", "")), ("compile", "javac: it ended")),
    "numbers that are none": (ran(("done", "0", "-1", "")), ("compile", "javac: it ended")),
}  # fmt: skip


@pytest.mark.parametrize(("gave", "expected"), ENDS.values(), ids=ENDS)
def test_ends_of_one(monkeypatch: pytest.MonkeyPatch, gave: CommandResult, expected: tuple[str, str]) -> None:
    """Kind and sentence."""
    found, _ = compiled(monkeypatch, lambda asked: gave)

    assert (found[0].kind, found[0].detail) == expected


def test_the_one_that_kills_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Halves of halves, until it is alone; all others are compiled."""

    def gave(asked: list[str]) -> CommandResult:
        return ran(status=None, outcome=Outcome.out_of_memory) if "5" in asked else all_done(asked)

    found, attempts = compiled(monkeypatch, gave, 8)

    assert {number: each.kind for number, each in found.items() if each.kind} == {5: "memory"}
    assert (sorted(found), ["5"] in attempts, len(attempts) <= 8) == (list(range(8)), True, True)


def test_those_before_the_one_that_stalls_are_done(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rest goes to a new JVM."""

    def gave(asked: list[str]) -> CommandResult:
        if "1" not in asked:
            return all_done(asked)
        files = {"out/0/a/b/T.class": b"0"}
        return ran(("done", "0", "1", ""), ("timeout", "1", "0", ""), files=files)

    found, attempts = compiled(monkeypatch, gave, 4)

    assert attempts == [["0", "1", "2", "3"], ["2", "3"]]
    assert [found[number].kind for number in range(4)] == ["", "timeout", "", ""]


def test_a_sandbox_that_fails_says_nothing_of_a_suite(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is tried alone, and what is left has no verdict."""

    def gave(asked: list[str]) -> CommandResult:
        raise SandboxError("no room")

    found, _ = compiled(monkeypatch, gave, 3)

    assert {each.kind for each in found.values()} == {"sandbox_error"}
    assert sorted(found) == [0, 1, 2]


@given(st.text(max_size=200))
def test_any_report_is_read(text: str) -> None:
    """What a hostile source makes the compiler print is told of some suite or of none, and never raises."""
    told = java_compiling._compiler_reports(text)

    assert all(each.made >= -1 and isinstance(number, str) for number, each in told.items())


@given(st.lists(st.text(max_size=20), min_size=1, max_size=5))
def test_fields_come_back(fields: list[str]) -> None:
    """Through one line, whatever they hold, but for halves of surrogate pairs."""
    whole = [field.encode("utf-8", "replace").decode() for field in fields]
    line = java_report.line(*whole)

    assert (java_report.fields(line), "\n" in line) == (whole, False)


def test_canaries_have_names_of_their_own() -> None:
    """Drawn for each execution, identifiers in every language."""
    drawn = [draw_canaries("Test{}") for _ in range(20)]
    names = [name for each in drawn for name in (each.passing, each.failing)]

    assert len(set(names)) == 40
    assert all(name.startswith("Test") and name[4:].isalpha() for name in names)


def test_classes_of_a_known_suite(monkeypatch: pytest.MonkeyPatch) -> None:
    """Found by the sources alone; compiling costs nothing the second time, and the oldest make room."""
    other = msgspec.structs.replace(SUITE, files={**SUITE.files, "src/T.java": "class T { int x; }"})
    notes = msgspec.structs.replace(SUITE, files={**SUITE.files, "notes.txt": "y"})
    made = CompiledSuite(classes={"a/T.class": b"x" * 40}, cpu_s=1.0)
    monkeypatch.setattr(java_compiling, "KEPT_BYTES", 100)
    known = KnownClasses()
    known.put(b"failed", CompiledSuite(kind="compile"))
    known.put(b"large", CompiledSuite(classes={"T.class": b"x" * 100}))
    for key in (sources_key(SUITE), sources_key(other)):
        known.put(key, made)
    known.get(sources_key(notes))  # used now
    known.put(b"third", made)

    assert known.get(sources_key(SUITE)) == msgspec.structs.replace(made, cpu_s=0.0)
    assert [known.get(key) for key in (b"failed", b"large", sources_key(other))] == [None] * 3
    assert known.get(b"third") is not None
