"""Commented code in a model's answer: each form of answer has a named rule."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.contracts import CommentSpec
from benchwright.lang.comment_reading import first_change, read_comments
from benchwright.records import Answer
from benchwright.tracks.comments.answers import take_commented
from kit.examples import USUAL, examples
from kit.smartcoding_rows import CODE

SPEC = CommentSpec(code=CODE, lang="Python")
LINE = CommentSpec(code="total = rate * hours", lang="Python", unit="line")
DONE = CODE.replace("    return", "    # Both ends.\n    return")
LISTED = json.dumps({"annotations": [{"line_number": 5, "annotation": "Both ends."}]})


def take(text: str, spec: CommentSpec = SPEC, *, end: str = "stop") -> tuple[str, str, str | None, bool]:
    """Return program, rule, problem and whether it was truncated."""
    answer = Answer(key="k", task_id=1, sample=0, model="m", text=text, finish_reason=end)
    taken = take_commented(answer, spec)
    return taken.program, taken.rule, taken.problem, taken.truncated


@pytest.mark.parametrize(
    ("text", "program", "rule"),
    [
        (f"```python\n{DONE}```", DONE.rstrip("\n"), "fence"),
        (f"Before:\n```python\nx = 1\n```\nAfter:\n```py\n{DONE}```\nEnjoy!", DONE.rstrip("\n"), "fence"),
        (f"````\n{DONE}````", DONE.rstrip("\n"), "fence"),
        (DONE, DONE, "text"),
        (f"Sure! Here it is:\n\n{DONE}", f"\n{DONE}", "text"),
        (f"# The clamp.\n{DONE}```\nDone.", f"# The clamp.\n{DONE.rstrip(chr(10))}", "text"),
        (DONE.replace("\n", "\r\n"), DONE, "text"),
        (f"<think>maybe x = 1</think>```\n{DONE}```", DONE.rstrip("\n"), "reasoning+fence"),
        (LISTED, DONE, "annotations"),
        (f"```json\n{LISTED}\n```", DONE, "annotations"),
        (json.dumps([{"line": 5, "text": "Both ends."}]), DONE, "annotations"),
        ("I would say that it clamps.", "I would say that it clamps.", "text"),
    ],
)
def test_ways_of_answering(text: str, program: str, rule: str) -> None:
    """Fences, plain text, and comments listed by line."""
    assert take(text) == (program, rule, None, False)


def test_entries_without_a_place_are_counted() -> None:
    """They are left out, and the rule has their number."""
    wrong = [
        {"line": 0, "text": "x"},
        {"line": 99, "text": "x"},
        {"line": "5", "text": "x"},
        {"line": 1, "text": ""},
    ]
    text = json.dumps({"annotations": [*wrong, {"line_number": 5, "annotation": "Both ends."}]})

    assert take(text) == (DONE, "annotations, 4 of 5 without a place", None, False)


@pytest.mark.parametrize(
    ("text", "program", "rule"),
    [
        ("Pay before tax.", "# Pay before tax.\ntotal = rate * hours", "line"),
        ("```\n# Pay before tax.\n```", "# Pay before tax.\ntotal = rate * hours", "line"),
        ("total = rate * hours  # pay", "total = rate * hours  # pay", "text"),
    ],
)
def test_of_one_line_a_text_is_the_comment(text: str, program: str, rule: str) -> None:
    """This holds if the line itself is not in the text."""
    assert take(text, LINE) == (program, rule, None, False)


@pytest.mark.parametrize("text", ["", " \n\t", "<think>and so on", "<|im_end|>"])
def test_an_answer_without_words(text: str) -> None:
    """There is no code; an answer with unfinished reasoning is truncated."""
    program, rule, problem, cut = take(text)

    assert (program, rule, problem, cut) == ("", "none", "no_code", text.startswith("<think"))


def test_an_answer_that_is_too_long() -> None:
    """It is not searched; its length is reported."""
    answer = Answer(key="k", task_id=1, sample=0, model="m", text="x" * 5_000_000)
    taken = take_commented(answer, SPEC)

    assert (taken.problem, "5,000,000 characters" in taken.detail) == ("no_code", True)


def test_an_answer_that_was_cut_off() -> None:
    """By the server's finish reason."""
    assert take(DONE, end="length") == (DONE, "text", None, True)


@settings(max_examples=examples(2 * USUAL))
@given(
    st.lists(
        st.sampled_from(
            [*CODE.split("\n"), "```", "```python", '{"annotations": [', '"""', "x", "\0", "\ud800"]
        ),
        max_size=12,
    )
)
def test_any_answer_is_taken(lines: list[str]) -> None:
    """Any answer gives a text that can be stored."""
    for spec in (SPEC, LINE):
        program, rule, _, _ = take("\n".join(lines), spec)

        assert program.encode() is not None
        assert rule


@pytest.mark.parametrize(
    "text",
    [
        "```go\n// In lower case.\nname := strings.ToUpper(path)\n```",
        "```go\nname := strings.ToUpper(path)\n```",
        "name := strings.ToUpper(path) // In lower case.",
    ],
)
def test_a_line_that_was_changed_is_no_comment_on_itself(text: str) -> None:
    spec = CommentSpec(code="name := strings.ToLower(path)\n", lang="Go", unit="line")

    program = take(text, spec)[0]

    assert "ToUpper" in program and "ToLower" not in program
    assert first_change(read_comments(spec.code, "Go"), read_comments(program, "Go")) is not None
