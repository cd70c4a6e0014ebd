"""Replies that answer nothing, and short ones that do."""

from __future__ import annotations

import pytest

from benchwright.text.refusals import is_non_answer


@pytest.mark.parametrize(
    "text",
    [
        *(
            "+1, same here",
            "+1",
            "Same here",
            "me too!",
            "Any update on this?",
            "👍",
            "Thanks!",
            "bump",
            "@bob +1",
        ),
        *("Thank you for the quick fix", "I have the same issue", "同问", "我也遇到了同样的问题", "谢谢！"),
        *("No idea, sorry.", "I'm not sure.", "Не знаю, извините.", "抱歉，我不清楚。"),
        *("У меня так же", "+1, спасибо", "тоже", "This issue has been automatically marked as stale."),
    ],
)
def test_votes_and_courtesies_are_none(text: str) -> None:
    assert is_non_answer(text)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "Same here: set retries to 0",
            "Fixed in 2.3",
            "No",
            "Upgrade",
            "This is by design",
            "Duplicate of #4",
        ),
        *(
            "Thanks, upgrading to 2.1 helped",
            "+1 for `retries=0`",
            "Обновите пакет",
            "升级到最新版本",
            "同问，升级后好了",
        ),
    ],
)
def test_a_short_answer_is_one(text: str) -> None:
    assert not is_non_answer(text)
