"""A server may write a model's name in its own way; another model it may not name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.models.http.messages import same_model


@pytest.mark.parametrize(
    ("asked", "named"),
    [
        ("tiny", "tiny@main"),
        ("/models/tiny", "/models/tiny@0123456789abcdef"),
        ("tiny@main", "tiny"),
        ("gemini-2.0-flash", "models/gemini-2.0-flash"),
        ("gemini-1.5-flash", "gemini-1.5-flash-002"),
        ("gpt-4o", "gpt-4o-2024-08-06"),
        ("gpt-4", "gpt-4-0613"),
        ("openai/gpt-4o", "gpt-4o-2024-08-06"),
        ("gpt-4o", "azure/gpt-4o"),
        ("claude-3-5-sonnet-latest", "claude-3-5-sonnet-20241022"),
        ("claude-3-5-sonnet", "claude-3-5-sonnet@20241022"),
        ("mistral-large-latest", "mistral-large-2411"),
        ("Qwen/Qwen3-8B", "qwen/qwen3-8b"),
        ("Qwen/Qwen3-8B", "Qwen3-8B-AWQ"),
        ("qwen3-8b", "qwen3-8b-instruct"[:8] + "-Q4_K_M.gguf"),
        ("qwen3-8b", "/srv/weights/qwen3-8b.IQ3_XS.gguf"),
        ("qwen3-8b", "C:\\weights\\qwen3-8b.gguf"),
        ("qwen3", "qwen3:latest"),
        ("qwen3:latest", "qwen3:8b"),
        ("a/b/", "a/b"),
    ],
)
def test_the_same_model_in_other_words(asked: str, named: str) -> None:
    """Path, case, revision, date, tag and quantisation that were left open when it was asked for."""
    assert same_model(asked, named)


@pytest.mark.parametrize(
    ("asked", "named"),
    [
        ("gpt-4o", "gpt-4o-mini"),
        ("gpt-4o", "gpt-4"),
        ("gpt-4o-2024-08-06", "gpt-4o-2024-11-20"),
        ("tiny@v1", "tiny@v2"),
        ("qwen3:8b", "qwen3:14b"),
        ("qwen3-8b-q8_0", "qwen3-8b-q4_0"),
        ("qwen3-8b", "qwen3-32b"),
        ("acme/tiny", "evil/tiny"),
        ("tiny", "tiny-1999"),
        ("tiny", ""),
        ("tiny", "@main"),
        ("tiny", "/"),
    ],
)
def test_another_model(asked: str, named: str) -> None:
    """Another size, owner, or edition than the one that was asked for."""
    assert not same_model(asked, named)


@given(st.text(max_size=40), st.text(max_size=40))
def test_any_names_can_be_held_against_each_other(one: str, other: str) -> None:
    """Both ways the same, and a name is itself."""
    assert same_model(one, other) == same_model(other, one)
    assert same_model(one, one)
