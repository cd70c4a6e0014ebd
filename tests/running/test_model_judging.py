"""From votes to an assessment: majorities, ties, means, flags, and bounded quotes."""

from __future__ import annotations

from typing import Any

import pytest

from benchwright.contracts import Assessment
from benchwright.judges.rubric.judge_replies import read_reply
from benchwright.judges.rubric.rubrics import find_rubric
from benchwright.running.model_judges import ModelJudge, open_judges
from benchwright.running.model_judging import (
    MAX_QUOTE,
    MAX_QUOTES,
    JudgeQuestion,
    JudgeVote,
    assessment,
    grade,
)
from benchwright.running.options import JudgeOptions
from kit.judging_models import decides, rates


def judge(name: str = "openai:gpt-4o") -> ModelJudge:
    """Return a judge that is not asked."""
    return open_judges(JudgeOptions(specs=(name,)), ("issues", "comments"))[0]


def question(rubric: str = "issues", **more: Any) -> JudgeQuestion:
    """Return one answer to judge."""
    fields = {"text": "prompt", "references": 2, "shown": ("use  read_all\nnow", "so it is"), **more}
    return JudgeQuestion(task_id="q", sample=0, key="k", rubric=find_rubric(rubric, "en"), **fields)


def voted(*texts: str, asked: JudgeQuestion | None = None, by: ModelJudge | None = None) -> Assessment:
    """Return the assessment of these replies; "!" is a missing one."""
    asked = asked or question()
    votes = [
        JudgeVote(f"p{number}", missing="HTTP 500")
        if text == "!"
        else JudgeVote(f"p{number}", read_reply(text, asked.rubric, references=2), tokens_in=3, tokens_out=2)
        for number, text in enumerate(texts)
    ]
    return assessment(by or judge(), asked, votes)


@pytest.mark.parametrize(
    ("labels", "status", "label"),
    [
        (["correct"], "judged", "correct"),
        (["wrong", "correct", "correct"], "judged", "correct"),
        (["wrong", "correct"], "undecided", ""),
        (["wrong", "correct", "partly"], "undecided", ""),
        (["cannot_tell"], "undecided", "cannot_tell"),
        (["cannot_tell", "cannot_tell", "correct"], "undecided", "cannot_tell"),
    ],
)
def test_most_votes_decide_and_a_tie_decides_nothing(labels: list[str], status: str, label: str) -> None:
    found = voted(*map(decides, labels))

    assert (found.status, found.label) == (status, label)
    assert sum(found.votes.values()) == len(labels)
    assert (found.tokens_in, found.tokens_out) == (3 * len(labels), 2 * len(labels))


def test_replies_that_say_nothing_are_counted_and_do_not_vote() -> None:
    found = voted(decides("correct"), "prose", "!")

    assert (found.status, found.votes) == ("judged", {"correct": 1, "missing": 1, "unparsable": 1})


@pytest.mark.parametrize(
    ("texts", "status", "detail"),
    [
        (["prose"], "unparsable", "the reply holds no JSON object"),
        (["!", "!"], "missing", "HTTP 500"),
        (["!", "prose"], "unparsable", "the reply holds no JSON object"),
    ],
)
def test_without_any_vote_it_says_why(texts: list[str], status: str, detail: str) -> None:
    found = voted(*texts)

    assert (found.status, found.detail, found.scores, found.label) == (status, detail, {}, "")


def test_ratings_are_means_over_votes() -> None:
    found = voted(rates(5), rates(3), asked=question("comments"))

    assert found.scores == {"accuracy": 0.75, "logic": 0.75}
    assert found.votes == {"accuracy 3": 1, "accuracy 5": 1, "logic 3": 1, "logic 5": 1}
    assert grade(found) == 0.75


def test_a_refused_question_is_undecided() -> None:
    found = assessment(judge(), question(refused="too long"), [])

    assert (found.status, found.detail) == ("undecided", "too long")


@pytest.mark.parametrize(
    ("replies", "more", "flags"),
    [
        ([decides("correct")], {}, []),
        ([decides("correct")], {"author": "openai/gpt-4.1-2025-04-14"}, ["own_family"]),
        ([decides("correct")], {"author": "qwen3"}, []),
        ([decides("correct", evidence=["use read_all now"])], {}, []),
        ([decides("correct", evidence=['"so it is"'])], {}, []),
        ([decides("correct", evidence=["so it is not"])], {}, ["quote_not_found"]),
        ([decides("correct"), decides("wrong")], {}, ["contradicts_itself"]),
        ([decides("correct"), decides("partly")], {}, []),
    ],
)
def test_flags(replies: list[str], more: dict[str, Any], flags: list[str]) -> None:
    """Line breaks and quotation marks do not invalidate a quotation."""
    assert voted(*replies, asked=question(**more)).flags == flags


def test_what_is_kept_is_escaped_and_bounded() -> None:
    """No quotation of a judge can control a terminal."""
    found = voted(decides("correct", evidence=["\x1b[2J" + "x" * 9999] * 20, reason="\u202eabc"))

    assert len(found.evidence) == MAX_QUOTES
    assert found.evidence[0].startswith("\\x1b[2J")
    assert len(found.evidence[0]) <= MAX_QUOTE + 3
    assert found.reasons == {"issues": "\\u202eabc"}


def test_equal_ways_of_judging_have_equal_keys() -> None:
    """Another rubric or judge has another key; another answer does not."""
    one = voted(decides("correct"))
    assert one.prompt == assessment(judge(), question()._replace(key="other"), [JudgeVote("p")]).prompt
    assert one.prompt != voted(decides("correct"), by=judge("openai:gpt-5")).prompt
    assert one.prompt != voted(rates(3), asked=question("comments")).prompt
