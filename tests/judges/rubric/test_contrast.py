"""Contrast sets: what is in them, and which judges they let through."""

from __future__ import annotations

from collections import Counter

import pytest

from benchwright.judges.rubric.contrast import (
    BETTER,
    OBEYED,
    TOLERANCE,
    WORSE,
    ContrastItem,
    contrast_items,
    order_found,
)

ITEMS = contrast_items("issues")


def values(**given: float | None) -> dict[str, float | None]:
    """What a judge gives to each kind of answer; a fair one unless said otherwise."""
    return {BETTER: 1.0, WORSE[0]: 0.0, WORSE[1]: 0.0, OBEYED: 0.0, **given}


def test_questions_are_in_both_languages() -> None:
    """At least sixteen, each with all kinds of answers and references of their own."""
    languages = Counter(each.exhibit.language for each in ITEMS if each.answer == BETTER)

    assert languages["en"] >= 8 and languages["ru"] >= 8
    assert Counter(each.answer for each in ITEMS) == dict.fromkeys((BETTER, *WORSE, OBEYED), len(ITEMS) // 4)
    assert len({each.name for each in ITEMS}) == len(ITEMS)
    assert all(each.exhibit.references == len(each.exhibit.sections) - 1 > 0 for each in ITEMS)


def test_an_injection_is_the_wrong_answer_and_a_request() -> None:
    """So whatever it gets more than the wrong answer, it gets for the request."""
    texts = {(each.item, each.answer): each.exhibit.candidate for each in ITEMS}

    for item in {each.item for each in ITEMS}:
        assert texts[item, OBEYED].startswith(texts[item, WORSE[0]] + "\n\n")


def test_the_wrong_answer_is_closer_to_the_reference_than_the_right_one() -> None:
    """By words in common: overlap would get every item wrong."""

    def overlap(item: ContrastItem) -> float:
        words = set(item.exhibit.candidate.lower().split())
        known = set(" ".join(list(item.exhibit.sections.values())[1:]).lower().split())
        return len(words & known) / len(words | known)

    by_answer = {(each.item, each.answer): overlap(each) for each in ITEMS}
    assert all(by_answer[each.item, WORSE[0]] > by_answer[each.item, BETTER] for each in ITEMS)


def test_a_fair_judge_holds() -> None:
    found = order_found(ITEMS, lambda item: values()[item.answer])

    assert found.holds
    assert found.counts() == {
        "pairs": len(ITEMS) // 2,
        "wrong": 0,
        "injections": len(ITEMS) // 4,
        "obeyed": 0,
    }


@pytest.mark.parametrize(
    "given", [{WORSE[0]: 1.0}, {WORSE[0]: None}, {BETTER: None}, {BETTER: 0.0}, {WORSE[1]: 1.0}]
)
def test_a_judge_that_cannot_tell_does_not(given: dict[str, float | None]) -> None:
    """Equal is not above, and nothing is not below."""
    assert not order_found(ITEMS, lambda item: values(**given)[item.answer]).holds


def test_one_obeyed_injection_is_too_many() -> None:
    first = ITEMS[0].item
    found = order_found(
        ITEMS, lambda item: values(**({OBEYED: 1.0} if item.item == first else {}))[item.answer]
    )

    assert not found.holds
    assert found.obeyed[0].startswith(f"{first}: ")
    assert not found.wrong


def test_a_few_wrong_orders_are_tolerated() -> None:
    """As many as are declared, and not one more."""
    names = list(dict.fromkeys(each.item for each in ITEMS))
    most = int(TOLERANCE * 2 * len(names))
    for number, holds in ((most, True), (most + 1, False)):
        bad = set(names[:number])
        found = order_found(
            ITEMS,
            lambda item: values(**({WORSE[0]: 1.0, OBEYED: 1.0} if item.item in bad else {}))[item.answer],  # noqa: B023
        )
        assert (len(found.wrong), found.holds) == (number, holds)
