"""Names of languages and files."""

from __future__ import annotations

import pytest

from benchwright.errors import DataError
from benchwright.lang.languages import LANGUAGES, language, language_of


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Python", "Python"),
        ("python", "Python"),
        ("py", "Python"),
        (" JAVA ", "Java"),
        ("golang", "Go"),
        ("Go", "Go"),
    ],
)
def test_language(name: str, expected: str) -> None:
    """Spellings that data sets use."""
    assert language(name) == expected


def test_other_languages() -> None:
    """Any other is an error that lists what there is, or the nearest."""
    with pytest.raises(DataError) as caught:
        language("Scala")
    with pytest.raises(DataError) as near:
        language("Pyhton")

    assert all(name in str(caught.value) for name in LANGUAGES)
    assert near.value.hint == "did you mean `Python`?"


@pytest.mark.parametrize(
    ("path", "expected"),
    [("a/b.py", "Python"), ("B.java", "Java"), ("b.go", "Go"), ("b.pyc", None), ("py", None)],
)
def test_language_of(path: str, expected: str | None) -> None:
    """A file's suffix says its language."""
    assert language_of(path) == expected
