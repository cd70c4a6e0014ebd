"""Verdicts on comments with judges' ratings: shares, weights, and complete results."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.contracts import Assessment
from benchwright.records import Outcome, Verdict
from benchwright.tracks.comments.measures import WEIGHTS, assessed, total
from benchwright.tracks.comments.track import TRACK
from kit.graded_runs import assessment, rules, verdict

SHARES = st.integers(0, 10**6).map(lambda millionths: millionths / 10**6)
STATUSES = st.sampled_from(["judged", "undecided", "unparsable", "missing"])


@st.composite
def said(draw: st.DrawFn) -> list[Assessment]:
    """Return the ratings of up to four judges."""
    judges = draw(st.lists(st.sampled_from("abcd"), unique=True, max_size=4))
    made = []
    for judge in judges:
        status = draw(STATUSES)
        scores = {"accuracy": draw(SHARES), "logic": draw(SHARES)} if status == "judged" else {}
        made.append(assessment(judge, status, scores=scores))
    return made


@st.composite
def by_rules(draw: st.DrawFn) -> Verdict:
    """Return a verdict by rules: scored with details, or settled."""
    if not draw(st.booleans()):
        settled = draw(st.sampled_from(["wrong", "no_code", "unparsable", "timed_out", "model_error"]))
        return verdict(settled, scores=rules(0, 0, 0))
    grades = {name: draw(SHARES) for name in ("format", "accuracy", "logic")}
    plain = verdict(scores=rules(**grades, echo=draw(SHARES)), parts={"place": Outcome.passed}, detail="why")
    return assessed(plain, [])


def test_grades_of_people_become_shares() -> None:
    """The total needs the grades of all parts."""
    grades = {"format": 5, "accuracy": 3, "logic": 1}
    shares = {"format": 1.0, "accuracy": 0.5, "logic": 0.0}

    assert TRACK.by_people(grades) == {"total": total(shares, WEIGHTS), **shares}
    assert TRACK.by_people({"accuracy": 2}) == {"accuracy": 0.25}


@given(by_rules(), said(), said())
def test_what_was_said_before_does_not_count(
    plain: Verdict, first: list[Assessment], second: list[Assessment]
) -> None:
    """Judges can be added, removed and asked again: the verdict is that of the last call, byte for byte."""
    once, again = assessed(plain, second), assessed(assessed(plain, first), second)

    assert (once, list(once.scores), list(once.parts)) == (again, list(again.scores), list(again.parts))
    assert assessed(once, []) == plain


@given(by_rules(), said())
def test_numbers_stay_between_those_they_are_made_of(plain: Verdict, judges: list[Assessment]) -> None:
    """Each final number is between its rule part and its judged part, and the total is between the three."""
    scores = assessed(plain, judges).scores
    if "total" not in scores or plain.outcome is not Outcome.scored:
        return
    for name in ("format", "accuracy", "logic"):
        ends = [scores[end + name] for end in ("rule_", "judge_") if end + name in scores]
        assert min(ends) - 1e-6 <= scores[name] <= max(ends) + 1e-6
    parts = [scores[name] for name in ("format", "accuracy", "logic")]
    assert min(parts) - 1e-6 <= scores["total"] <= max(parts) + 1e-6


def test_shares_are_as_declared() -> None:
    """Accuracy is half by judges, logic seven tenths, format by rules only; several judges have equal weight."""
    judges = [
        assessment("a", scores={"accuracy": 1.0, "logic": 0.5}),
        assessment("b", scores={"accuracy": 0.5, "logic": 1.0}),
        assessment("c", "unparsable"),
    ]
    made = assessed(verdict(scores=rules(1.0, 0.5, 0.25, annotation_f1=0.5)), judges)

    assert made.outcome is Outcome.scored
    assert made.scores["format"] == 1.0
    assert made.scores["accuracy"] == pytest.approx(0.5 * 0.5 + 0.5 * 0.75)
    assert made.scores["logic"] == pytest.approx(0.3 * 0.25 + 0.7 * 0.75)
    assert made.parts == {
        "judge a": Outcome.scored,
        "judge b": Outcome.scored,
        "judge c": Outcome.unparsable,
    }


@pytest.mark.parametrize("status", ["undecided", "unparsable", "missing"])
def test_judges_that_cannot_tell_leave_it_undecided(status: str) -> None:
    """There is no total, and no zero; the numbers by rules are kept."""
    made = assessed(verdict(scores=rules(1.0, 0.5, 0.25, annotation_f1=0.5)), [assessment("a", status)])

    assert (made.outcome, "total" in made.scores, made.scores["rule_format"]) == (
        Outcome.undecided,
        False,
        1.0,
    )


@pytest.mark.parametrize("settled", ["wrong", "no_code", "model_error", "sandbox_error"])
def test_what_rules_have_settled_stays(settled: str) -> None:
    """No praise compensates for changed code."""
    plain = verdict(settled, scores=rules(0, 0, 0) if settled == "wrong" else {})

    assert assessed(plain, [assessment("a", scores={"accuracy": 1.0, "logic": 1.0})]) is plain


@pytest.mark.parametrize(
    ("weights", "value"),
    [
        (WEIGHTS, (1 + 0.5 + 0.25) / 3),
        ({"format": 0.2, "accuracy": 0.3, "logic": 0.5}, 0.2 + 0.15 + 0.125),
        ({"format": 0.0, "accuracy": 0.0, "logic": 1.0}, 0.25),
    ],
)
def test_weights(weights: dict[str, float], value: float) -> None:
    """The total is the weighted mean."""
    made = assessed(verdict(scores=rules(1.0, 0.5, 0.25, annotation_f1=0.5)), [], weights)

    assert made.scores["total"] == pytest.approx(value, abs=1e-6)


def test_a_total_of_what_there_is() -> None:
    """If a part does not apply, the others share its weight; without weights there is no total."""
    found: dict[str, Any] = {"format": 1.0, "logic": 0.5}

    assert total(found) == pytest.approx(0.75)
    assert total({"format": 1.0}, {"format": 0.0, "accuracy": 0.5, "logic": 0.5}) == 0.0
