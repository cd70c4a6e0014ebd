"""Replies to test files: each reply ends in one file or one named reason."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.building.codecorrectness.generated_tests import MAX_CHARS, MOST_BLOCKS, read_reply
from benchwright.records import Answer

_FILE = "from m import f\n\n\ndef test_one():\n    assert f(1) == 1\n"
_BLOCK = f"```python\n{_FILE}```\n"
_JAVA = "import org.junit.jupiter.api.Test;\n\nclass FTest {\n    @Test\n    void one() { }\n}\n"
_GO = 'package m\n\nimport "testing"\n\nfunc TestOne(t *testing.T) {\n}\n'


def _read(text: str, lang: str = "Python", **more: str) -> tuple[str, str]:
    answer = Answer(key="k", task_id="t", sample=0, model="m", text=text, **more)  # type: ignore[arg-type]
    return read_reply(answer, lang)[:2]


@pytest.mark.parametrize(
    "text",
    [
        _BLOCK,
        f"Sure!\n\n{_BLOCK}\nRun it:\n\n```bash\npytest\n```\n",
        f"<think>\n{_BLOCK.replace('one', 'draft')}</think>\n{_BLOCK}",
        f"```\n{_FILE}```",
        f"The code again:\n```python\ndef f(x):\n    return x\n```\nThe tests:\n{_BLOCK}",
        f"~~~py\n{_FILE}~~~",
        f"````markdown\n{_BLOCK}````",
        _FILE,
        f"{_FILE}<|im_end|>",
        _BLOCK.replace("\n", "\r\n"),
        f"```\n$ pytest: 1 passed!\n```\n{_BLOCK}",
    ],
)
def test_the_file_in_a_reply(text: str) -> None:
    """However it is wrapped: the file as it was written."""
    assert _read(text, finish_reason="stop") == (_FILE, "")


@pytest.mark.parametrize(("lang", "code"), [("Java", _JAVA), ("Go", _GO)])
def test_other_languages(lang: str, code: str) -> None:
    """By their own tags, and without fences."""
    assert [_read(f"```{lang.lower()}\n{code}```", lang), _read(code, lang)] == [(code, "")] * 2


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "reply_empty"),
        ("\n \t\n", "reply_empty"),
        ("<think>hm</think>\n", "reply_empty"),
        ("<think>hm, and on", "reply_truncated"),
        (_BLOCK.removesuffix("```\n"), "reply_truncated"),
        ("I cannot write tests for this.", "reply_without_code"),
        ("def f(x):\n    return x\n", "reply_without_code"),
        (f"```java\n{_JAVA}```", "reply_other_language"),
        ("```bash\npytest\n```", "reply_other_language"),
        ("```python\ndef f(x):\n    return x\n```", "reply_without_tests"),
        ("```python\ndef test_x(:\n```", "reply_syntax"),
        (f"{_BLOCK}\nOr better:\n{_BLOCK.replace('one', 'two')}", "reply_several_files"),
        ("```python\nx = 1\n```\n" * (MOST_BLOCKS + 1), "reply_in_pieces"),
        ("x" * (MAX_CHARS + 1), "reply_too_large"),
    ],
)
def test_what_is_wrong_with_a_reply(text: str, problem: str) -> None:
    """A name to count by; nothing is mended."""
    assert _read(text) == ("", problem)


def test_a_reply_that_the_server_cut_off() -> None:
    """Its file looks whole and is not: its end is not known."""
    assert _read(_BLOCK, finish_reason="length") == ("", "reply_truncated")


def test_no_reply_at_all() -> None:
    """A server's failure is one, whatever text came with it."""
    assert _read(_BLOCK, error="500") == ("", "model_error")


@given(
    st.one_of(
        st.text(max_size=300),
        st.lists(st.sampled_from(["```", "```python\n", "<think>", "</think>", _FILE, "~~~", "\n"])).map(
            "".join
        ),
    )
)
def test_any_text_is_a_file_or_has_a_reason(text: str) -> None:
    """Never both, never neither, never an error."""
    code, problem = _read(text)

    assert bool(code) != bool(problem)
