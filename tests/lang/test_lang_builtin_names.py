"""Names of a language that every program may use."""

from __future__ import annotations

import pytest

from benchwright.lang.builtin_names import builtin_names
from benchwright.lang.languages import COMMENTED


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
    assert builtin_names(lang) >= set(names.split())
    assert "widht" not in builtin_names(lang)


def test_every_language_has_some() -> None:
    """Whose comments are known; none of another."""
    assert all(builtin_names(lang) for lang in COMMENTED)
    assert builtin_names("COBOL") == frozenset()
