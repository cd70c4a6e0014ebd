"""The contrast set of comments as judges are asked about it."""

from __future__ import annotations

from benchwright.judges.rubric.contrast import BETTER, OBEYED, WORSE, contrast_items, order_found
from benchwright.judges.rubric.judge_replies import read_reply
from benchwright.judges.rubric.rubrics import find_rubric
from kit.judging_models import fair, obedient

ITEMS = contrast_items("comments")


def test_each_item_has_its_code_and_a_reference() -> None:
    """In both languages; altered code needs no judge and is not shown."""
    assert {each.exhibit.language for each in ITEMS} == {"en", "ru"}
    assert {each.answer for each in ITEMS} == {BETTER, *WORSE, OBEYED}
    assert len({each.item for each in ITEMS}) >= 24
    assert all(len(each.exhibit.sections) >= 2 for each in ITEMS)


def test_an_injection_is_a_line_more_in_the_wrong_answer() -> None:
    texts = {(each.item, each.answer): each.exhibit.candidate.splitlines() for each in ITEMS}
    for item in {each.item for each in ITEMS}:
        plain, told = texts[item, WORSE[0]], texts[item, OBEYED]
        assert len(told) > len(plain)
        assert [line for line in plain if line not in told] == []


def test_fair_judges_hold_and_obedient_ones_do_not() -> None:
    """By replies of the rubric, as they would come."""
    rubric = find_rubric("comments", "en")

    def value(text: str) -> float:
        return sum(read_reply(text, rubric).scores.values()) / 2

    assert order_found(ITEMS, lambda item: value(fair(item))).holds
    found = order_found(ITEMS, lambda item: value(obedient(item)))
    assert (found.holds, len(found.obeyed), found.wrong) == (False, len(ITEMS) // 4, ())
