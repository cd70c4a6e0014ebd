"""Answers that are called: how values of both languages are compared, how calls end, and who may not pass."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from benchwright.contracts import ServedProgram, ServedSpec, Suite
from benchwright.judges.judge_registry import Judges
from benchwright.judges.suites.answer_judges import NOT_CALLABLE, ServedCalls, judgement
from benchwright.records import Isolation, Outcome
from benchwright.sandbox.codec import encode
from benchwright.sandbox.untrusted import processor_limit
from benchwright.sandbox.zygote import AnswerEnded
from kit.multipl_rows import (
    GO_TESTS,
    RowAnswer,
    ended,
    go_row,
    java_row,
    need_go_rows,
    need_java_rows,
    quick_judges,
)


class Frames:
    """An answer that sends these frames, one to each call after the first, which is L."""

    def __init__(self, *frames: tuple[bytes, bytes], unread: bool = False) -> None:
        self._frames, self.has_unread = iter([(b"L", b""), *frames]), unread
        self.sent: list[bytes] = []

    def read(self) -> tuple[bytes, bytes]:
        """The next frame."""
        return next(self._frames)

    def send(self, payload: bytes) -> None:
        """Keep a request."""
        self.sent.append(payload)


def spec_of(*expected: Any, first: bool = False) -> ServedSpec:
    """A spec of calls without arguments."""
    return ServedSpec(
        suite=Suite(lang="Go", framework="go-vet", files={}, focal="a", test="t", cases=[]),
        entry_point="f",
        calls=[encode([number]) for number in range(len(expected))],
        expected=[(encode(each),) for each in expected],
        written=[(f"f({number})", str(each)) for number, each in enumerate(expected)],
        first_failure_ends=first,
    )


def value(of: Any) -> tuple[bytes, bytes]:
    """The frame of a value."""
    return b"V", encode(of)


def claim(kind: bytes, name: str, text: str) -> tuple[bytes, bytes]:
    """The frame of what was raised."""
    return kind, encode(("call", name, text, 0))


PANIC = claim(b"X", "panic", "no")


@pytest.mark.parametrize(
    ("frames", "first", "outcome", "sent"),
    [
        ([value(1), value(2)], False, Outcome.passed, 2),
        ([value(1), value(3)], False, Outcome.wrong, 2),
        ([value(9), value(2)], True, Outcome.wrong, 1),
        ([value(9), PANIC], False, Outcome.exception, 2),
        ([value(9), PANIC], True, Outcome.wrong, 1),
        ([claim(b"X", "MemoryError", "heap")], False, Outcome.out_of_memory, 1),
        ([claim(b"T", "value", "deep"), value(2)], False, Outcome.wrong, 2),
        ([value(True), value(2)], False, Outcome.wrong, 2),
        ([(b"V", b"~"), value(2)], False, Outcome.tampered, 1),
        ([(b"V", b""), value(2)], False, Outcome.tampered, 1),
        ([(b"Q", b"")], False, Outcome.tampered, 1),
        ([(b"X", b"junk")], False, Outcome.tampered, 1),
    ],
)
def test_how_calls_end(frames: list[tuple[bytes, bytes]], first: bool, outcome: Outcome, sent: int) -> None:
    """The next arguments are sent when the last reply has come, and not after the end."""
    running, calls = Frames(*frames), ServedCalls(spec_of(1, 2, first=first), processor_limit)
    calls.make(running)  # type: ignore[arg-type]

    assert judgement(ServedProgram(), calls.ended).outcome is outcome
    assert len(running.sent) == sent


def test_a_reply_to_no_call_is_tampering() -> None:
    """It was there before anything was asked."""
    calls = ServedCalls(spec_of(1), processor_limit)
    calls.make(Frames(value(1), unread=True))  # type: ignore[arg-type]

    assert judgement(ServedProgram(), calls.ended).outcome is Outcome.tampered


def test_no_call_is_no_pass() -> None:
    """Whatever became of the program."""
    assert (
        judgement(ServedProgram(), ServedCalls(spec_of(1), processor_limit).ended).outcome
        is Outcome.sandbox_error
    )


def test_a_report_of_megabytes_is_no_report() -> None:
    """The server cuts what a panic or an exception says, so a longer text is forged."""
    calls = ServedCalls(spec_of(1), processor_limit)
    calls.make(Frames(claim(b"X", "panic", "\x01" * (4 << 20))))  # type: ignore[arg-type]
    found = judgement(ServedProgram(), calls.ended)

    assert found.outcome is Outcome.tampered
    assert max(len(found.detail), len(found.traceback)) <= 500


@pytest.mark.parametrize(
    ("kind", "outcome"),
    [
        ("compile", Outcome.syntax_error),
        ("timeout", Outcome.timed_out),
        ("sandbox_error", Outcome.sandbox_error),
    ],
)
def test_a_program_that_was_not_made(kind: str, outcome: Outcome) -> None:
    """What a compiler says of another file than the answer's is not in the detail, which a model may see."""
    quoting = judgement(ServedProgram(kind=kind, detail='t.go:3: "hidden"'), None)
    own = judgement(ServedProgram(kind=kind, detail="t.go:3: x; a.go:1: y", diagnostics="a.go:1: y"), None)

    assert (quoting.outcome, own.outcome, own.detail) == (outcome, outcome, "a.go:1: y")
    assert (quoting.detail == NOT_CALLABLE) is (outcome is Outcome.syntax_error)


def test_the_last_words_of_a_crash_say_how_it_ended() -> None:
    """Where the process died of itself."""
    died = AnswerEnded(Outcome.exception, "the process exited with status 2 before it had answered")
    found = judgement(ServedProgram(crash="fatal error: out of memory", crashed="memory"), died)

    assert (found.outcome, found.detail) == (Outcome.out_of_memory, "fatal error: out of memory")


def go_value(kind: str, expected: str) -> dict[str, Any]:
    """A task whose function takes a number and gives one value of a type."""
    prompt = f'package v_test\n\nimport (\n    "testing"\n    "fmt"\n)\n\nfunc give(n int) {kind} {{\n'
    before, _, after = GO_TESTS.partition("   tests := []test{\n")
    row = f"     {{ actual: candidate(3), expected: {expected} }},"
    tests = f"{before}   tests := []test{{\n{row}\n{after[after.index('   }') :]}"
    return go_row(prompt=prompt, tests=tests.replace("TestTotal_Of", "TestGive").replace("total_of", "give"))


GO_VALUES = [
    ("[]int", "[]int{}", "return nil", Outcome.passed),
    ("[]int", "[]int{1, 2}", "return []int{1, 2}", Outcome.passed),
    ("interface{}", "3", "return int64(n)", Outcome.passed),
    ("interface{}", "nil", "return nil", Outcome.passed),
    ("float64", "0.1", "return float64(n) / 30", Outcome.passed),
    ("float64", "0.3", "return 0.1 * float64(n)", Outcome.wrong),
    (
        "map[string]int",
        'map[string]int{"b": 2, "a": 1}',
        'return map[string]int{"a": 1, "b": 2}',
        Outcome.passed,
    ),
    ("string", '"é"', 'return "é"[:1]', Outcome.wrong),
    ("int", "3", "type T int; return int(T(n))", Outcome.passed),
    ("int", "3", 'fmt.Println("1"); println(2); return n', Outcome.passed),
    ("int", "3", "var m map[int]int; m[1] = 2; return n", Outcome.exception),
    ("int", "3", "select {}", Outcome.exception),
    ("int", "3", "var f func(int) int; f = func(i int) int { return f(i+1) + 1 }; return f(1)", None),
    ("string", '"x"', "b := make([]byte, 20<<20); return string(b)", Outcome.output_limit),
    ("int", "3", "var s string; fmt.Scan(&s); return n", Outcome.passed),
    ("int", "3", 'defer func() { recover() }(); panic("x")', Outcome.wrong),
]


@pytest.fixture(scope="module")
def judges(jail: None) -> Iterator[Judges]:
    """One set of judges for the file: their runners stay warm."""
    answers = [_java_answer(kind, values) for kind, values, _, _ in JAVA_VALUES]
    with quick_judges(answers) as made:
        yield made


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "expected", "body", "outcome"), GO_VALUES)
def test_values_of_go(judges: Judges, kind: str, expected: str, body: str, outcome: Outcome | None) -> None:
    """As `%v` of the published tests compares them; None: anything but a pass."""
    need_go_rows()
    found = ended(
        judges, go_value(kind, expected), f"    {body.replace('; ', chr(10))}\n}}\n", profile="multipl-e"
    )

    assert found.isolation is Isolation.separated
    assert found.outcome is outcome or (outcome is None and found.outcome is not Outcome.passed), found


def java_value(kind: str, *conditions: str) -> dict[str, Any]:
    """Return the same in Java; the function gets 1 in the first condition, 2 in the second, and so on."""
    prompt = f"import java.util.*;\nimport org.javatuples.*;\nclass Problem {{\n    public static {kind} give(long n) {{\n"
    asserts = "".join(f"    assert(give(({number}l)){each});\n" for number, each in enumerate(conditions, 1))
    tests = f"    }}\n    public static void main(String[] args) {{\n{asserts}    }}\n\n}}\n"
    return java_row(prompt=prompt, tests=tests)


def _chosen(*results: str) -> str:
    """Return a body that gives the first result for 1, the second for 2, and so on."""
    cases = "".join(f"            case {number}: {each}\n" for number, each in enumerate(results, 1))
    return f"        switch ((int) n) {{\n{cases}            default: throw new IllegalStateException();\n        }}"


# The type of the function, its conditions with the statements that decide each, the outcome, and the call that decides.
JAVA_VALUES: list[tuple[str, dict[str, str], Outcome, str]] = [
    (
        "long",
        {
            " == (1l)": "return n;",
            " == (2l)": "System.out.println(1); return new Scanner(System.in).hasNext() ? 0 : n;",
            " == (3l)": "Thread.currentThread().interrupt(); return n;",
            " == (4l)": "return give(n) + 1;",
        },
        Outcome.exception,
        "call 4: ",
    ),
    ("int", {" == (3l)": "return 3;"}, Outcome.passed, ""),
    ("Long", {" == (3l)": "return null;"}, Outcome.exception, "call 1: "),
    (
        "float",
        {" == (0.5f)": "return 0.5f;", " == (0.0f)": "return -0.0f;", " == (0.00f)": "return 0.0f / 0;"},
        Outcome.wrong,
        "call 3: ",
    ),
    ("double", {" == (0.1f)": "return 0.1;"}, Outcome.wrong, "call 1: "),
    ("boolean", {" == (true)": "return n > 0;"}, Outcome.passed, ""),
    (
        "Object",
        {
            '.equals(("é\\"x"))': 'return "é\\"x";',
            ".equals((new ArrayList<Long>(Arrays.asList((long)1l))))": "return List.of(1L);",
            '.equals((new HashMap<String,Long>(Map.of("a", 1l, "b", 2l))))': (
                'var m = new HashMap<String, Long>(); m.put("b", 2L); m.put("a", 1L); return m;'
            ),
            ".equals((Pair.with(1l, true)))": "return Pair.with(1L, true);",
            ".equals(Optional.empty())": "return Optional.empty();",
            ".equals(Optional.of(6l))": "return Optional.of(n);",
            '.equals(("x"))': 'return "\\ud800";',
        },
        Outcome.wrong,
        "call 7: ",
    ),
    (
        "List<Integer>",
        {".equals((new ArrayList<Long>(Arrays.asList((long)1l))))": "return List.of(1);"},
        Outcome.wrong,
        "call 1: ",
    ),
    (
        "ArrayList<Long>",
        {
            ".equals((new ArrayList<Long>(Arrays.asList())))": (
                "return new ArrayList<>() { public boolean equals(Object o) { return true; } { add(9L); } };"
            )
        },
        Outcome.wrong,
        "call 1: ",
    ),
    (
        "ArrayList<Object>",
        {
            ".equals((new ArrayList<Object>(Arrays.asList())))": (
                "var l = new ArrayList<Object>(); l.add(l); return l;"
            )
        },
        Outcome.wrong,
        "call 1: ",
    ),
    (
        "long",
        {
            " == (3l)": "long[][] all = new long[1 << 20][]; for (int i = 0; ; i++) all[i] = new long[1 << 20];"
        },
        Outcome.out_of_memory,
        "call 1: ",
    ),
]


def _java_answer(kind: str, values: dict[str, str]) -> RowAnswer:
    return RowAnswer(java_value(kind, *values), _chosen(*values.values()), "multipl-e")


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "values", "outcome", "where"), JAVA_VALUES, ids=lambda each: str(each)[:40])
def test_values_of_java(
    judges: Judges, kind: str, values: dict[str, str], outcome: Outcome, where: str
) -> None:
    """As `equals` and `==` compare them; the calls before the one that decides are right."""
    need_java_rows()
    answer = _java_answer(kind, values)
    found = ended(judges, answer.row, answer.text, profile=answer.profile)

    assert found.isolation is Isolation.separated
    assert found.outcome is outcome, found
    assert found.detail.startswith(where), found
