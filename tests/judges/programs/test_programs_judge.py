"""Whole programs in every language, judged by what they print: both jails, limits, checkers, own commands."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from benchmarks.stdio_matrix import LANGUAGES, Canary, program_of, spec_of
from benchwright.contracts import Extraction, Judgement, ProgramCommands, StdioCase, StdioSpec
from benchwright.judges.judge_registry import Resources
from benchwright.judges.programs.judge import StdioJudge
from benchwright.records import Outcome
from benchwright.sandbox.box import Sandbox
from benchwright.sandbox.jail import JAILS
from kit.examples import SCALE
from kit.needs import need, need_jail, need_ready

TWO = [StdioCase(input="1 2\n", expected="3\n"), StdioCase(input="5 6\n", expected="11\n")]


# In the other jail only the right program of these is run, because compilers take most of the time.
MOSTLY_IN = dict(zip((lang for lang in LANGUAGES if lang != "Python"), itertools.cycle(JAILS), strict=False))


@pytest.fixture(scope="module", params=["bubblewrap", "native"])
def where(request: pytest.FixtureRequest) -> str:
    return need_jail(request.param)


@pytest.fixture(scope="module")
def judge(where: str) -> Iterator[StdioJudge]:
    with ExitStack() as stack:
        box = stack.enter_context(Sandbox(jail=where))
        yield StdioJudge(Resources(box, stack))


def _judged(judge: StdioJudge, program: str, spec: StdioSpec) -> Judgement:
    found = judge.judge(Extraction(program=program, rule=""), spec)
    return found if isinstance(found, Judgement) else found()


def _spec(**fields: object) -> StdioSpec:
    return StdioSpec(**{"lang": "Python", "cases": TWO, **fields})  # type: ignore[arg-type]


def _ready(lang: str) -> None:
    need_ready(lambda: StdioJudge.make_ready(spec_of("sum", lang)), f"{lang} programs cannot run")


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_slice_of_the_matrix(lang: str, where: str, judge: StdioJudge) -> None:
    """A right and two hostile programs in each language (one in those with the attacks of another), and a wrong one
    in Python; nothing is hurt. Weekly all in both jails."""
    _ready(lang)
    chosen = [("sum", "right"), ("sum", "hostile"), ("backwards", "hostile"), ("mean", "wrong")]
    if SCALE <= 1 and lang != "Python":
        hostile = 1 if lang in ("C++", "TypeScript") else 2
        chosen = chosen[: 1 + hostile] if where == MOSTLY_IN[lang] else chosen[:1]
    with ExitStack() as stack:
        canary = Canary(stack)
        programs = [program_of(task, lang, kind, canary) for task, kind in chosen]
        found = [_judged(judge, each.source, spec_of(each.task, lang)).outcome.value for each in programs]
        damage = canary.damage()

    assert ([True] * len(chosen), []) == (
        [outcome in each.ends for outcome, each in zip(found, programs, strict=True)],
        damage,
    ), found


@pytest.mark.parametrize("kind", ["slow", "memory", "noisy_out", "noisy_err"])
def test_limits_end_a_program(kind: str, judge: StdioJudge, tmp_path: Path) -> None:
    """The case that exceeds one is the last, and its outcome is the answer's."""
    with ExitStack() as stack:
        program = program_of("sum", "Python", kind, Canary(stack))
    found = _judged(judge, program.source, spec_of("sum", "Python"))

    assert (found.outcome.value in program.ends, list(found.parts)) == (True, ["case 1"])


def test_the_first_failing_case_is_shown(judge: StdioJudge) -> None:
    """With input, output and expected output; each case has its own outcome."""
    found = _judged(judge, "print(3)", _spec())

    assert (found.parts, found.scores) == ({"case 1": "passed", "case 2": "wrong"}, {"cases": 0.5})
    assert all(part in found.detail for part in ("case 2", "5 6", "3", "11"))


def test_a_program_that_fails(judge: StdioJudge) -> None:
    """Its own traceback is kept, for an agent that repairs it; a wrong status is no pass."""
    found = _judged(judge, "print(3)\nraise KeyError('mine')", _spec(cases=TWO[:1]))

    assert (Outcome.exception, True) == (found.outcome, "KeyError: 'mine'" in found.traceback)


def test_a_program_that_does_not_compile(judge: StdioJudge) -> None:
    """The compiler's message, and no case."""
    found = _judged(judge, "print(", _spec())

    assert (Outcome.syntax_error, {}, True) == (found.outcome, found.parts, "SyntaxError" in found.detail)


def test_a_case_has_limits_of_its_own(judge: StdioJudge) -> None:
    """The second case allows less memory than the program takes."""
    cases = [TWO[0], StdioCase(input="5 6\n", expected="11", memory_mb=32)]
    program = "kept = bytearray(200 << 20); print(sum(map(int, input().split())))"
    found = _judged(judge, program, _spec(cases=cases))

    assert found.parts == {"case 1": "passed", "case 2": "out_of_memory"}


CHECKER = """
def check(input, expected, actual):
    return expected in actual or "it lacks the number"
"""


@pytest.mark.parametrize(
    ("program", "outcome", "said"),
    [
        ("print('x 3 y')", "passed", ""),
        ("print(4)", "wrong", "it lacks the number"),
    ],
)
def test_a_checker_decides(program: str, outcome: str, said: str, judge: StdioJudge) -> None:
    """True accepts; a text is the reason of a refusal."""
    found = _judged(
        judge, program, _spec(cases=[StdioCase(input="", expected="3")], compare="checker", checker=CHECKER)
    )

    assert (outcome, True) == (found.outcome.value, said in found.detail)


@pytest.mark.parametrize(
    "body", ["return 1", "return int(actual) == 3", "while True: pass", "import os; os._exit(0)"]
)
def test_a_checker_that_fails_accepts_nothing(
    body: str, judge: StdioJudge, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An answer that breaks a checker by its output must not be left out of the score."""
    monkeypatch.setattr("benchwright.judges.programs.judge.CHECKER_CPU_S", 0.3)
    checker = f"def check(input, expected, actual):\n    {body}\n"
    found = _judged(judge, "print('x')", _spec(compare="checker", checker=checker))

    assert found.outcome is Outcome.wrong


def test_a_checker_is_in_another_jail(judge: StdioJudge) -> None:
    """It finds no file of the program, and the program found none of it."""
    checker = "import os\ndef check(input, expected, actual):\n    return not os.path.exists('/tmp/work')\n"
    program = "import os; print(sorted(os.listdir('/tmp')), os.listdir('/tmp/work'))"
    found = _judged(judge, program, _spec(cases=TWO[:1], compare="checker", checker=checker))

    assert found.outcome is Outcome.passed


def test_a_program_sees_one_input_alone(judge: StdioJudge) -> None:
    """Neither another case nor an expected output is anywhere in its jail or its memory."""
    program = """
import re, sys
given = sys.stdin.read()
text = ""
for line in open("/proc/self/maps"):
    low, high = (int(x, 16) for x in line.split()[0].split("-"))
    if line.split()[1].startswith("r") and "[v" not in line:
        try:
            with open("/proc/self/mem", "rb") as file:
                file.seek(low); text += file.read(high - low).decode("latin-1")
        except OSError: pass
word = "zebra" + "fish"
print("found" if text.count(word) > 0 else "none")
"""
    cases = [StdioCase(input="a", expected="none"), StdioCase(input="zebrafish", expected="zebrafish none")]
    found = _judged(
        judge, program.replace('"zebra" + "fish"', '"".join(["zeb", "raf", "ish"])'), _spec(cases=cases)
    )

    assert found.parts["case 1"] is Outcome.passed


def test_commands_of_a_task(judge: StdioJudge) -> None:
    """A language that is not built in: Perl, which Debian always has."""
    need("perl", "runs a program by a task's own command")
    commands = ProgramCommands(source="main.pl", run=["perl", "main.pl"])
    program = "my ($a, $b) = split ' ', <STDIN>; print $a + $b, qq(\\n);"
    outcomes = [
        _judged(judge, text, _spec(lang="Perl", commands=commands)).outcome.value
        for text in (program, "print 3")
    ]

    assert outcomes == ["passed", "wrong"]


def test_commands_that_build(judge: StdioJudge) -> None:
    """What the build makes is there for the run."""
    need("gcc", "builds a program by a task's own command")
    commands = ProgramCommands(source="a.c", build=[["gcc", "-o", "made", "a.c"]], run=["./made"])
    program = '#include <stdio.h>\nint main(void) { int a, b; scanf("%d %d", &a, &b); printf("%d", a + b); return 0; }'

    assert _judged(judge, program, _spec(lang="C by hand", commands=commands)).outcome is Outcome.passed


def test_a_command_that_is_not_installed(judge: StdioJudge) -> None:
    """Not the answer's fault: it is missing from the score, with the reason."""
    commands = ProgramCommands(source="a", run=["no-such-program"])
    found = _judged(judge, "x", _spec(lang="None", commands=commands))

    assert (Outcome.sandbox_error, True) == (found.outcome, "no-such-program" in found.detail)
