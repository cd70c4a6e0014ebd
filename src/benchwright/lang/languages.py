"""The languages that suites are known for, by the names that data sets write. Only this table lists them.

An object is imported when it is first asked for: a run over rows that are labelled needs only the names.
"""

from __future__ import annotations

from difflib import get_close_matches
from functools import cache
from importlib import import_module

from benchwright.errors import DataError
from benchwright.lang.answers import Language

_PLACES = {
    "Python": "benchwright.lang.python.language:PYTHON",
    "Java": "benchwright.lang.java.language:JAVA",
    "Go": "benchwright.lang.go.language:GO",
}
LANGUAGES = tuple(_PLACES)


@cache
def _loaded(name: str) -> Language:
    place, _, attribute = _PLACES[name].partition(":")
    found: Language = getattr(import_module(place), attribute)
    return found


@cache
def _by_suffix() -> dict[str, Language]:
    return {suffix: each for each in map(_loaded, _PLACES) for suffix in each.suffixes}


@cache
def _by_spelling() -> dict[str, Language]:
    known = map(_loaded, _PLACES)
    return {spelling: each for each in known for spelling in (each.name.lower(), *each.spellings)}


def language(name: str) -> Language:
    """The language behind a spelling of its name. Raises DataError for any other."""
    if name in _PLACES:
        return _loaded(name)
    known = _by_spelling()
    found = known.get(name.strip().lower())
    if found is None:
        near = get_close_matches(name.strip().lower(), known, 1)
        hint = f"did you mean `{known[near[0]].name}`?" if near else f"one of: {', '.join(LANGUAGES)}"
        raise DataError(f"{name!r} is not a language that suites are known for", field="lang", hint=hint)
    return found


def language_of(path: str) -> Language | None:
    """The language that a file's name says it is in, or None."""
    return next((lang for suffix, lang in _by_suffix().items() if path.endswith(suffix)), None)


def listed(conjunction: str) -> str:
    """All names in a sentence: "Python, Java or Go"."""
    *most, last = LANGUAGES
    return f"{', '.join(most)} {conjunction} {last}"
