"""Names of languages and files."""

from __future__ import annotations

import subprocess
import sys

import pytest

from benchwright.errors import DataError
from benchwright.lang.languages import LANGUAGES, language, language_list, language_of
from kit.processes import HANG_S


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
    assert language(name).name == expected


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
    lang = language_of(path)

    assert (lang and lang.name) == expected


def test_listed() -> None:
    """All names as a sentence has them."""
    assert language_list(LANGUAGES, "or") == "Python, Java, Go or JavaScript"


def test_names_of_each_language_are_its_own() -> None:
    """No spelling, suffix or tag of a fence stands for two languages, and each table name is its object's."""
    known = [language(name) for name in LANGUAGES]
    for names in (
        [spelling for each in known for spelling in (each.name.lower(), *each.spellings)],
        [suffix for each in known for suffix in each.suffixes],
        [tag for each in known for tag in each.fence_tags],
    ):
        assert len(names) == len(set(names))

    assert [each.name for each in known] == list(LANGUAGES)
    assert all(each.fence in each.fence_tags for each in known)


def test_a_language_is_imported_when_it_is_asked_for() -> None:
    """Names alone import no language, Python's object no other one, and nothing imports tree-sitter here."""
    program = """
import sys
from benchwright.lang.languages import language
def loaded():
    return sorted(name.split(".")[2] for name in sys.modules if name.endswith(".language") and name.count(".") == 3)
print(loaded())
language("Python").cases("def test_a(): pass")
print(loaded(), any(name.startswith("tree_sitter") for name in sys.modules))
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=HANG_S
    )

    assert done.stdout.splitlines() == ["[]", "['python'] False"]
