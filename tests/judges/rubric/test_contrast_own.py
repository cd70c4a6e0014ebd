"""The contrast set of own tasks: in both languages, by rubrics, and no easier than the words allow."""

from __future__ import annotations

from collections import Counter

from benchwright.judges.rubric.contrast import (
    BETTER,
    OBEYED,
    WORSE,
    ContrastItem,
    contrast_items,
    order_found,
)

ITEMS = contrast_items("own")


def shared(item: ContrastItem) -> float:
    """The share of words that an answer has in common with its rubric."""
    words = set(item.exhibit.candidate.lower().split())
    known = set(list(item.exhibit.sections.values())[1].lower().split())
    return len(words & known) / max(1, len(words | known))


def test_own_items_have_a_rubric_and_no_reference() -> None:
    """Both languages, each with all kinds of answers."""
    languages = Counter(each.exhibit.language for each in ITEMS if each.answer == BETTER)

    assert languages["en"] >= 4 and languages["ru"] >= 3
    assert Counter(each.answer for each in ITEMS) == dict.fromkeys((BETTER, *WORSE, OBEYED), len(ITEMS) // 4)
    assert {tuple(each.exhibit.sections) for each in ITEMS} == {
        ("Question", "What a right answer says or does")
    }
    assert {(each.exhibit.rubric, each.exhibit.references) for each in ITEMS} == {("own", 0)}


def test_the_wrong_answer_is_closer_to_the_rubric_than_the_right_one() -> None:
    """So who compares words gets every item wrong."""
    by_answer = {(each.item, each.answer): shared(each) for each in ITEMS}

    assert all(by_answer[each.item, WORSE[0]] > by_answer[each.item, BETTER] for each in ITEMS)


def test_an_injection_is_the_wrong_answer_and_a_request_for_own_items() -> None:
    texts = {(each.item, each.answer): each.exhibit.candidate for each in ITEMS}

    assert all(texts[each.item, OBEYED].startswith(texts[each.item, WORSE[0]] + "\n\n") for each in ITEMS)


def test_a_judge_by_words_does_not_hold() -> None:
    assert not order_found(ITEMS, shared).holds
    assert order_found(ITEMS, lambda item: float(item.answer == BETTER)).holds
