"""Graders: each one passes and fails with what it expected and found; none can hang or be talked into passing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.contracts import Extraction, GradersSpec, Judgement, LabelSpec
from benchwright.judges.graders import GradersJudge
from benchwright.judges.judge_registry import Resources
from benchwright.records import Outcome
from benchwright.sandbox.box import Sandbox
from benchwright.sandbox.limits import Limits
from benchwright.sandbox.untrusted import processor_limit

SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["name"],
    "properties": {"name": {"type": "string"}, "next": {"$ref": "#"}},
}
PRICES = {"price_in": 1.0, "price_out": 2.0}  # for a million tokens
USAGE = {"tokens_in": 1_000, "tokens_out": 2_000, "seconds": 1.5}
BOMB = "a" * 40 + "!"
QUICK = Limits(cpu_s=0.5, memory_mb=256)


@pytest.fixture(scope="module")
def judge() -> Iterator[GradersJudge]:
    """A judge whose checks have half a second."""
    with Sandbox(limits=QUICK) as sandbox, ExitStack() as closing:
        yield GradersJudge(Resources(sandbox, closing, partial(processor_limit, 0.5)))


def graded(
    judge: GradersJudge, text: str, /, *, measured: dict[str, float] | None = None, **spec: Any
) -> Judgement:
    """The judgement of a text."""
    taken = Extraction(program=text, rule="text", text=text, measured=measured or {})
    return judge.judge(taken, GradersSpec(**spec))()


@pytest.mark.parametrize(
    ("spec", "text", "outcome", "detail"),
    [
        ({"contains": ["Paris"]}, "It is Paris.", "passed", "contains passed: found 'Paris'"),
        (
            {"contains": ["Paris", "Rome"]},
            "paris, Rome",
            "wrong",
            "expected 'Paris', which is not in 'paris, Rome'",
        ),
        ({"contains": ["Paris"]}, "", "wrong", "an empty answer"),
        ({"regex": r"\b4\d\b"}, "so 42.", "passed", r"'\b4\d\b' matches '42'"),
        ({"regex": r"\b4\d\b"}, "so 142.", "wrong", "found none in 'so 142.'"),
        ({"regex": "(a+)+$"}, BOMB, "timed_out", "took more than 0.5 s of processor time"),
        ({"json_schema": SCHEMA}, '{"name": "x"}', "passed", "is JSON that fits"),
        ({"json_schema": SCHEMA}, 'Here:\n```json\n{"name": "x"}\n```', "passed", "is JSON that fits"),
        ({"json_schema": SCHEMA}, '{"name": 1}', "wrong", "at $.name: 1 is not of type 'string'"),
        (
            {"json_schema": SCHEMA},
            '{"name": "x", "next": {}}',
            "wrong",
            "at $.next: 'name' is a required property",
        ),
        ({"json_schema": SCHEMA}, "name: x", "wrong", "expected JSON, found 'name: x'"),
        ({"json_schema": SCHEMA}, '{"name": "x", "name": "y"}', "wrong", "expected JSON"),
        ({"json_schema": SCHEMA}, "[" * 10_000, "wrong", "expected JSON"),
        ({"json_schema": {"pattern": "(a+)+$"}}, f'"{BOMB}"', "timed_out", "processor time"),
        ({"json_schema": {"$ref": "http://localhost:1/s"}}, "1", "wrong", "could not be checked"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_a_grader_says_what_it_expected_and_found(
    judge: GradersJudge, spec: dict[str, Any], text: str, outcome: str, detail: str
) -> None:
    found = graded(judge, text, **spec)

    assert (found.outcome.value, list(found.parts)) == (outcome, list(spec))
    assert detail in found.detail


@pytest.mark.usefixtures("jail")
@pytest.mark.parametrize(
    ("source", "outcome", "detail", "score"),
    [
        ("return 'x' in answer", "passed", "check() returned True", None),
        ("return answer == ''", "wrong", "check() returned False", None),
        ("return 0.75", "passed", "check() returned 0.75, expected at least 0.5", 0.75),
        ("return 0.25", "wrong", "check() returned 0.25, expected at least 0.5", 0.25),
        ("return 2", "wrong", "expected a boolean or a number from 0 to 1", None),
        ("return float('nan')", "wrong", "expected a boolean or a number from 0 to 1", None),
        ("return 'yes'", "wrong", "expected a boolean or a number from 0 to 1", None),
        ("return object()", "wrong", "check() returned", None),
        ("return [0] * 100_000", "wrong", "check() returned too large a value", None),
        ("return int(answer)", "wrong", "check() raised ValueError", None),
        ("while True: pass", "timed_out", "check() ended", None),
        ("import os; os._exit(0)", "wrong", "check() ended", None),
        ("return [0] * 10**9", "wrong", "check() ", None),
    ],
)
def test_a_function_decides_in_the_sandbox(
    judge: GradersJudge, source: str, outcome: str, detail: str, score: float | None
) -> None:
    """A function that fails, hangs or returns something else does not pass the answer."""
    found = graded(judge, "x", function=f"def check(answer):\n    {source}\n", threshold=0.5)

    assert (found.outcome.value, detail in found.detail) == (outcome, True), found.detail
    assert found.scores == ({} if score is None else {"function": score})


@pytest.mark.parametrize(
    ("spec", "measured", "outcome", "detail"),
    [
        ({"max_cost": 0.005, **PRICES}, USAGE, "passed", "cost 0.005, expected at most 0.005"),
        ({"max_cost": 0.0049, **PRICES}, USAGE, "wrong", "cost 0.005, expected at most 0.0049"),
        (
            {"max_cost": 0.0025, "price_batch": 0.5, **PRICES},
            {**USAGE, "batch": 1.0},
            "passed",
            "cost 0.0025",
        ),
        ({"max_cost": 0.0025, "price_batch": 0.5, **PRICES}, USAGE, "wrong", "cost 0.005"),
        ({"max_cost": 1.0, **PRICES}, {"tokens_in": 5}, "undecided", "tokens of the answer are not known"),
        ({"max_cost": 1.0}, USAGE, "undecided", "add --price-in and --price-out"),
        ({"max_seconds": 1.5}, USAGE, "passed", "took 1.5 s, expected at most 1.5 s"),
        ({"max_seconds": 1.0}, USAGE, "wrong", "took 1.5 s, expected at most 1 s"),
        ({"max_seconds": 1.0}, {}, "undecided", "time of the answer is not known"),
    ],
)
def test_limits_need_what_the_request_cost(
    judge: GradersJudge, spec: dict[str, Any], measured: dict[str, float], outcome: str, detail: str
) -> None:
    """Stored answers have neither tokens nor seconds: undecided, and never counted as zero."""
    found = graded(judge, "x", contains=["x"], measured=measured, **spec)

    assert (found.outcome.value, detail in found.detail) == (outcome, True), found.detail
    assert found.parts["contains"] is Outcome.passed


def test_all_graders_must_pass(judge: GradersJudge) -> None:
    """A failed one decides, also beside an undecided one; the label's own judge is one of them."""
    label = LabelSpec(expected="yes")
    taken = Extraction(program="yes", rule="r", text="yes, sure")

    both = judge.judge(taken, GradersSpec(base=label, contains=["sure"]))()
    failed = judge.judge(taken, GradersSpec(base=label, contains=["maybe"], max_seconds=1.0))()
    said_no = Extraction(program="no", rule="r", text="no, sure")
    wrong = judge.judge(said_no, GradersSpec(base=label, contains=["sure"]))()

    assert (both.outcome, list(both.parts)) == (Outcome.passed, ["label", "contains"])
    assert failed.outcome is Outcome.wrong
    assert failed.parts == {
        "label": Outcome.passed,
        "contains": Outcome.wrong,
        "max_seconds": Outcome.undecided,
    }
    assert failed.detail.startswith("contains wrong: expected 'maybe'")
    assert (wrong.outcome, wrong.parts["label"]) == (Outcome.wrong, Outcome.wrong)


@given(st.text(max_size=80))
def test_any_text_gets_one_verdict(text: str) -> None:
    """None raises, and what passes contains the text."""
    judge = GradersJudge(Resources(Sandbox(), ExitStack()))  # the sandbox starts nothing

    found = graded(judge, text, contains=["a"], regex="a", json_schema={"type": "string"})

    assert found.outcome in (Outcome.passed, Outcome.wrong)
    assert (found.parts["contains"] is Outcome.passed) == ("a" in text)
