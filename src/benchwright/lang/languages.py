"""Look up languages by name, spelling or file suffix. `registry.LANGUAGES` lists them.

An object is imported when it is first needed: a run over labelled rows needs only the names.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from importlib import import_module
from typing import Any

from benchwright import registry
from benchwright.errors import DataError, nearest
from benchwright.lang.comment_records import CommentedLanguage
from benchwright.lang.protocol import Language

COMMENTED = tuple(registry.LANGUAGES)  # languages whose comments can be read
LANGUAGES = tuple(name for name in COMMENTED if name in registry.RUNNERS)  # languages with test suites


@cache
def _loaded(name: str) -> Any:
    module, _, attribute = registry.LANGUAGES[name].partition(":")
    return getattr(import_module(module), attribute)


@cache
def _by_suffix() -> dict[str, Language]:
    return {suffix: each for each in map(_loaded, LANGUAGES) for suffix in each.suffixes}


@cache
def _names(names: tuple[str, ...]) -> dict[str, str]:
    """Map each spelling to the name of its language."""
    known: Iterable[CommentedLanguage] = map(_loaded, names)
    return {spelling: each.name for each in known for spelling in (each.name.lower(), *each.spellings)}


def language(name: str) -> Language:
    """Return the language with this name or spelling. Raises DataError if it has no test suites."""
    found: Language = _loaded(_resolve(name, LANGUAGES, "test suites"))
    return found


def commented_language(name: str) -> CommentedLanguage:
    """Return the language with this name or spelling. Raises DataError if its comments cannot be read."""
    found: CommentedLanguage = _loaded(_resolve(name, COMMENTED, "comments"))
    return found


def _resolve(name: str, names: tuple[str, ...], what: str) -> str:
    if name in names:
        return name
    known = _names(names)
    spelling = name.strip().lower()
    if spelling not in known:
        near = nearest(spelling, known)
        hint = f"did you mean `{known[near]}`?" if near else f"one of: {', '.join(names)}"
        raise DataError(f"language {name!r} is not supported for {what}", field="lang", hint=hint)
    return known[spelling]


def language_of(path: str) -> Language | None:
    """Return the language of a file by its suffix, or None."""
    return next((lang for suffix, lang in _by_suffix().items() if path.endswith(suffix)), None)


def language_list(names: Sequence[str], conjunction: str) -> str:
    """Return languages as a phrase: "Python, Java or Go"."""
    *most, last = names
    return f"{', '.join(most)} {conjunction} {last}"
