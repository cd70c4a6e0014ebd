"""Refusals and admissions of ignorance in three languages, and sentences with a similar start."""

from __future__ import annotations

import pytest

from benchwright.text.refusals import admits_ignorance, is_refusal

REFUSALS = (
    *("I'm not sure.", "I’m not sure what this does.", "Not sure.", "I am not certain.", "Unclear."),
    *("No idea, sorry.", "Sorry, no idea.", "I have no clue what this line is for.", "Honestly, no idea."),
    *("I don't really know.", "I'm afraid I don't know.", "Beats me.", "Not a clue.", "Dunno.", "I give up."),
    *("I can't tell.", "I cannot say what it does.", "Hard to tell.", "I do not understand this line."),
    *("As an AI language model, I cannot comment on this code.", "Unfortunately I am unable to answer."),
    *("Not enough context to tell.", "I do not have enough information.", "No explanation available."),
    *("Я не уверен.", "Я не уверена, что это.", "Понятия не имею, извините.", "Извините, не знаю."),
    *("Не могу сказать.", "Трудно сказать.", "Без понятия, простите.", "Не понимаю, что это.", "Сдаюсь."),
    *("Мне это неизвестно.", "Недостаточно информации.", "Кто его знает.", "К сожалению, я не могу помочь."),
    *("我不确定。", "抱歉，不知道。", "不好意思，我不清楚。", "我也不知道这是什么。", "难说。", "说不准。"),
    *(
        "没有头绪。",
        "我不懂这行代码。",
        "信息不足。",
        "作为一个人工智能，我无法评论。",
        "不了解，抱歉。",
        "无法解释。",
    ),
)
NAMING = (
    *("I'm not sure what `left` does.", "I don't know why merged is copied.", "No idea what `x` is for."),
    *("Не знаю, зачем здесь `left`.", "Я не уверен, что делает merged.", "我不清楚 `left` 的作用。"),
)
SAYING = (
    *("Not sure of the encoding: try both.", "No answer yet: keep polling.", "Not enough data for a window."),
    *("Unclear input ends here.", "Cannot help if the list is empty.", "Notes who knows the key."),
    *(
        "Неизвестно число строк: читаем до конца.",
        "Не хватает данных для окна.",
        "Недостаточно места в буфере.",
    ),
    *("无法确定编码时退回 UTF-8。", "不知道长度，读到末尾为止。", "信息不足一页时补零。"),
)


@pytest.mark.parametrize("text", REFUSALS)
def test_a_refusal_says_nothing(text: str) -> None:
    assert is_refusal(text) and admits_ignorance(text)


@pytest.mark.parametrize("text", NAMING)
def test_a_name_makes_no_comment_of_ignorance(text: str) -> None:
    """An answer to an issue that names something is left to a judge."""
    assert admits_ignorance(text) and not is_refusal(text)


@pytest.mark.parametrize("text", SAYING)
def test_a_sentence_about_code_is_none(text: str) -> None:
    assert not admits_ignorance(text) and not is_refusal(text)


@pytest.mark.parametrize("text", ["as an ai " * 20_000, "sorry, " * 20_000, "i don't know what " * 9_000])
def test_hostile_text_is_read_in_linear_time(text: str) -> None:
    """Repeats in the patterns are bounded."""
    assert admits_ignorance(text + "x") in {True, False}
