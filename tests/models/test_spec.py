"""A model is opened by its spec, and a wrong spec is answered with the right one."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.errors import BenchwrightError, UsageError
from benchwright.models.spec import parse_model
from kit.model_tasks import write_samples


def test_a_spec_is_a_scheme_and_the_rest(tmp_path: Path) -> None:
    """Only the first colon counts: a path may hold more of them."""
    path = write_samples(tmp_path, {"task_id": "a", "completion": "x"}, name="a:b.jsonl")

    assert f"replay:{path}" == parse_model(f"replay:{path}").spec


@pytest.mark.parametrize(
    ("spec", "hint"),
    [
        ("replya:x", "did you mean `replay`?"),
        ("gold", "did you mean `gold:`?"),
        ("samples.jsonl", "`replay:samples.jsonl`"),
        ("gpt-4o", "`openai:gpt-4o`"),
        (".", "`transformers:.`"),
        (
            "",
            "the schemes are: anthropic, azure, bedrock, gemini, gold, litellm, ollama, openai, openrouter, replay, stub, transformers, vertex, vllm",
        ),
        ("whatever:x", "one of: "),
    ],
)
def test_a_wrong_spec_is_answered_with_the_right_one(spec: str, hint: str) -> None:
    """A typing error, a forgotten colon and a bare file are all common."""
    with pytest.raises(UsageError) as caught:
        parse_model(spec)

    assert hint in (caught.value.hint or "")


def test_options_reach_the_opener() -> None:
    """`gold:` asks for its track, which an option gives."""
    with pytest.raises(UsageError) as caught:
        parse_model("gold:", track=None)

    assert "needs a track" in caught.value.message


@given(st.text(max_size=20))
def test_any_text_is_a_model_or_a_known_error(spec: str) -> None:
    """No spec raises anything else."""
    try:
        actual = bool(parse_model(spec).spec)
    except BenchwrightError as error:
        actual = bool(error.hint)

    assert actual
