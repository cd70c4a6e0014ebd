"""A label is right, wrong, or not there; nothing is executed."""

from __future__ import annotations

from contextlib import ExitStack

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.contracts import Extraction, Judgement, LabelSpec
from benchwright.executing.worker import AnswerJudge
from benchwright.judges.judge_registry import Judges, Resources
from benchwright.judges.label import LabelJudge
from benchwright.records import Answer, Isolation, Outcome, Task
from benchwright.sandbox.box import Sandbox
from benchwright.sandbox.untrusted import processor_limit
from benchwright.text.label import LABELS, read_label
from benchwright.tracks.correctness.track import TRACK

RESOURCES = Resources(Sandbox(), ExitStack())  # the sandbox starts nothing
JUDGE, JUDGES = LabelJudge(RESOURCES), Judges(RESOURCES)


def read_and_judge(
    text: str, gold: str, *, profile: str = "strict", finish_reason: str | None = None
) -> Judgement:
    """What becomes of an answer, as a worker makes it."""
    task = Task(task_id=1, instruction="", inputs={}, outputs=gold, meta={}, revision="")
    answer = Answer(key="", task_id=1, sample=0, model="", text=text, finish_reason=finish_reason)
    judge = AnswerJudge(TRACK, JUDGES, reading=processor_limit)
    return judge.judge(answer, task, TRACK.spec(task, profile=profile), profile=profile)


@pytest.mark.parametrize(
    ("text", "gold", "strict", "mera"),
    [
        ("success", "success", "passed", "passed"),
        ("success", "failed", "wrong", "wrong"),
        ("Failed", "failed", "passed", "unparsable"),
        ("The test is unsuccessful", "failed", "passed", "wrong"),
        ("success or failed", "success", "unparsable", "unparsable"),
        ("It is a success, not failed.", "success", "passed", "unparsable"),
        ("", "failed", "unparsable", "unparsable"),
    ],
)
def test_an_answer_ends_in_one_of_three_ways(text: str, gold: str, strict: str, mera: str) -> None:
    """By either profile."""
    found = [
        read_and_judge(text, gold, profile=profile).outcome.value for profile in ("strict", "mera-exact")
    ]

    assert found == [strict, mera]


def test_the_detail_says_what_was_read_and_by_which_rule() -> None:
    """So that a person can see why without the answer at hand."""
    found = read_and_judge("I think it will not pass.", "success")

    assert (found.rule, found.truncated) == ("tolerant+bare", False)
    assert found.detail == (
        "said failed, expected success; tolerant+bare: read `failed` in: I think it will not pass."
    )


def test_an_answer_cut_off_is_marked() -> None:
    """Whether it holds a label or not."""
    cut = [read_and_judge(text, "success", finish_reason="length").truncated for text in ("success", "hm")]

    assert cut == [True, True]


@given(st.text(), st.sampled_from(LABELS), st.sampled_from(["strict", "mera-exact"]))
@settings(deadline=None)
def test_any_text_is_judged(text: str, gold: str, profile: str) -> None:
    """The outcome is one of three, and the detail safe to print."""
    found = read_and_judge(text, gold, profile=profile)

    assert found.outcome in (Outcome.passed, Outcome.wrong, Outcome.unparsable)
    assert (found.detail.isprintable(), 0 < len(found.detail) <= 500) == (True, True)


@given(st.text(), st.sampled_from(LABELS))
@settings(deadline=None)
def test_a_verdict_follows_from_the_label(text: str, gold: str) -> None:
    """Right against one label is wrong against the other; no label is no label for both."""
    other = LABELS[gold == LABELS[0]]
    read = read_label(text).value
    found = {read_and_judge(text, gold).outcome, read_and_judge(text, other).outcome}

    assert found == ({Outcome.unparsable} if read is None else {Outcome.passed, Outcome.wrong})


def test_a_detail_is_escaped_and_bounded() -> None:
    """A model's control characters reach no terminal."""
    taken = Extraction(program="success", rule="r", detail="\x1b[31m" + "x" * 900)
    judgement = JUDGE.judge(taken, LabelSpec(expected="failed"))

    assert ("\\x1b[31m" in judgement.detail, len(judgement.detail)) == (True, 500)
    assert (judgement.isolation, judgement.cpu_s) == (Isolation.separated, 0.0)
