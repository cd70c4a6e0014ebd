"""Replies of judges: the last whole object counts, exactly by its rubric, and nothing takes long or raises."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.judges.rubric.judge_replies import MAX_REPLY, read_reply
from benchwright.judges.rubric.rubrics import find_rubric
from kit.growth import seconds, slowness
from kit.judging_models import decides, rates

RATES, DECIDES = find_rubric("comments", "en"), find_rubric("issues", "ru")


def problem(text: str) -> str:
    """Why a reply by the rubric of comments says nothing."""
    return read_reply(text, RATES).problem


def claimed(*verdicts: str) -> dict[str, Any]:
    """Claims with these verdicts."""
    return {"claims": [{"claim": "it adds", "verdict": each} for each in verdicts]}


@pytest.mark.parametrize(("rating", "score"), [(1, 0.0), (2, 0.25), (4, 0.75), (5, 1.0)])
def test_a_rating_is_a_place_between_worst_and_best(rating: int, score: float) -> None:
    assert read_reply(rates(rating), RATES).scores == {"accuracy": score, "logic": score}


def test_claims_are_half_of_accuracy() -> None:
    """What is unverifiable counts for nothing."""
    reply = read_reply(rates(5, **claimed("supported", "contradicted", "unverifiable")), RATES)

    assert reply.scores == {"accuracy": 0.75, "logic": 1.0}
    assert reply.contradicts_itself
    assert not read_reply(rates(4, **claimed("contradicted")), RATES).contradicts_itself


@pytest.mark.parametrize("label", ["correct", "partly", "wrong", "cannot_tell"])
def test_labels_are_exact(label: str) -> None:
    """No word that only holds a label is one."""
    assert read_reply(decides(label), DECIDES, references=1).label == label
    for near in (f"in{label}", f"{label} ", label.capitalize(), f"not {label}"):
        assert "label must be one of" in read_reply(decides(near), DECIDES, references=1).problem


@pytest.mark.parametrize(("reference", "references", "found"), [(1, 1, 1), (None, 3, None), (3, 3, 3)])
def test_references_count_from_0_here(reference: int | None, references: int, found: int | None) -> None:
    reply = read_reply(decides("correct", reference=reference), DECIDES, references=references)

    assert (reply.problem, reply.reference) == ("", found)


def test_a_reference_that_was_not_shown_is_unparsable() -> None:
    assert "at most 2" in read_reply(decides("correct", reference=3), DECIDES, references=2).problem


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "empty"),
        ("<think>good</think>", "empty"),
        ("I would say 5 of 5.", "no JSON object"),
        (rates(999), "at most 5, and is 999"),
        (rates(0), "at least 1"),
        (rates(float("nan")), "NaN is not a JSON value"),
        (rates(3).replace(": 3", ": 1e999"), "too large"),
        (rates(3).replace(": 3", ': "3"'), "must be integer"),
        (rates(3).replace(": 3", ": 3.5"), "must be integer"),
        (rates(3).replace(": 3", ": true"), "must be integer"),
        ('{"score": 3}', "lacks 'claims'"),
        (rates(3, mood="good"), "mood is not asked for"),
        (rates(3)[:-1], "does not end"),
        ("[" * 50 + rates(3), ""),
        ('{"a": ' * 20 + "1" + "}" * 20, "does not end"),
        ("x" * (MAX_REPLY + 1), "more than"),
        ('{"accuracy": 1, "accuracy": 5}', "twice"),
    ],
)
def test_what_is_no_reply_says_why(text: str, why: str) -> None:
    assert why in problem(text)
    assert bool(why) == bool(problem(text))


@pytest.mark.parametrize(
    "around",
    ["{}", "```json\n{}\n```", "I think {{x}} is {{ fine }}. {}", "[1] {} and so on", "<think>{{</think>{}"],
)
def test_prose_around_the_object_does_not_count(around: str) -> None:
    assert problem(around.format(rates(4))) == ""


def test_the_last_whole_object_counts() -> None:
    """An earlier one that says the same, or fits no rubric, changes nothing."""
    for earlier in (rates(1), '{"a": 1}', '{"label": "correct"}', "{", rates(1).replace("1", "9")):
        assert read_reply(f"First {earlier}. I say {rates(1)}", RATES).ratings["logic"] == 1


@pytest.mark.parametrize(
    "last",
    [rates(1)[:-5], rates(1).replace("1", "NaN"), '{"logic": x}', '{"evidence": ["{bad}'],
)
def test_a_broken_object_after_it_makes_the_reply_unparsable(last: str) -> None:
    """What the judge meant to say is lost, and what it quoted is not that."""
    assert problem(f"The answer says {rates(5)}. I say {last}")


def test_nothing_is_taken_from_within_a_broken_object() -> None:
    """A quotation that was not escaped is no reply."""
    assert problem('{"evidence": ["' + rates(5) + '"], "logic": 1') == "its JSON object does not end"
    assert problem('{"evidence": ["' + rates(5) + '"], "logic": 1}')


@pytest.mark.parametrize(
    "text",
    ["{" * MAX_REPLY, '{"a":' * 50_000, '{"k":"{ ' * 30_000, '{":":":' * 30_000, '{"' * 100_000,
     "[{}]{" * 50_000, "{}" * 100_000, '{"a":[{},' * 20_000, '"' * MAX_REPLY, "{ " * 100_000, "\\" * 200_000],
)  # fmt: skip
def test_hostile_replies_take_no_time(text: str) -> None:
    """A bound that only what goes back over the text again and again would reach."""
    assert problem(text)
    assert seconds(problem, text) < 1.0 * slowness()


@given(st.text(alphabet='{}[]":,\\ a1\n\ud800\x00', max_size=200))
def test_nothing_raises(text: str) -> None:
    """Whatever brackets and quotes there are, also half a surrogate."""
    assert problem(text)
    assert read_reply(f"{text}\n", DECIDES).problem


@pytest.mark.parametrize(
    "text",
    [
        "{one} The text had asked for {other}",
        "[{one}, {other}]",
        "{one}\n\n{other}\n\n{one}",
        "```json\n{one}\n```\nor\n```json\n{other}\n```",
        "{one}{other}",
        "The answer says {other}. I say {one}",
    ],
)
def test_two_whole_judgements_that_contradict_are_none(text: str) -> None:
    """Whoever is judged may have written one of them, and no place in the text tells which."""
    said = text.replace("{one}", rates(1)).replace("{other}", rates(5))

    assert (
        read_reply(said, RATES).problem == "the reply holds two whole judgements that contradict each other"
    )
