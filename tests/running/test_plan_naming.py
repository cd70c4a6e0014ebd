"""Default names of run folders: readable in any script, safe in any shell, one name per run."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.running.run_folders import folder_name, short_key

IDENTITY: dict[str, Any] = {"data": "d", "model": {"name": "m"}, "judging": 2, "python": "3.11"}


@pytest.mark.parametrize(
    ("spec", "middle"),
    [
        ("replay:answers/ответы модели.jsonl", "ответы-модели.jsonl"),
        ("replay:答案.jsonl", "答案.jsonl"),
        ("replay:d/जवाब.jsonl", "जवाब.jsonl"),
        ("replay:d/" + unicodedata.normalize("NFD", "йё.jsonl"), "йё.jsonl"),
        ("openai:org/Qwen3-8B", "Qwen3-8B"),
        ("openai:a b\t\n$(c);'\"`*?[]{}|<>&!~#%", "openai-a-b-c"),
        ("replay:d/\u202egnp\u200b.jsonl", "gnp-.jsonl"),
        ("replay:d/..", ""),
    ],
)
def test_letters_of_any_script_stay(spec: str, middle: str) -> None:
    """Separators, control characters and shell characters are removed."""
    name = folder_name("humaneval", spec, IDENTITY)
    shown = middle if "/" in spec or spec.startswith("openai:a") else f"replay-{middle}"

    assert name == f"humaneval-{shown}-{short_key(IDENTITY)}"


@given(st.text(max_size=200))
def test_every_name_can_be_that_of_a_folder(spec: str) -> None:
    """At most 255 bytes, one part of a path, printable, and equal for equal texts in any normal form."""
    name = folder_name("codecorrectness", f"replay:{spec}", IDENTITY)

    assert (len(name.encode()) <= 255, "/" in name, "\0" in name) == (True, False, False)
    assert name == folder_name("codecorrectness", f"replay:{unicodedata.normalize('NFC', spec)}", IDENTITY)
    assert not any(unicodedata.category(each) in ("Cc", "Cf", "Cs", "Zs", "Zl", "Zp") for each in name)


@pytest.mark.parametrize("rules", [{"judging": 1}, {"judging": 99}, {"python": "3.13"}])
def test_rules_of_judging_change_no_name(rules: dict[str, Any]) -> None:
    """Another version of the rules uses the same folder."""
    assert folder_name("t", "m", {**IDENTITY, **rules}) == folder_name("t", "m", IDENTITY)


def test_what_is_asked_changes_the_name() -> None:
    """Another model, other data."""
    names = {short_key(IDENTITY), short_key({**IDENTITY, "data": "e"}), short_key({**IDENTITY, "model": {}})}

    assert len(names) == 3
