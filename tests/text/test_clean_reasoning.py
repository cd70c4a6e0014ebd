"""Reasoning is removed; tags in code are not reasoning."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.text.normalisation import StrippedText, strip_reasoning

CODE = "```python\ndef f(x):\n    return x\n```\n"

BLOCKS = {
    "think": (f"<think>a</think>{CODE}", CODE),
    "upper case": (f"<THINK>a</THINK>{CODE}", CODE),
    "thinking": (f"<thinking>a</thinking>{CODE}", CODE),
    "reasoning": (f"<reasoning>a</reasoning>{CODE}", CODE),
    "thought": (f"<thought>a</thought>{CODE}", CODE),
    "thoughts": (f"<thoughts>a</thoughts>{CODE}", CODE),
    "scratchpad": (f"<scratchpad>a</scratchpad>{CODE}", CODE),
    "reflection": (f"<reflection>a</reflection>{CODE}", CODE),
    "seed": (f"<seed:think>a</seed:think>{CODE}", CODE),
    "square": (f"[THINK]a[/THINK]{CODE}", CODE),
    "begin of thought": (f"<|begin_of_thought|>a<|end_of_thought|>{CODE}", CODE),
    "triangles": (f"◁think▷a◁/think▷{CODE}", CODE),
    "empty": (f"<think>\n\n</think>\n\n{CODE}", f"\n\n{CODE}"),
    "code inside": (f"<think>\n{CODE}\n</think>\n{CODE}", f"\n{CODE}"),
    "two in a row": (f"<think>a</think>\n<think>b</think>\n{CODE}", f"\n\n{CODE}"),
    "prose first": (f"Well.\n<think>a</think>\n{CODE}", f"Well.\n\n{CODE}"),
    "spaces first": (f"\n  <think>a</think>{CODE}", f"\n  {CODE}"),
    "inner mention": (f"<think>Use <think> tags.</think>{CODE}", CODE),
    "nested": (f"<think>a <think>b</think> c.\n</think>{CODE}", CODE),
    "other closing tag": (f"<think>a</thinking>{CODE}", CODE),
    "indentation is kept": ("<think>a</think>\n    return x\n", "\n    return x\n"),
    "orphan": (f"So it is.\n</think>\n{CODE}", f"\n{CODE}"),
    "orphan at a line's end": (f"It's done.</think>\n\n{CODE}", f"\n\n{CODE}"),
    "orphan glued to the answer": ("So.</think>def f(x):\n    return x\n", "def f(x):\n    return x\n"),
    "orphan below a draft": (f"{CODE}No.\n</think>\n{CODE}", f"\n{CODE}"),
    "orphan below an open fence": (f"```python\ndef f(\n</think>\n{CODE}", f"\n{CODE}"),
    "orphan after a quoted tag": (f"In `<think>` I write.\n</think>\n{CODE}", f"\n{CODE}"),
    "two orphans": (f"I end with\n</think>\nand then\n</think>\n{CODE}", f"\n{CODE}"),
    "square orphan": (f"So.\n[/THINK]{CODE}", CODE),
}


@pytest.mark.parametrize(("text", "expected"), BLOCKS.values(), ids=BLOCKS)
def test_reasoning_is_removed(text: str, expected: str) -> None:
    """The block is removed, and everything before its end if its start is missing; the rest is unchanged."""
    assert strip_reasoning(text) == StrippedText(text=expected, found=True)


ENDLESS = {
    "think": ("<think>\nLet me", ""),
    "blank before": ("\n\n<think>\nLet me", "\n\n"),
    "code inside": (f"<think>\n{CODE}", ""),
    "second block": ("<think>a</think>\n<think>b", "\n"),
    "prose before": ("Well.\n<think>b", "Well.\n"),
    "channel without an end": ("<|channel|>analysis<|message|>Let me", ""),
    "channels without a final one": ("<|channel|>analysis<|message|>a<|end|><|start|>assistant", ""),
}


@pytest.mark.parametrize(("text", "expected"), ENDLESS.values(), ids=ENDLESS)
def test_reasoning_that_never_ends(text: str, expected: str) -> None:
    """No text after the opening tag is an answer, and the record marks it as truncated."""
    assert strip_reasoning(text) == StrippedText(text=expected, found=True, truncated=True)


UNTOUCHED = {
    "no tags": CODE,
    "empty": "",
    "less than": "    return a <b\n",
    "string in a fence": '```python\ndef f(s):\n    return "<think>" + s\n```',
    "strings in bare code": 'def f(s):\n    return s.split("<think>")[1].split("</think>")[0]\n',
    "string in a body": '    return "<think>"\n',
    "single quotes": "    a = '<think>'\n    b = '</think>'\n",
    "pattern": 'import re\nP = re.compile(r"<think>.*?</think>\\n")\n',
    "comment": "def f(s):\n    return s  # all after </think>\n",
    "docstring": 'def f(s):\n    """Take all\n    after </think> of s.\n    """\n    return s\n',
    "block in a string": "def f():\n    return '''\n<think>\na\n</think>\n'''\n",
    "inline code": "It drops `</think>` and all before.\n" + CODE,
    "mention in prose": "The tag <think> opens it.\n" + CODE,
    "tag after code": f"{CODE}\n<think>\nWas it right?\n",
    "analysis as a word": "analysis of the task:\n" + CODE,
    "channel in a string": '    return "<|channel|>"\n',
}


@pytest.mark.parametrize("text", UNTOUCHED.values(), ids=UNTOUCHED)
def test_tags_that_are_not_reasoning_stay(text: str) -> None:
    """Tags in code, in quotes or in the middle of a sentence are part of the answer."""
    assert strip_reasoning(text) == StrippedText(text=text)


CHANNELS = {
    "final only": f"<|channel|>final<|message|>{CODE}",
    "analysis first": f"<|channel|>analysis<|message|>a<|start|>assistant<|channel|>final<|message|>{CODE}",
    "start first": f"<|start|>assistant<|channel|>analysis<|message|>a<|channel|>final<|message|>{CODE}",
    "final with a constraint": f"<|channel|>final json<|message|>{CODE}",
    "marks lost": f"analysisLet me think. No.assistantfinal{CODE}",
}


@pytest.mark.parametrize("text", CHANNELS.values(), ids=CHANNELS)
def test_final_channel_is_the_answer(text: str) -> None:
    """In the harmony format only the final channel is for the user."""
    assert strip_reasoning(text) == StrippedText(text=CODE, found=True)


PIECES = st.sampled_from(
    [
        "<think>",
        "</think>",
        "[/THINK]",
        "a b",
        "\n",
        "x = 1\n",
        "```\n",
        '"',
        "<|channel|>",
        "final<|message|>",
    ]
)


@settings(deadline=None)
@given(text=st.lists(PIECES, max_size=12).map("".join))
def test_result_is_made_of_the_text(text: str) -> None:
    """The result is a subsequence of the text, and `found` is true if anything was removed."""
    result = strip_reasoning(text)
    rest = iter(text)

    assert all(letter in rest for letter in result.text)
    assert result.found or result.text == text
    assert result.found or not result.truncated


@settings(deadline=None)
@given(thoughts=st.text(alphabet="ab \n.`#=", max_size=60), answer=st.text(alphabet="ab \n.=", max_size=30))
def test_any_thoughts_go_and_any_answer_stays(thoughts: str, answer: str) -> None:
    """Reasoning may contain anything between its tags; the text after them is unchanged."""
    assert strip_reasoning(f"<think>{thoughts}</think>{answer}").text == answer


def test_orphan_closings_are_followed_until_an_answer_begins() -> None:
    """A tag after the start of an answer belongs to the answer."""
    text = "so </think>\nagain\n</think>\nno\n</think>\nx = 1\n</think>\ny = 2\n"

    assert strip_reasoning(text).text == "\nx = 1\n</think>\ny = 2\n"
