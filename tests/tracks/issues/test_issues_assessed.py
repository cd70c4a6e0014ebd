"""Verdicts on an issue's answer by the majority of judges."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.contracts import Assessment, IssueSpec, Reference
from benchwright.records import Outcome, Verdict
from benchwright.tracks.issues.measures import assessed
from kit.graded_runs import assessment, verdict

SPEC = IssueSpec(
    question="Why?",
    references=[
        Reference(body="a", strength="accepted"),
        Reference(body="b", strength="accepted"),
        Reference(body="c"),
    ],
)
LABELS = ("correct", "partly", "wrong", "cannot_tell")


def judged(label: str, judge: str = "j", reference: int | None = None) -> Assessment:
    """Return a judge's decision."""
    status = (
        "undecided" if label == "cannot_tell" else label if label in ("unparsable", "missing") else "judged"
    )
    named = label if label in LABELS else ""
    return assessment(
        judge, status, label=named, reference_number=None if reference is None else reference + 1
    )


def of(*labels: str) -> Verdict:
    """Return the verdict of judges with these decisions."""
    said = [judged(label, f"j{number}") for number, label in enumerate(labels)]
    return assessed(SPEC, verdict("undecided", scores={"overlap": 0.25}), said)


@pytest.mark.parametrize(
    ("labels", "outcome", "answer"),
    [
        (("correct",), "passed", 1.0),
        (("partly",), "scored", 0.5),
        (("wrong",), "wrong", 0.0),
        (("cannot_tell",), "undecided", None),
        (("unparsable",), "undecided", None),
        (("missing",), "undecided", None),
        ((), "undecided", None),
        (("correct", "correct", "wrong"), "passed", 1.0),
        (("correct", "wrong"), "undecided", None),
        (("correct", "cannot_tell"), "undecided", None),
        (("correct", "unparsable", "missing"), "passed", 1.0),
        (("correct", "partly", "wrong", "wrong"), "wrong", 0.0),
        (("cannot_tell", "cannot_tell", "correct"), "undecided", None),
    ],
)
def test_most_decide(labels: tuple[str, ...], outcome: str, answer: float | None) -> None:
    """A tie decides nothing; an unreadable reply is no vote; an undecided answer has no value, not zero."""
    made = of(*labels)

    assert (made.outcome.value, made.scores.get("answer"), made.scores["overlap"]) == (outcome, answer, 0.25)


@pytest.mark.parametrize(
    ("references", "strongest"),
    [([0], 1.0), ([1], 1.0), ([2], 0.0), ([None], 0.0), ([0, 1, 2], 1.0), ([0, 2], 0.0), ([7], 0.0)],
)
def test_the_strongest_reference(references: list[int | None], strongest: float) -> None:
    """An equally strong reference counts too, if most of the judges that found the answer right name one."""
    said = [judged("correct", f"j{number}", at) for number, at in enumerate(references)]

    assert assessed(SPEC, verdict("undecided"), said).scores["strongest"] == strongest


def test_right_by_name_alone_is_not_right() -> None:
    """Labels are compared exactly."""
    assert of("incorrect").outcome is Outcome.undecided


@pytest.mark.parametrize("settled", ["wrong", "unparsable", "model_error"])
def test_what_rules_have_settled_stays(settled: str) -> None:
    """An empty answer is wrong, whatever judges say."""
    plain = verdict(settled, scores={"nothing_said": 1.0})

    assert assessed(SPEC, plain, [judged("correct")]) is plain


DETAIL = "rules alone cannot tell; cites what neither question nor references hold: x"
ANY = st.lists(st.sampled_from([*LABELS, "unparsable", "missing"]), max_size=5)


@given(ANY, ANY, st.integers(0, 3))
def test_what_was_said_before_does_not_count(first: list[str], second: list[str], at: int) -> None:
    """The verdict is that of the last call; without judges it is that of the rules again."""
    plain = verdict("undecided", scores={"overlap": 0.5}, parts={"evidence": Outcome.passed}, detail=DETAIL)
    said = [
        [judged(label, f"j{number}", at) for number, label in enumerate(each)] for each in (first, second)
    ]
    once, again = (assessed(SPEC, start, said[1]) for start in (plain, assessed(SPEC, plain, said[0])))

    assert (once, list(once.scores)) == (again, list(again.scores))
    assert assessed(SPEC, once, []) == plain
    assert once.detail.startswith("rules alone") == (once.outcome is Outcome.undecided)
