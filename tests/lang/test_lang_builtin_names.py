"""Names of a language that every program may use."""

from __future__ import annotations

import pytest

from benchwright.lang.languages import COMMENTED, commented_language


@pytest.mark.parametrize(
    ("lang", "names"),
    [
        ("Python", "len ValueError None json self async"),
        ("Java", "String IllegalArgumentException null Collections"),
        ("Go", "len error nil strings defer"),
        ("JavaScript", "Promise TypeError undefined console"),
    ],
)
def test_they_are_known(lang: str, names: str) -> None:
    """Words, types, errors and the library's modules."""
    known = commented_language(lang).builtin_names

    assert known >= set(names.split())
    assert "widht" not in known


def test_every_language_has_some() -> None:
    """Of those whose comments are known."""
    assert all(commented_language(lang).builtin_names for lang in COMMENTED)
