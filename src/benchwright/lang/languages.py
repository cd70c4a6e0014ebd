"""The three languages, by the names that data sets write."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Literal

from benchwright.errors import DataError

Language = Literal["Python", "Java", "Go"]
PYTHON: Language = "Python"
JAVA: Language = "Java"
GO: Language = "Go"
LANGUAGES: tuple[Language, ...] = (PYTHON, JAVA, GO)
SUFFIXES: dict[Language, str] = {PYTHON: ".py", JAVA: ".java", GO: ".go"}

_SPELLINGS: dict[str, Language] = {
    **{name.lower(): name for name in LANGUAGES},
    "py": PYTHON,
    "python3": PYTHON,
    "golang": GO,
}


def language(name: str) -> Language:
    """The language behind a spelling of its name. Raises DataError for any other."""
    found = _SPELLINGS.get(name.strip().lower())
    if found is None:
        near = get_close_matches(name.strip().lower(), _SPELLINGS, 1)
        hint = f"did you mean `{_SPELLINGS[near[0]]}`?" if near else f"one of: {', '.join(LANGUAGES)}"
        raise DataError(f"{name!r} is not a language that suites are known for", field="lang", hint=hint)
    return found


def language_of(path: str) -> Language | None:
    """The language that a file's name says it is in, or None."""
    return next((lang for lang, suffix in SUFFIXES.items() if path.endswith(suffix)), None)
