"""A choice ends at a stop string or at the token limit, or as a fault has it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.stub_server.replies import (
    chat_logprobs,
    completion_logprobs,
    count_tokens,
    generate,
)
from kit.stub_client import asked

CASES = {
    "whole": ("return 1", {}, (), ("return 1", "stop", 2)),
    "limited": ("abcdefghij", {"max_tokens": 2}, (), ("abcdefgh", "length", 2)),
    "just fits": ("abcdefgh", {"max_tokens": 2}, (), ("abcdefgh", "stop", 2)),
    "stopped": ("ab\ndef g()", {"stop": "\ndef"}, (), ("ab", "stop", 1)),
    "stopped before the limit": (
        "abcd\ndef g()",
        {"stop": "\ndef", "max_tokens": 2},
        (),
        ("abcd", "stop", 1),
    ),
    "limited before the stop": (
        "abcdefghij\ndef",
        {"stop": "\ndef", "max_tokens": 1},
        (),
        ("abcd", "length", 1),
    ),
    "stop kept with its token": (
        "if x: y else z",
        {"stop": "e"},
        ("stop-kept",),
        ("if x: y else", "stop", 3),
    ),
    "the longest stop kept": (
        "abab\n\nc",
        {"stop": ["\n", "\n\n"]},
        ("stop-kept",),
        ("abab\n\nc", "stop", 2),
    ),
    "stop ignored": ("ab\ndef g()", {"stop": "\ndef"}, ("stop-ignored",), ("ab\ndef g()", "stop", 3)),
    "no stop to keep": ("abcd", {"stop": "x"}, ("stop-kept",), ("abcd", "stop", 1)),
    "empty": ("abcd", {}, ("empty",), ("", "stop", 0)),
}


@pytest.mark.parametrize(("text", "fields", "faults", "expected"), CASES.values(), ids=CASES)
def test_a_completion_ends(
    text: str, fields: dict[str, object], faults: tuple[str, ...], expected: tuple[str, str, int]
) -> None:
    """Its text, why it ended, and how many tokens it has."""
    assert expected == generate(text, asked(**fields), faults)


@settings(deadline=None)
@given(text=st.text(max_size=60), limit=st.integers(1, 20))
def test_no_answer_is_longer_than_its_limit(text: str, limit: int) -> None:
    """The limit holds, and "length" is said exactly when something was left out."""
    made = generate(text, asked(max_tokens=limit), ())

    assert made.tokens == count_tokens(made.text) <= limit
    assert (made.finish_reason == "length") == (made.text != text)


@settings(deadline=None)
@given(text=st.text(alphabet="ab\n", max_size=30), stop=st.text(alphabet="ab\n", min_size=1, max_size=3))
def test_a_kept_stop_is_in_the_text(text: str, stop: str) -> None:
    """With the fault, a text that had the stop string still has it, and at most three characters after."""
    made = generate(text, asked(stop=stop), ("stop-kept",))
    at = text.find(stop)

    assert text.startswith(made.text)
    assert (len(made.text) == len(text)) if at < 0 else (0 <= len(made.text) - at - len(stop) <= 3)


@settings(deadline=None)
@given(st.text(max_size=40))
def test_logprobs_have_a_value_for_each_token(text: str) -> None:
    """Both shapes cut the text into the same tokens, and every value is a log of a probability."""
    chat, plain = chat_logprobs(text)["content"], completion_logprobs(text)
    tokens = [entry["token"] for entry in chat]  # type: ignore[attr-defined]

    assert ("".join(tokens), count_tokens(text)) == (text, len(tokens))
    assert plain["tokens"] == tokens
    assert all(-1 <= value <= 0 for value in plain["token_logprobs"])  # type: ignore[attr-defined]
    assert len(plain["text_offset"]) == len(tokens)  # type: ignore[arg-type]
