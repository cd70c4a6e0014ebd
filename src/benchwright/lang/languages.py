"""The languages that suites or comments are known for, as data sets name them. Only these tables list them.

An object is imported when it is first asked for: a run over rows that are labelled needs only the names.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib import import_module
from typing import Any

from benchwright.errors import DataError, nearest
from benchwright.lang.answers import Language
from benchwright.lang.commented import Commentable

_PLACES = {
    "Python": "benchwright.lang.python.language:PYTHON",
    "Java": "benchwright.lang.java.language:JAVA",
    "Go": "benchwright.lang.go.language:GO",
}
_COMMENTED_PLACES = {
    **_PLACES,
    "JavaScript": "benchwright.lang.javascript.language:JAVASCRIPT",
    "TypeScript": "benchwright.lang.javascript.language:TYPESCRIPT",
}
LANGUAGES = tuple(_PLACES)
COMMENTED = tuple(_COMMENTED_PLACES)  # of these comments are known; suites perhaps not


@cache
def _loaded(name: str) -> Language:
    found: Language = _attribute(_PLACES[name])
    return found


@cache
def _commented(name: str) -> Commentable:
    found: Commentable = _attribute(_COMMENTED_PLACES[name])
    return found


def _attribute(place: str) -> Any:
    module, _, attribute = place.partition(":")
    return getattr(import_module(module), attribute)


@cache
def _by_suffix() -> dict[str, Language]:
    return {suffix: each for each in map(_loaded, _PLACES) for suffix in each.suffixes}


@cache
def _names(commented: bool) -> dict[str, str]:
    """The name of each language that is known for comments, or else for suites, by spelling."""
    places = _COMMENTED_PLACES if commented else _PLACES
    known: Iterable[Commentable] = map(_commented if commented else _loaded, places)
    return {spelling: each.name for each in known for spelling in (each.name.lower(), *each.spellings)}


def language(name: str) -> Language:
    """The language behind a spelling of its name. Raises DataError for any that suites are not known for."""
    return _loaded(name if name in _PLACES else _meant(name, commented=False))


def commented_language(name: str) -> Commentable:
    """The same of the languages that comments are known for."""
    return _commented(name if name in _COMMENTED_PLACES else _meant(name, commented=True))


def _meant(name: str, *, commented: bool) -> str:
    known = _names(commented)
    spelling = name.strip().lower()
    if spelling not in known:
        names, what = (COMMENTED, "comments") if commented else (LANGUAGES, "suites")
        near = nearest(spelling, known)
        hint = f"did you mean `{known[near]}`?" if near else f"one of: {', '.join(names)}"
        raise DataError(f"{name!r} is not a language that {what} are known for", field="lang", hint=hint)
    return known[spelling]


def language_of(path: str) -> Language | None:
    """The language that a file's name says it is in, or None."""
    return next((lang for suffix, lang in _by_suffix().items() if path.endswith(suffix)), None)


def listed(conjunction: str) -> str:
    """All names in a sentence: "Python, Java or Go"."""
    *most, last = LANGUAGES
    return f"{', '.join(most)} {conjunction} {last}"
