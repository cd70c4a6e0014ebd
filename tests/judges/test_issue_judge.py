"""Rules on answers to issues: what they settle, and what they note beside what they leave undecided."""

from __future__ import annotations

from contextlib import ExitStack

import pytest

from benchwright.contracts import Extraction, IssueSpec, Judgement, Reference
from benchwright.judges.issues import IssueJudge
from benchwright.judges.judge_registry import Resources
from benchwright.records import Outcome
from benchwright.text.refusals import is_refusal
from kit.growth import seconds, slowness

SPEC = IssueSpec(
    question="resample() is slow since 2.3",
    body="See https://example.org/trace and #40. `Frame.window` is None on 2024-02-01.",
    asked_at="2024-03-05T10:00:00Z",
    references=[
        Reference(body="Fixed by #41 in June 2024: resample() takes `window` now.", strength="linked_fix"),
        Reference(body="Use a larger cache."),
    ],
)


def judge(text: str, spec: IssueSpec = SPEC) -> Judgement:
    """What the rules say of an answer."""
    resources = Resources(sandbox=None, closing=ExitStack())  # type: ignore[arg-type]  # nothing is executed
    return IssueJudge(resources).judge(Extraction(program=text, rule="text"), spec)


@pytest.mark.parametrize("text", ["", "  \n", "...", "???", "—", "```\n```"])
def test_nothing_said_is_wrong(text: str) -> None:
    """No letter and no digit."""
    found = judge(text)

    assert (found.outcome, found.scores) == (Outcome.wrong, {"nothing_said": 1.0})


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry, but I can't help with that.",
        "I’m sorry, I cannot assist with this request.",
        "Sorry, I am unable to answer.",
        "As an AI language model, I cannot answer this question.",
        "I won't help with this.",
        "К сожалению, я не могу помочь с этим вопросом.",
        "Извините, но я не могу ответить.",
        "I don't know.",
        "Sorry, I don't know the answer.",
        "I have no idea.",
        "Не знаю.",
        "Извините, я не знаю.",
        "Понятия не имею.",
        "Без понятия.",
        "Я не знаю ответа на этот вопрос.",
        "我不知道。",
        "抱歉，我无法回答这个问题。",
        "对不起，我不清楚。",
        "不知道",
        "很抱歉，我无法提供帮助。",
    ],
)
def test_a_refusal_is_wrong(text: str) -> None:
    """In English, Russian and Chinese, of ignorance too."""
    found = judge(text)

    assert (found.outcome, found.scores, "refuses" in found.detail) == (Outcome.wrong, {"refusal": 1.0}, True)


@pytest.mark.parametrize(
    "text",
    [
        "I can't help but notice that the cache is too small.",
        "I cannot answer without a traceback.",
        "I can't help with that until `window` is set.",
        "Unfortunately I cannot reproduce it.",
        "I cannot help: resample() was removed in 3.0.",
        "Sorry, I can't help. Could you open an issue in the other project?",
        "You cannot answer this by resampling.",
        "I cannot answer. " + "The cache has one entry. " * 12,
        "Я не могу ответить без трассировки.",
        "I don't know why, but setting `retries` helps.",
        "Не знаю, почему, но помогает `retries = 0`.",
        "我不知道原因，但把 retries 设为 0 就可以了。",
        "不知道你用的是哪个版本？",
    ],
)
def test_what_says_more_is_no_refusal(text: str) -> None:
    """A reason, a name, a question, or a longer text."""
    assert (is_refusal(text), judge(text).outcome) == (False, Outcome.undecided)


def test_overlap_is_with_the_nearest_reference() -> None:
    """From 0 to 1."""
    same, near, far = (
        judge(text).scores["overlap"] for text in ("Use a larger cache.", "A larger cache helps.", "Reboot.")
    )

    assert (same, far) == (1.0, 0.0)
    assert 0.5 < near < 1.0


@pytest.mark.parametrize(
    ("text", "evidence"),
    [
        ("It is as #40 and #41 say.", 1.0),
        ("See https://example.org/trace.", 1.0),
        ("`Frame.window` must be set, or `window`.", 1.0),
        ("It is #40 or #999.", 0.5),
        ("Call `Frame.resize()`.", 0.0),
        ("See https://example.org/made-up", 0.0),
    ],
)
def test_what_is_cited_is_looked_up(text: str, evidence: float) -> None:
    """In the question and in the references."""
    assert judge(text).scores["evidence"] == evidence


def test_nothing_cited_is_no_evidence() -> None:
    """Neither good nor bad; a shell line or an anchor is no citation."""
    assert [
        judge(text).scores.get("evidence") for text in ("Larger cache.", "Run `rm -rf x y`", "a#1 &#39;")
    ] == [None] * 3


@pytest.mark.parametrize(
    ("text", "is_later"),
    [
        ("Fixed on 2024-07-01.", True),
        ("Fixed in August 2024.", True),
        ("Fixed on 12 June 2024 and June 2024", False),
        ("As of 2024-02-01 it is None.", False),
        ("Broken since January 5, 2023.", False),
        ("Release 2025.04 has it.", True),
        ("Port 2049 and 2024 rows, version 12024-07-01.", False),
    ],
)
def test_later_facts_are_flagged(text: str, is_later: bool) -> None:
    """A month after the question's that neither it nor a reference holds."""
    found = judge(text)

    assert ("later_facts" in found.scores, "after the question" in found.detail) == (is_later, is_later)


@pytest.mark.parametrize("asked_at", ["", "time", "2024-13-45", "yesterday"])
def test_without_a_date_nothing_is_later(asked_at: str) -> None:
    """Nobody can tell."""
    spec = IssueSpec(question="Why?", asked_at=asked_at, references=SPEC.references)

    assert "later_facts" not in judge("Fixed on 2031-01-01.", spec).scores


def test_every_score_is_a_share() -> None:
    """Whatever the text holds."""
    for text in (
        "#1 " * 5000,
        "`a.b`" * 5000,
        "2099-01-01 " * 5000,
        "\x00\u202e" * 9000 + "a",
        "я" * 100_000,
    ):
        assert all(0 <= value <= 1 for value in judge(text).scores.values())


def test_an_answer_costs_little() -> None:
    """At most 1 ms of processor time, with three references of some length."""
    references = [
        Reference(body=f"Set window to {number}; see #{number} and `Frame.window`. " * 12)
        for number in range(3)
    ]
    spec = IssueSpec(question="Why?", body="It is slow. " * 40, asked_at="2024-03-05", references=references)
    resources = Resources(sandbox=None, closing=ExitStack())  # type: ignore[arg-type]
    judging = IssueJudge(resources)
    taken = [
        Extraction(program=f"Set `Frame.window` to {n}, as #{n} says. " * 25, rule="text") for n in range(100)
    ]
    judging.judge(taken[0], spec)

    def judge_all(_: str) -> None:
        for each in taken:
            judging.judge(each, spec)

    best = min(seconds(judge_all, "") for _ in range(3))

    assert best / len(taken) < 0.002 * slowness()
