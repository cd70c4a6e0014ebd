"""A label is right, wrong, or not there; nothing is executed."""

from __future__ import annotations

import doctest

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.contracts import CallSpec, Extraction
from benchwright.judges import label
from benchwright.judges.label import judge_label, settle
from benchwright.records import Isolation, Outcome
from benchwright.text.label import LABELS, read_label


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
    found = [judge_label(text, gold, profile=profile).outcome.value for profile in ("strict", "mera-exact")]

    assert found == [strict, mera]


def test_the_detail_says_what_was_read_and_by_which_rule() -> None:
    """So that a person can see why without the answer at hand."""
    found = judge_label("I think it will not pass.", "success")

    assert (found.label, found.rule, found.truncated) == ("failed", "tolerant+bare", False)
    assert found.detail == (
        "said failed, expected success; tolerant+bare: read `failed` in: I think it will not pass."
    )


def test_an_answer_cut_off_is_marked() -> None:
    """Whether it holds a label or not."""
    cut = [judge_label(text, "success", finish_reason="length").truncated for text in ("success", "hm")]

    assert cut == [True, True]


@given(st.text(), st.sampled_from(LABELS), st.sampled_from(["strict", "mera-exact"]))
@settings(deadline=None)
def test_any_text_is_judged(text: str, gold: str, profile: str) -> None:
    """The outcome is one of three, and the detail safe to print."""
    found = judge_label(text, gold, profile=profile)

    assert found.outcome in (Outcome.passed, Outcome.wrong, Outcome.unparsable)
    assert (found.detail.isprintable(), 0 < len(found.detail) <= 500) == (True, True)


@given(st.text(), st.sampled_from(LABELS))
@settings(deadline=None)
def test_a_verdict_follows_from_the_label(text: str, gold: str) -> None:
    """Right against one label is wrong against the other; no label is no label for both."""
    other = LABELS[gold == LABELS[0]]
    read = read_label(text).value
    found = {judge_label(text, gold).outcome, judge_label(text, other).outcome}

    assert found == ({Outcome.unparsable} if read is None else {Outcome.passed, Outcome.wrong})


@pytest.mark.parametrize(
    ("taken", "outcome"),
    [
        (Extraction(program="failed", rule="r"), Outcome.passed),
        (Extraction(program="success", rule="r"), Outcome.wrong),
        (Extraction(program="", rule="r", problem="unparsable", detail="x"), Outcome.unparsable),
        (Extraction(program="", rule="", problem="model_error", detail="x"), Outcome.model_error),
    ],
)
def test_an_extraction_is_settled_against_its_spec(taken: Extraction, outcome: Outcome) -> None:
    """A model's failure stays one; the label was never where anything runs."""
    judgement = settle(taken, CallSpec(form="label", entry_point="", expected_text=["failed"]))

    assert (judgement.outcome, judgement.isolation, judgement.cpu_s) == (outcome, Isolation.separated, 0.0)


def test_a_detail_is_escaped_and_bounded() -> None:
    """A model's control characters reach no terminal."""
    taken = Extraction(program="", rule="r", problem="unparsable", detail="\x1b[31m" + "x" * 900)
    detail = settle(taken, CallSpec(form="label", entry_point="", expected_text=["failed"])).detail

    assert (detail.startswith("\\x1b[31m"), len(detail)) == (True, 500)


def test_the_example_holds() -> None:
    """That in the docstring."""
    result = doctest.testmod(label)

    assert (result.failed, result.attempted) == (0, 1)
