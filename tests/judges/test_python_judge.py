"""Verdicts: each form of the question, each way to fail, and nothing that an answer says about itself."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.contracts import BatchSpec, CallsSpec, Judgement, MeraSpec, Spec
from benchwright.display.escape import escaped
from benchwright.judges import python
from benchwright.judges.reasons import DETAIL_LIMIT
from benchwright.records import Answer, Isolation, Outcome
from benchwright.sandbox.box import Sandbox
from benchwright.sandbox.codec import encode
from benchwright.sandbox.jail import JAILS
from benchwright.sandbox.limits import Limits
from benchwright.tracks.functions.humaneval import HumanEval
from kit.examples import SCALE
from kit.growth import slowness
from kit.judging import ProgramJudge
from kit.needs import HUMANEVAL, need_data, need_jail, need_module

LIMITS = Limits(cpu_s=0.5, wall_s=20.0, memory_mb=256, processes=32)
ADD = "def f(x, y): return x + y"


@pytest.fixture(scope="module")
def judge(jail: None) -> Iterator[ProgramJudge]:
    with Sandbox(limits=LIMITS) as sandbox:
        yield ProgramJudge(sandbox)


def calls(test: str, *, entry_point: str = "f", prelude: str = "") -> CallsSpec:
    return CallsSpec(entry_point=entry_point, prelude=prelude, test=test)


def batch(pairs: list[tuple[tuple[Any, ...], Any]], *, compare: str = "equal") -> BatchSpec:
    return BatchSpec(
        entry_point="f",
        calls=encode([(args, {}) for args, _ in pairs]),
        expected=[encode(value) for _, value in pairs],
        compare=compare,
    )


def texts(
    pairs: list[tuple[dict[str, Any], str]], *, kind: type[BatchSpec] | type[MeraSpec] = BatchSpec
) -> BatchSpec | MeraSpec:
    return kind(
        entry_point="f",
        calls=encode([((), kwargs) for kwargs, _ in pairs]),
        expected_text=[text for _, text in pairs],
    )


CHECK = calls("def check(candidate):\n    assert candidate(1, 2) == 3\n    assert candidate(5, 5) == 10\n")
BATCH = batch([((1, 2), 3), ((5, 5), 10)])
TEXT = texts([({"x": 1, "y": 2}, "3"), ({"x": 5, "y": 5}, "10")])
MERA = texts([({"x": 1, "y": 2}, "3"), ({"x": 5, "y": 5}, "10")], kind=MeraSpec)
FORMS = {"calls": CHECK, "batch": BATCH, "text": TEXT, "mera-code": MERA}


@pytest.mark.parametrize("spec", FORMS.values(), ids=FORMS.keys())
def test_a_right_answer_passes(judge: ProgramJudge, spec: Spec) -> None:
    """In every form, separated, with what it used and nothing to explain."""
    said = judge.judge(ADD, spec)

    assert (Outcome.passed, Isolation.separated, "", "", True) == (
        said.outcome,
        said.isolation,
        said.detail,
        said.stdout,
        0 < said.cpu_s < 0.5 * slowness() and said.wall_s > 0,
    )


@pytest.mark.parametrize("spec", FORMS.values(), ids=FORMS.keys())
def test_a_wrong_answer_is_wrong(judge: ProgramJudge, spec: Spec) -> None:
    """In every form."""
    said = judge.judge("def f(x, y): return x + y + 1", spec)

    assert said.outcome is Outcome.wrong


@pytest.mark.parametrize(
    ("program", "outcome"),
    [
        ("def f(x, y): return x + y", Outcome.passed),
        ("def f(x, y): return float(x + y)", Outcome.passed),  # equal, in other bytes
        ("def f(x, y): return x + y if x < 5 else float(x + y)", Outcome.passed),
        ("def f(x, y): return x * 3", Outcome.wrong),
        ("def f(x, y): return [x + y] if x == 5 else x + y", Outcome.wrong),
        ("def f(x, y): return 1 / (5 - x) and x + y", Outcome.exception),
        ("import os\ndef f(x, y): return x + y if x < 5 else os._exit(0)", Outcome.exception),
    ],
)
@pytest.mark.parametrize("most", [0, 1 << 20], ids=["value by value", "as one piece"])
def test_how_replies_are_compared_decides_nothing(
    judge: ProgramJudge, monkeypatch: pytest.MonkeyPatch, program: str, outcome: Outcome, most: int
) -> None:
    """Value by value, or all bytes of a right answer at once."""
    monkeypatch.setattr(python, "MAX_STREAM", most)
    spec = batch([((1, 2), 3), ((5, 5), 10), ((0, 0), 0)])

    assert judge.judge(program, spec).outcome is outcome


def test_values_that_may_not_be_sent_are_no_right_bytes() -> None:
    """A limit of replies holds for a right value too, and a text has no bytes of its own."""
    assert python._right_replies(BATCH, 2) == python._right_replies(TEXT, 100) == ()  # type: ignore[arg-type]
    assert [len(part) for part in python._right_replies(BATCH, 100)] == [15, 30]


@pytest.mark.parametrize("spec", FORMS.values(), ids=FORMS.keys())
def test_right_at_first_is_not_right(judge: ProgramJudge, spec: Spec) -> None:
    """Every call counts."""
    said = judge.judge("def f(x, y): return 3", spec)

    assert (Outcome.wrong, True) == (said.outcome, "call 2" in said.detail)


LABELS = [
    ("def f(:", Outcome.syntax_error, "SyntaxError"),
    ("def f(x, y):\nreturn 1", Outcome.syntax_error, "(line 2)"),
    ("def f(x, y): return 1\0", Outcome.syntax_error, "null bytes"),
    ("def g(x, y): return x + y", Outcome.no_entry_point, "does not define the entry point"),
    ("import nothing_of_this_name", Outcome.exception, "ModuleNotFoundError"),
    ("raise ValueError('at load')", Outcome.exception, "ValueError: at load (line 1)"),
    (
        "def f(x, y):\n    return x.y",
        Outcome.exception,
        "AttributeError: 'int' object has no attribute 'y' (line 2)",
    ),
    ("def f(x): return x", Outcome.exception, "TypeError"),
    ("f = 3", Outcome.exception, "not callable"),
    ("def f(x, y): raise SystemExit(0)", Outcome.exception, "SystemExit: 0"),
    ("def f(x, y): raise AssertionError('x')", Outcome.exception, "AssertionError: x"),
    ("import os\ndef f(x, y): os._exit(0)", Outcome.exception, "exited with status 0"),
    ("import os\ndef f(x, y): os.abort()", Outcome.exception, "signal"),
    ("def f(x, y):\n    while True: pass", Outcome.timed_out, "0.5 s of processor time"),
    ("while True: pass", Outcome.timed_out, "processor time"),
    ("def f(x, y): return [0] * 10**9", Outcome.out_of_memory, "MemoryError"),
    ("def f(x, y): return 'x' * (17 << 20)", Outcome.output_limit, "a reply of"),
    ("def f(x, y):\n    while True: print('x' * 10**5)", Outcome.output_limit, "printed"),
    ("def f(x, y): return object()", Outcome.wrong, "cannot be compared"),
    ("def f(x, y): return lambda: 3", Outcome.wrong, "cannot be compared: Unsendable: function"),
    ("def f(x, y): return None", Outcome.wrong, ""),
    ("import os\nos.write(3, b'junk' * 9)", Outcome.output_limit, "a reply of"),
    ("import os\nos.write(3, bytes(4) + b'D')", Outcome.tampered, "before it was loaded"),
]


@pytest.mark.parametrize("form", ["calls", "batch"])
@pytest.mark.parametrize(
    ("program", "outcome", "words"), LABELS, ids=[program[:40] for program, _, _ in LABELS]
)
def test_every_failure_has_its_label(
    judge: ProgramJudge, program: str, outcome: Outcome, words: str, form: str
) -> None:
    """And says why, in the same words in both forms."""
    said = judge.judge(program, FORMS[form])

    assert (outcome, True) == (said.outcome, words in said.detail)


def test_details_name_the_call(judge: ProgramJudge) -> None:
    """What was given and what was expected."""
    said = judge.judge("def f(x, y): return [x, y]", BATCH)

    assert said.detail == "call 1: f(1, 2) gave [1, 2], expected 3"


def test_an_assertions_own_words_are_kept(judge: ProgramJudge) -> None:
    """A test that explains itself is quoted."""
    said = judge.judge(ADD, calls("def check(candidate):\n    assert candidate(1, 1) == 3, 'one and one'"))

    assert (Outcome.wrong, "call 1: f(1, 1) gave 2, expected 3: one and one") == (said.outcome, said.detail)


def test_an_exception_that_the_test_expects(judge: ProgramJudge) -> None:
    """A built-in exception arrives as itself, so that a test may ask for it."""
    test = """
def check(candidate):
    try:
        candidate(1, 0)
    except ZeroDivisionError:
        pass
    else:
        assert False, "no error"
    assert candidate(4, 2) == 2
"""
    right = judge.judge("def f(x, y): return x // y", calls(test))
    wrong = judge.judge("def f(x, y): return x // y if y else None", calls(test))
    other = judge.judge("def f(x, y):\n    if not y: raise ValueError(y)\n    return x // y", calls(test))

    assert [Outcome.passed, Outcome.wrong, Outcome.exception] == [right.outcome, wrong.outcome, other.outcome]


def test_a_test_that_swallows_the_end(judge: ProgramJudge) -> None:
    """A bare except in a test does not make a dead answer pass."""
    test = "def check(candidate):\n    try: candidate(1, 1)\n    except: pass\n"
    said = judge.judge("import os\ndef f(x, y): os._exit(0)", calls(test))

    assert said.outcome is Outcome.exception


def test_changed_arguments_are_seen_by_the_test(judge: ProgramJudge) -> None:
    """A task may ask for a list to be sorted in place."""
    test = "def check(candidate):\n    rows = [3, 1]\n    candidate(rows)\n    assert rows == [1, 3]\n"
    right = judge.judge("def f(rows): rows.sort()", calls(test))
    wrong = judge.judge("def f(rows): sorted(rows)", calls(test))

    assert [Outcome.passed, Outcome.wrong] == [right.outcome, wrong.outcome]


def test_helpers_of_the_prompt_stay_outside(judge: ProgramJudge) -> None:
    """A test may use what the prompt defines, whatever the answer makes of it."""
    prelude = "def twice(x): return 2 * x\n\ndef f(x): pass\n"
    test = "def check(candidate):\n    assert candidate(3) == twice(3)\n    assert f(1) == twice(1)\n"
    right = judge.judge("def f(x): return x + x", calls(test, prelude=prelude))
    cheat = judge.judge("twice = lambda x: 0\ndef f(x): return 0", calls(test, prelude=prelude))

    assert [Outcome.passed, Outcome.wrong] == [right.outcome, cheat.outcome]


def test_random_tests_draw_the_same_for_everyone(judge: ProgramJudge) -> None:
    """A test that draws its inputs asks every answer the same."""
    test = "import random\ndef check(candidate):\n    assert candidate(random.random()) == 'x'\n"
    said = {judge.judge("def f(x): return x", calls(test)).stdout for _ in range(2)}
    shown = {
        judge.judge("def f(x):\n    print(x, flush=True)\n    return x", calls(test)).stdout for _ in range(2)
    }

    assert ({""}, 1) == (said, len(shown))


def test_a_check_kept_busy_by_a_value(judge: ProgramJudge, monkeypatch: pytest.MonkeyPatch) -> None:
    """A value that makes the test itself loop ends as the answer's time-out."""
    monkeypatch.setattr("benchwright.sandbox.untrusted.CHECK_CPU_S", 0.2)
    test = "def check(candidate):\n    for n in range(candidate(1, 1)): pass\n"
    said = judge.judge("def f(x, y): return 10**12", calls(test))

    assert (Outcome.timed_out, "its values kept the test busy for 0.2 s") == (said.outcome, said.detail)


def test_a_value_that_the_test_cannot_use(judge: ProgramJudge) -> None:
    """An error inside the test is the value's fault, and wrong."""
    said = judge.judge(
        "def f(x, y): return 'x'", calls("def check(candidate):\n    assert candidate(1, 1) > 3")
    )

    assert (Outcome.wrong, True) == (said.outcome, "TypeError" in said.detail)


def test_equality_is_pythons(judge: ProgramJudge) -> None:
    """As in an assert: 1 equals 1.0 and True, a tuple equals no list."""
    spec = batch([((), 1), ((), [1, 2]), ((), {"a": 1})])
    program = "answers = iter([{first}, {second}, {{'a': True}}])\ndef f(): return next(answers)"
    same = judge.judge(program.format(first="1.0", second="[True, 2.0]"), spec)
    other = judge.judge(program.format(first="1", second="(1, 2)"), spec)

    assert [Outcome.passed, Outcome.wrong] == [same.outcome, other.outcome]


def test_close_is_asked_for(judge: ProgramJudge) -> None:
    """Rounding is forgiven only where the task says so."""
    program = "def f(): return 0.1 + 0.2"
    outcomes = [judge.judge(program, batch([((), 0.3)], compare=how)).outcome for how in ("close", "equal")]

    assert [Outcome.passed, Outcome.wrong] == outcomes


def test_stdout_is_shown_when_it_failed(judge: ProgramJudge) -> None:
    """Escaped, and only for answers that did not pass."""
    noisy = "print('\\x1b[2Jhere', flush=True)\ndef f(x, y): return {}"
    wrong, right = (judge.judge(noisy.format(what), BATCH).stdout for what in ("0", "x + y"))

    assert (wrong, right) == ("\\x1b[2Jhere\n", "")


@pytest.mark.parametrize("form", FORMS)
def test_giant_integers_are_wrong(judge: ProgramJudge, form: str) -> None:
    """An integer with more digits than Python prints is a wrong answer like any other."""
    said = judge.judge("def f(x, y): return 10**5000", FORMS[form])

    assert said.outcome is Outcome.wrong


def test_giant_expected_integers(judge: ProgramJudge) -> None:
    """A task may expect a number that long; a wrong answer to it is wrong."""
    said = judge.judge("def f(): return 3", batch([((), 10**5000)]))

    assert said.outcome is Outcome.wrong


FORGED_ARRAY = """
import marshal, os
def f(x, y):
    body = marshal.dumps((StopIteration, "ndarray", "<i8", (2,), bytes(16)), 2)
    os.write(3, len(body).to_bytes(4, "little") + b"V" + body)
"""


def test_a_forged_array_is_wrong(judge: ProgramJudge) -> None:
    """An array in place of a number does not end the judge."""
    need_module("numpy")
    said = judge.judge(FORGED_ARRAY, BATCH)

    assert said.outcome is Outcome.wrong


FORGED_TEXT = """
import marshal, os
body = b"l" + (4000).to_bytes(4, "little") + b"\\xff\\x7f" * 4000
value = len(body).to_bytes(4, "little") + b"V" + body
os.write(3, bytes(4) + b"L" + value + value + bytes(4) + b"D")
"""


def test_a_forged_number_for_a_text(judge: ProgramJudge) -> None:
    """In MERA's forms a text is expected; a giant integer in its place does not end the judge."""
    said = judge.judge(FORGED_TEXT, MERA)

    assert said.outcome is Outcome.tampered


def test_an_error_that_has_no_text(judge: ProgramJudge) -> None:
    """A test that looks a giant integer up raises a KeyError that cannot be printed."""
    said = judge.judge("def f(): return 10**5000", calls("def check(candidate):\n    assert {}[candidate()]"))

    assert said.outcome is Outcome.wrong


def test_a_huge_word_of_the_test_is_cut(judge: ProgramJudge) -> None:
    """A detail made of an answer's value has a bound."""
    said = judge.judge(
        "def f(x, y): return '\\0' * 10**5",
        calls("def check(candidate):\n    assert not candidate(1, 1), candidate(1, 1)"),
    )

    assert (Outcome.wrong, DETAIL_LIMIT) == (said.outcome, len(said.detail))


def test_mera_reads_texts(judge: ProgramJudge) -> None:
    """MERA compares str of the value: "3" is as good as 3, 3.0 is not."""
    outcomes = [
        judge.judge(f"def f(x, y): return {made}", MERA).outcome
        for made in ("x + y", "str(x + y)", "x + y + 0.0")
    ]

    assert [Outcome.passed, Outcome.passed, Outcome.wrong] == outcomes


def test_mera_knows_no_second_function(judge: ProgramJudge) -> None:
    """Names of the top level are not seen by functions there: recursion and helpers fail, as in MERA."""
    helper = "def g(x, y): return x + y\ndef f(x, y): return g(x, y)"
    nested = "def f(x, y):\n    def g(x, y): return x + y\n    return g(x, y)"
    outcomes = [judge.judge(program, MERA).outcome for program in (helper, nested)]

    assert [Outcome.wrong, Outcome.passed] == outcomes


def test_mera_takes_an_exception_for_none(judge: ProgramJudge) -> None:
    """Where None is expected, a call that raises passes: a quirk of the original, kept for its scores."""
    spec = texts([({}, "None")], kind=MeraSpec)
    raising, wrong = (
        judge.judge(program, spec).outcome for program in ("def f(): 1 / 0", "def f(): return 0")
    )

    assert (Outcome.passed, Outcome.wrong) == (raising, wrong)


@given(st.text(st.characters(exclude_categories=()), max_size=50))
def test_printable_is_safe(text: str) -> None:
    """No control character, no direction mark, no lone surrogate gets through; what is safe stays."""
    safe = escaped(text)
    safe.encode("utf-8")

    assert all(char.isprintable() or char == "\n" for char in safe)


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("да, 3", "да, 3"),
        ("\x1b[31m", "\\x1b[31m"),
        ("a\r\nb\t", "a\\r\nb\\t"),
        ("\ud800\u202e", "\\ud800\\u202e"),
    ],
)
def test_printable_escapes(text: str, safe: str) -> None:
    """As Python would write the character."""
    assert safe == escaped(text)


# The form of a question does not depend on the jail, so each form is tried in one of them; weekly in both.
FORMS_IN_JAILS = (
    [*itertools.product(("calls", "batch"), JAILS)]
    if SCALE > 1
    else [*zip(("calls", "batch"), JAILS, strict=True)]
)


@pytest.mark.parametrize(("form", "jail"), FORMS_IN_JAILS)
def test_humaneval_gold_passes_and_stub_fails(form: str, jail: str) -> None:
    """All 164 canonical solutions pass and not one stub does."""
    path = need_data(HUMANEVAL)
    need_jail(jail)
    track = HumanEval().in_form(form)
    gold, stub = [], []
    with Sandbox(jail=jail) as sandbox:
        judge = ProgramJudge(sandbox)
        for task in track.load(path):
            answers = [track.gold(task) or "", track.stub(task)]
            first, second = (_judged(judge, track, task, answer) for answer in answers)
            gold.append((task.task_id, first.outcome, first.detail))
            stub.append((task.task_id, second.outcome))
    failed = [row for row in gold if row[1] is not Outcome.passed]
    passed = [row for row in stub if row[1] is Outcome.passed]

    assert (len(gold), failed, passed) == (164, [], [])


def _judged(judge: ProgramJudge, track: HumanEval, task: Any, text: str) -> Judgement:
    answer = Answer(key="k", task_id=task.task_id, sample=0, model="test", text=text)
    program = track.extract(task, answer, profile="strict").program
    return judge.judge(program, track.spec(task, profile="strict"))


def test_meras_results_have_a_bound_together(judge: ProgramJudge) -> None:
    """All are held until the last has come, so that their sum counts and not only each of them."""
    spec = texts([({}, "x")] * 6, kind=MeraSpec)
    said = judge.judge("def f(): return 'x' * (12 << 20)", spec)

    assert (said.outcome, "longer than is kept" in said.detail) == (Outcome.output_limit, True)
