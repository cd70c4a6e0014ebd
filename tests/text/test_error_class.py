"""The class of error in an answer: phrases with their class, and texts that must be harmless."""

from __future__ import annotations

import doctest
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.text import error_class
from benchwright.text.error_class import CLASSES, read_error_class, take_error_class

SAYS = {
    "success": [
        "success",
        "**Success**.",
        "none",
        "The test passes.",
        "There is no exception, the test passes.",
        "Тест пройдёт.",
        "The call raises a ValueError. The test expects that exception. So the test passes.",
        "<answer>success</answer>",
    ],
    "assertion": [
        "assertion",
        "`assertion`",
        "AssertionError",
        "Answer: assertion",
        "The answer is assertion error.",
        "Error class: assertion, not exception",
        "Класс: assertion (проверка не выполняется)",
        "Не проходит проверка.",
        "org.opentest4j.AssertionFailedError",
        '{"answer": "assertion"}',
        "f() returns 3 and passes a list.\n\nassertion",
        "<think>exception? no</think>assertion",
        "It raises an AssertionError exception.",
        "The files build. The last assertion fails.",
        "The code compiles, but the assertion does not hold",
        "```\nassertion\n```",
    ],
    "exception": [
        "exception",
        "\\boxed{exception}",
        "ValueError",
        "java.lang.NullPointerException",
        "panic: runtime error: index out of range",
        "The test would end with a `KeyError`.",
        "Ответ: исключение",
        "Выбрасывается исключение, и тест падает.",
        "Not an assertion: a KeyError.",
        "First I thought of assertion.\n\nFinal answer: exception",
    ],
    "build": [
        "build",
        "Build error",
        "syntax error",
        "The code has a SyntaxError, so it does not compile",
        "ModuleNotFoundError",
        "Ответ: ошибка сборки",
        "Файл не компилируется.",
        "The file does not compile.",
    ],
    None: [
        "",
        "failed",
        "assertion or exception",
        "assertion, exception",
        "if it raises an exception, answer exception",
        "exception?",
        "f returns None.",
        "Both files compile.",
        "The assertion holds.",
        "- success: it passes\n- assertion: a check fails\n- exception: it is raised",
        "The test expects a ValueError.",
        "success, assertion, exception or build?",
        '{"answer": 3}',
        "```python\nraise ValueError\n```",
    ],
}


def test_phrases_say_their_class() -> None:
    """The phrases are as people and models write them, in both languages."""
    pairs = [(said, text) for said, texts in SAYS.items() for text in texts]

    assert [(said, text) for said, text in pairs if read_error_class(text)[0] != said] == []


def test_the_examples_hold() -> None:
    """Executes the examples of the documentation."""
    result = doctest.testmod(error_class)

    assert (result.failed, result.attempted > 0) == (0, True)


def test_an_answer_that_was_cut_off_still_counts() -> None:
    """The class was stated; the mark stays."""
    found = take_error_class("build", finish_reason="length")
    silent = take_error_class("I do not know")

    assert (found.program, found.problem, found.truncated) == ("build", None, True)
    assert (silent.program, silent.problem, silent.truncated) == ("", "unparsable", False)


@given(st.text(max_size=300))
@settings(deadline=None)
def test_any_text_is_read(text: str) -> None:
    """No exception is raised; the result is a class or none, with a reason of bounded length."""
    found, rule, why = read_error_class(text)

    assert (found is None or found in CLASSES) and rule.startswith("class+") and len(why) < 300


@pytest.mark.parametrize(
    "piece", ["a ", "assertion ", "не проверк", "answer", "!", "\\boxed{", "`", "<answer>", "{", "x" * 40]
)
def test_long_texts_take_little_time(piece: str) -> None:
    """Of 400,000 characters only the end is read, far below a second of processor time."""
    began = time.process_time()
    read_error_class(piece * (400_000 // len(piece)))

    assert time.process_time() - began < 3
