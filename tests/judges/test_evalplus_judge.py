"""What EvalPlus takes for equal, and how both sets of inputs end."""

from __future__ import annotations

import hashlib
import math
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.contracts import Criterion, InputSet, Job, Judgement, PlusSpec
from benchwright.executing.pool import Pool
from benchwright.judges.evalplus import FLOAT_ATOL, holds
from benchwright.records import Outcome
from benchwright.sandbox.box import Sandbox
from benchwright.sandbox.codec import encode
from benchwright.sandbox.limits import Limits
from kit.judging import ProgramJudge
from kit.needs import need_module, need_sandbox


@pytest.mark.parametrize(
    ("value", "expected", "atol", "right"),
    [
        (1.0, 1.0, 0, True),
        (1.0 + 1e-9, 1.0, 0, False),
        (1.0 + 1e-9, 1.0, 1e-6, True),
        (1.0 + 1e-5, 1.0, 1e-6, False),
        (1, 1.0, 1e-6, True),  # equal by ==
        (1, 1.0 + 1e-9, 1e-6, False),  # of another type
        ((1.0, 2.0), [1.0, 2.0 + 1e-9], 1e-6, False),
        ([1.0, 2.0], [1.0, 2.0 + 1e-9], 1e-6, True),
        ([1.0], [1.0, 2.0], 1e-6, False),
        ([[1.0], [2.0]], [[1.0], [2.0 + 1e-9]], 1e-6, True),
        ([[1.0], [2.0, 3.0]], [[1.0], [2.0, 3.0 + 1e-9]], 1e-6, False),  # no array
        (["a", 1.0], ["a", 1.0 + 1e-9], 1e-6, False),
        ({"a": 1.0}, {"a": 1.0 + 1e-9}, 1e-6, False),
        (10**9, 10**9 + 50, 1e-6, True),  # 1e-7 of the expected value, for integers as well
        (10**30, 10**30 + 50, 1e-6, False),  # objects to numpy
        (math.inf, math.inf, 1e-6, True),
        (math.nan, math.nan, 1e-6, False),
        (1.0, math.inf, 1e-6, False),
        (None, 1.0, 1e-6, False),
        (1 + 1e-9j, 1 + 0j, 1e-6, True),
    ],
)
def test_what_is_equal(value: Any, expected: Any, atol: float, right: bool) -> None:
    """By ==, or as numpy.allclose has it where a tolerance is at work."""
    assert holds(value, expected, (), atol=atol) is right


PLAIN = st.recursive(
    st.integers() | st.floats() | st.booleans() | st.text(max_size=3) | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.lists(inner, max_size=3).map(tuple),
    max_leaves=8,
)


@given(value=PLAIN, expected=PLAIN)
def test_any_two_values_can_be_compared(value: Any, expected: Any) -> None:
    """Never an exception; without a tolerance it is == alone, and a tolerance refuses nothing that is equal."""
    exact = holds(value, expected, (), atol=0)

    assert exact is (value == expected)
    assert holds(value, expected, (), atol=1e-6) or not exact


@given(numbers=st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=6), by=st.floats(0, 3e-6))
def test_tolerance_is_numpys(numbers: list[float], by: float) -> None:
    """Against the library itself."""
    numpy = need_module("numpy")
    moved = [each + by for each in numbers]

    assert holds(moved, numbers, (), atol=FLOAT_ATOL) == bool(
        moved == numbers or numpy.allclose(moved, numbers, rtol=1e-7, atol=FLOAT_ATOL)
    )


@pytest.mark.parametrize(
    ("oracle", "args", "value", "expected", "right"),
    [
        ("root", ([-6.0, 11.0, -6.0, 1.0],), 2.0, 1.0, True),
        ("root", ([-6.0, 11.0, -6.0, 1.0],), 2.5, 2.5, False),
        ("root", ([1.0, 1.0],), "x", -1.0, False),
        ("root", ([1.0, 1.0, 1.0, 1.0],), 1e200, -1.0, False),
        ("same_set", ((), ()), (2, 1, 1), [1, 2], True),
        ("same_set", ((), ()), [[1]], [1], False),
        ("same_set", ((), ()), None, [], False),
        ("anything", (1, 2), "?", True, True),
        ("or_zero", (1,), 0, 1, True),
        ("or_zero", (1,), 2, 1, False),
        ("pyramid", (3, 4), 33, 33, True),
        ("pyramid", (3, 4), 35, 33, True),
        ("pyramid", (3, 4), 34, 33, False),
        ("digit_distance", (100, 9), 10, 5, True),
        ("digit_distance", (100, 9), 5, 5, True),
        ("digit_distance", (100, 9), 6, 5, False),
    ],
)
def test_comparisons_of_their_own(
    oracle: str, args: tuple[Any, ...], value: Any, expected: Any, right: bool
) -> None:
    """Each accepts what its task leaves open, and no more."""
    assert holds(value, expected, args, atol=1e-4 if oracle == "root" else 0, oracle=oracle) is right


def inputs(calls: list[tuple[Any, ...]], expected: list[Any]) -> InputSet:
    """A set of inputs with these values."""
    return InputSet(calls=encode([(args, {}) for args in calls]), expected=list(map(encode, expected)))


def judged(spec: PlusSpec, *programs: str) -> list[Judgement]:
    """How each program ends."""
    need_sandbox()
    with Pool(workers=1) as pool:
        jobs = [Job(number, program, Criterion(spec)) for number, program in enumerate(programs)]
        return [judgement for _, judgement in sorted(pool.judge(jobs), key=lambda pair: pair[0])]


def test_both_sets_are_told() -> None:
    """An answer that only the plus inputs find out, one that fails on both, and one that does not load."""
    spec = PlusSpec(
        entry_point="f", sets={"base": inputs([(1,), (2,)], [1, 2]), "plus": inputs([(-1,), (0,)], [1, 0])}
    )
    right, half, wrong, broken = judged(
        spec,
        "def f(x): return abs(x)",
        "def f(x): return x",
        "def f(x): return 1 / (x - 2)",
        "def f(x) return x",
    )

    assert (right.outcome, right.parts) == ("passed", {"base": "passed", "plus": "passed"})
    assert (half.outcome, half.parts) == ("wrong", {"base": "passed", "plus": "wrong"})
    assert half.detail == "plus: call 1: f(-1) gave -1, expected 1"
    assert (wrong.outcome, wrong.parts) == ("wrong", {"base": "wrong", "plus": "wrong"})
    assert (broken.outcome, broken.parts) == (Outcome.syntax_error, {})


def test_the_first_float_brings_a_tolerance() -> None:
    """For the inputs after it, and not for those before: EvalPlus's own rule."""
    after = PlusSpec(entry_point="f", sets={"base": inputs([(0,), (1,)], [0.5, [[1.0]]])})
    before = PlusSpec(entry_point="f", sets={"base": inputs([(1,), (0,)], [[[1.0]], 0.5])})
    program = "def f(x): return [[1.0 + 1e-9]] if x else 0.5"

    assert [each.outcome for each in judged(after, program)] == ["passed"]
    assert [each.outcome for each in judged(before, program)] == ["wrong"]


def test_values_that_cannot_be_sent() -> None:
    """A match object is something where that is all that is asked, and no value elsewhere."""
    program = "import re\ndef f(x): return re.match('a', x)"
    spec = PlusSpec(
        entry_point="f", sets={"base": inputs([("a",), ("b",)], [True, False])}, oracle="not_none"
    )
    plain = PlusSpec(entry_point="f", sets={"base": inputs([("a",)], [True])})

    assert [each.outcome for each in judged(spec, program, "def f(x): return x == 'a'")] == ["passed"] * 2
    assert [each.outcome for each in judged(spec, "def f(x): return 1")] == ["wrong"]
    assert "cannot be compared" in judged(plain, program)[0].detail


def test_a_large_value_is_known_by_its_digest() -> None:
    """Nothing else of it is held."""
    value = "ab" * 50_000
    one = InputSet(
        calls=encode([((2,), {})]), expected=[b""], digests={0: hashlib.sha256(encode(value)).digest()}
    )
    spec = PlusSpec(entry_point="f", sets={"base": one})
    right, wrong = judged(spec, "def f(x): return 'ab' * 50_000", "def f(x): return 'ba' * 50_000")

    assert right.outcome == "passed"
    assert wrong.detail.endswith("expected another value, known only by its digest")


def test_one_that_hangs_is_ended_in_each_set() -> None:
    """By the limit of the set."""
    sets = {
        name: InputSet(calls=encode([((1,), {})]), expected=[encode(1)], cpu_limit_s=0.2)
        for name in ("base", "plus")
    }
    hanging = judged(PlusSpec(entry_point="f", sets=sets), "def f(x):\n    while True: pass")[0]

    assert hanging.parts == {"base": "timed_out", "plus": "timed_out"}


GOLD = {
    "floats": ("x * 0.1", "x * 0.1 + 1e-9"),
    "lists": ("[x * 0.1] * 5", "[x * 0.1 + 1e-9] * 5"),
    "tuples": ("(x * 0.1, x * 0.3)", "(x * 0.1 + 1e-9, x * 0.3)"),
    "a_text_first": ("'a' if x == 0 else x * 0.1", "'a' if x == 0 else x * 0.1 + 1e-9"),
    "a_late_float": ("x * 0.1 if x > N // 2 else x", "x * 0.1 + 1e-9 if x > N // 2 else x"),
}


def _near(name: str, count: int) -> tuple[str, PlusSpec]:
    """A program whose every float is off by less than EvalPlus allows, and what it is judged by."""
    gold, given = (each.replace("N", str(count)) for each in GOLD[name])
    expected = [encode(eval(gold, {"x": x})) for x in range(count)]
    calls = encode([((x,), {}) for x in range(count)])
    sets = {"base": InputSet(calls=calls, expected=expected, cpu_limit_s=10.0)}
    return f"def f(x):\n    return {given}\n", PlusSpec(entry_point="f", sets=sets)


@pytest.mark.parametrize("name", GOLD)
def test_many_inputs_within_the_tolerance_pass(name: str) -> None:
    """As EvalPlus, which has no limit on a comparison; and none of them is compared twice."""
    need_sandbox()
    with Sandbox(limits=Limits(cpu_s=10.0)) as box:
        judgement = ProgramJudge(box).judge(*_near(name, 3000))

    assert (judgement.outcome, judgement.detail) == (Outcome.passed, "")


def test_the_growth_of_a_comparison_is_linear() -> None:
    """Four times the inputs take less than eight times the time: counted by what is decoded."""
    need_sandbox()
    used = []
    with Sandbox(limits=Limits(cpu_s=10.0)) as box:
        judge = ProgramJudge(box)
        for count in (1000, 4000):
            program, spec = _near("lists", count)
            began = time.process_time()
            assert judge.judge(program, spec).outcome is Outcome.passed
            used.append(time.process_time() - began)

    assert used[1] < 8 * used[0]
