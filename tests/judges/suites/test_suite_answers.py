"""Answers beside tests: how reports become outcomes, and that no answer can pass by another way than being right."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

import msgspec
import pytest

from benchwright import registry
from benchwright.contracts import FAILURES, Extraction, Judgement, Suite, SuiteAnswerSpec, SuiteReport
from benchwright.errors import PrerequisiteError
from benchwright.judges.judge_registry import Judges, Resources
from benchwright.judges.suites.answer_judges import SuiteAnswerJudge, outcome_of
from benchwright.records import Isolation, Outcome
from benchwright.sandbox.box import Sandbox
from kit.fake_suites import FakeGo, FakeSuites
from kit.multipl_rows import (
    GO_BODY,
    JAVA_BODY,
    RowAnswer,
    ended,
    go_row,
    java_row,
    need_go_rows,
    need_java_rows,
    quick_judges,
)

SUITE = Suite(lang="Python", framework="pytest", files={"t": "kept"}, focal="a", test="t", cases=["t"])
RIGHT_GO = f"```go\nfunc total_of(numbers []int) int {{\n{GO_BODY}```"


def judged_program(judge: SuiteAnswerJudge, program: str, spec: SuiteAnswerSpec) -> Judgement:
    """What the judge makes of a program."""
    found = judge.judge(Extraction(program=program, rule=""), spec)
    assert not isinstance(found, Judgement)
    return found()


@pytest.mark.parametrize(
    ("ends", "outcome"),
    [
        ("success", Outcome.passed),
        ("assertion", Outcome.wrong),
        ("timeout", Outcome.timed_out),
    ],
)
def test_the_program_is_the_focal_file(monkeypatch: pytest.MonkeyPatch, ends: str, outcome: Outcome) -> None:
    """Executed once, beside files that are the spec's."""
    monkeypatch.setitem(registry.RUNNERS, "Python", "kit.fake_suites:FakeSuites")  # type: ignore[arg-type]
    FakeSuites.executed.clear()
    with ExitStack() as closing:
        judgement = judged_program(
            SuiteAnswerJudge(Resources(Sandbox(), closing)), f"ends: {ends}", SuiteAnswerSpec(suite=SUITE)
        )

    assert (judgement.outcome, judgement.isolation) == (outcome, Isolation.tamper_evident)
    assert FakeSuites.executed == [(f"ends: {ends}", 0)]


@pytest.mark.parametrize(
    ("state", "kind", "outcome"),
    [
        ("success", "", Outcome.passed),
        ("tampered", "", Outcome.tampered),
        ("absent", "", Outcome.sandbox_error),
        ("sandbox_error", "", Outcome.sandbox_error),
        ("failed", "compile", Outcome.syntax_error),
        ("failed", "environment", Outcome.syntax_error),
        ("failed", "memory", Outcome.out_of_memory),
        ("failed", "exception", Outcome.exception),
    ],
)
def test_outcomes_of_reports(state: str, kind: str, outcome: Outcome) -> None:
    """What was not executed says nothing of an answer."""
    assert outcome_of(SuiteReport(state=state, kind=kind)) is outcome


def test_every_kind_of_failure_has_an_outcome() -> None:
    """And none of them is a pass."""
    found = {outcome_of(SuiteReport(state="failed", kind=kind)) for kind in FAILURES}

    assert Outcome.passed not in found
    assert not any(outcome.is_missing for outcome in found)


def test_a_toolchain_that_is_absent_is_told_before_anything_is_executed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With what gets it, and the runner is closed all the same."""
    monkeypatch.setitem(registry.RUNNERS, "Go", f"{FakeGo.__module__}:FakeGo")  # type: ignore[arg-type]
    before = FakeSuites.closed
    with pytest.raises(PrerequisiteError, match="there is no Go"):
        SuiteAnswerJudge.make_ready(SuiteAnswerSpec(suite=msgspec.structs.replace(SUITE, lang="Go")))

    assert FakeSuites.closed == before + 1


def test_a_library_that_went_away_says_nothing_of_an_answer(
    monkeypatch: pytest.MonkeyPatch, tmp_path: object
) -> None:
    """It is missing, not wrong."""
    monkeypatch.setenv("BENCHWRIGHT_JUNIT", str(tmp_path))
    with ExitStack() as closing:
        judge = SuiteAnswerJudge(Resources(Sandbox(), closing))
        judgement = judged_program(judge, "", SuiteAnswerSpec(suite=SUITE, libraries=("nobodys-tuples",)))

    assert judgement.outcome is Outcome.sandbox_error
    assert "apt-get install nobodys-tuples" in judgement.detail


def go_file(imports: str, body: str, rest: str = "") -> str:
    """A whole file in Go that a model could answer."""
    return (
        f"```go\npackage main\n\n{imports}\n\nfunc total_of(numbers []int) int {{\n{body}\n}}\n\n{rest}\n```"
    )


GO_ENDS = {
    "right": (GO_BODY, {Outcome.passed}),
    "right, fenced": (RIGHT_GO, {Outcome.passed}),
    "right, with an import": (
        go_file(
            'import "sort"',
            "sort.Ints(numbers)\nsum := 0\nfor _, n := range numbers { sum += n }\nreturn sum",
        ),
        {Outcome.passed},
    ),
    "right, with a type of its own": (
        RIGHT_GO.replace("```go\n", "```go\ntype test int\n\n"),
        {Outcome.passed},
    ),
    "wrong": ("    return 3\n}\n", {Outcome.wrong}),
    "panics": ('    panic("no")\n}\n', {Outcome.exception}),
    "does not compile": ("    return numbers\n}\n", {Outcome.syntax_error}),
    "is refused by vet": (
        GO_BODY.replace("sum := 0", "sum := 0\n    _ = string(sum)"),
        {Outcome.syntax_error},
    ),
    "never ends": ("    for {\n    }\n}\n", {Outcome.timed_out}),
    "somebody's package": (
        go_file('import "github.com/a/b"', "return b.Sum(numbers)"),
        {Outcome.syntax_error},
    ),
}
GO_FORGERIES = {
    "has a TestMain on the line that goes on": "    return 3\n}; func TestMain(m *testing.M) {}\n",
    "hides the tests in a comment": "    return 3\n}\n/*",
    "brings the tests itself": go_file(
        'import "testing"', "return 3", "func TestTotal_Of(t *testing.T) {}\n/*"
    ),
    "ends with a good status": go_file('import "os"', "os.Exit(0)\nreturn 3"),
    "ends with a good status at once": go_file('import "os"', "return 3", "func init() { os.Exit(0) }"),
    "has a TestMain": go_file(
        'import ("os"; "testing")', "return 3", "func TestMain(m *testing.M) { os.Exit(0) }"
    ),
    "ends its goroutine": go_file('import "runtime"', "runtime.Goexit()\nreturn 3"),
    "says that it passed": go_file(
        'import ("fmt"; "os")', 'fmt.Println("--- PASS: TestTotal_Of (0.00s)\\nPASS")\nos.Exit(0)\nreturn 3'
    ),
    "chooses no test": go_file('import "flag"', "return 3", 'func init() { flag.Set("test.run", "None") }'),
    "takes another fmt": go_file(
        "",
        "return 3",
        'type printer struct{}\n\nfunc (printer) Sprintf(...any) string { return "" }\n\nvar fmt printer',
    ),
    "changes what a word means": go_file(
        "", "return 3", "type interface0 = int\n\nfunc string(any) int { return 0 }"
    ),
}


@pytest.fixture(scope="module")
def judges(jail: None) -> Iterator[Judges]:
    """One set of judges for the file: their runners stay warm."""
    texts = [*(text for text, _ in JAVA_ENDS.values()), *JAVA_FORGERIES.values()]
    with quick_judges([RowAnswer(java_row(), text) for text in texts]) as made:
        yield made


@pytest.mark.slow
@pytest.mark.parametrize("name", GO_ENDS)
def test_how_go_answers_end(judges: Judges, name: str) -> None:
    """Honest answers, right and wrong."""
    need_go_rows()
    text, outcomes = GO_ENDS[name]

    found = ended(judges, go_row(), text)

    assert found.outcome in outcomes, found


@pytest.mark.slow
@pytest.mark.parametrize("name", GO_FORGERIES)
def test_no_go_answer_forges_a_pass(judges: Judges, name: str) -> None:
    """Each of these would pass under `go test` of one file, or looks as if it should."""
    need_go_rows()

    found = ended(judges, go_row(), GO_FORGERIES[name])

    assert found.outcome not in (Outcome.passed, Outcome.sandbox_error), found


def java_file(body: str, *, inner: str = "", outer: str = "", imports: str = "") -> str:
    """A whole file in Java that a model could answer."""
    head = "    public static ArrayList<Long> oddOnes(ArrayList<Long> numbers) {"
    return f"```java\n{imports}\nclass Problem {{\n{inner}\n{head}\n{body}\n    }}\n}}\n{outer}\n```"


JAVA_ENDS = {
    "right in Java": (JAVA_BODY, {Outcome.passed}),
    "right in Java, fenced, with an import and tuples": (
        java_file(
            "return numbers.stream().filter(n -> n % 2 != 0).collect(Collectors.toCollection(ArrayList::new));",
            imports="import java.util.stream.Collectors;",
            inner="static Pair<Long, Long> two = Pair.with(1L, 2L);",
        ),
        {Outcome.passed},
    ),
    "wrong in Java": ("        return numbers;", {Outcome.wrong}),
    "throws": ('        throw new IllegalStateException("no");', {Outcome.exception}),
    "is null": ("        return null;", {Outcome.wrong}),
    "does not compile in Java": ("        return 1;", {Outcome.syntax_error}),
    "never ends in Java": ("        while (true) {}", {Outcome.timed_out}),
}
EQUAL = "static class L extends ArrayList<Long> { public boolean equals(Object o) { return true; } }"
JAVA_FORGERIES = {
    "leaves the tests to another class": (
        "        return null; } public static void main(String[] a) {} } class Other extends Problem { static void f() {\n"
    ),
    "equals everything": java_file("return new L();", inner=EQUAL),
    "ends with a good status in Java": java_file("System.exit(0); return null;"),
    "halts": java_file("Runtime.getRuntime().halt(0); return null;"),
    "brings the checks itself": java_file("return null;", outer="class ProblemTest { void asserts() {} }"),
    "switches asserts off": java_file(
        "return null;",
        inner="static { ClassLoader.getSystemClassLoader().setDefaultAssertionStatus(false); }",
    ),
    "takes another list": java_file(
        "return new ArrayList<Long>();",
        outer="class ArrayList<T> extends java.util.ArrayList<T> {\n"
        "  ArrayList() {}\n  ArrayList(Collection<T> c) {}\n"
        "  public boolean equals(Object o) { return true; } public int size() { return 1; } }",
    ),
    "skips the test": java_file('throw new org.opentest4j.TestAbortedException("no");'),
    "stops the test's thread": java_file("Thread.currentThread().interrupt(); return null;"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", JAVA_ENDS)
def test_how_java_answers_end(judges: Judges, name: str) -> None:
    """Honest answers, right and wrong."""
    need_java_rows()
    text, outcomes = JAVA_ENDS[name]

    found = ended(judges, java_row(), text)

    assert found.outcome in outcomes, found


@pytest.mark.slow
@pytest.mark.parametrize("name", JAVA_FORGERIES)
def test_no_java_answer_forges_a_pass(judges: Judges, name: str) -> None:
    """Most of these pass under `java -ea Problem`."""
    need_java_rows()

    found = ended(judges, java_row(), JAVA_FORGERIES[name])

    assert found.outcome not in (Outcome.passed, Outcome.sandbox_error), found
