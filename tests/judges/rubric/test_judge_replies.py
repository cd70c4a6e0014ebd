"""Families of models by their names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.judges.rubric.judge_replies import families, one_family


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("gpt-4o", "openai/gpt-4o-mini-2024-07-18"),
        ("gpt-4.1", "o3-mini"),
        ("Qwen/Qwen2.5-Coder-32B-Instruct", "qwen3-8b"),
        ("deepseek-ai/DeepSeek-R1-Distill-Qwen-7B", "qwen3"),
        ("deepseek-ai/DeepSeek-R1-Distill-Qwen-7B", "deepseek-chat"),
        ("codellama-7b-hf", "meta-llama/Llama-3.1-70B-Instruct"),
        ("house-model-7b", "team/house-model-70b-2025-01-01"),
        ("custom", "custom"),
    ],
)
def test_kin_are_found(one: str, other: str) -> None:
    assert one_family(one, other)
    assert one_family(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("gpt-4o", "claude-sonnet-4"),
        ("yi-34b", "phi-4"),
        ("house-model", "other-model"),
        ("gpt-4o", "yandexgpt-5"),
        ("", ""),
    ],
)
def test_others_are_not(one: str, other: str) -> None:
    assert not one_family(one, other)


@given(st.text(max_size=300))
def test_any_name_is_of_its_own_family(name: str) -> None:
    assert not families(name) or one_family(name, name)
