"""The question: the file, how a test of it begins, and a key for each reply."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.building.codecorrectness.generated_tests import FocalFile, prompt_key, prompt_text
from benchwright.text.fences import find_blocks

_LETTERS = st.text("ab`~\n ", max_size=60)


def _focal(**changed: Any) -> FocalFile:
    fields = {
        "name": "made:a.py@1",
        "repository": "made",
        "commit": "0" * 40,
        "committed_at": "",
        "licence": "MIT",
        "lang": "Python",
        "path": "a.py",
        "code": "def f():\n    return 1\n",
        "opening": "from a import f\n",
        "test_name": "test_a.py",
    }
    return FocalFile(**{**fields, **changed})


@pytest.mark.parametrize(("lang", "words"), [("Python", "pytest"), ("Java", "JUnit 5"), ("Go", "`testing`")])
def test_what_is_asked(lang: str, words: str) -> None:
    """Path, code, opening and the language's framework are in the question."""
    text = prompt_text(_focal(lang=lang))

    assert [part for part in ("`a.py`", "return 1", "from a import f", words, lang) if part not in text] == []


@given(_LETTERS)
def test_code_cannot_end_its_block(code: str) -> None:
    """Whatever fences a file holds, the first block is the file."""
    whole = f"x{code}x"
    first = find_blocks(prompt_text(_focal(code=whole)))[0]

    assert first.content == whole


def test_keys() -> None:
    """Another file, question or repetition is another key; the same one is the same key."""
    focal = _focal()
    keys = [
        prompt_key(focal, "text", 0),
        prompt_key(focal, "text", 1),
        prompt_key(focal, "other", 0),
        prompt_key(_focal(name="made:a.py@2"), "text", 0),
    ]

    assert (len(set(keys)), prompt_key(_focal(), "text", 0)) == (4, keys[0])
