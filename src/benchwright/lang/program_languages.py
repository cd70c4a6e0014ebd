"""Languages of whole programs: names, fences, and the file that a compiler expects a program in.

`registry.PROGRAM_LANGUAGES` lists them; `registry.TOOLCHAINS` has what compiles and runs each.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from benchwright import registry
from benchwright.errors import DataError, nearest
from benchwright.records import Record


class ProgramFile(Record, frozen=True, kw_only=True):
    """The file of a program, and the name that starts it if that is not the file."""

    path: str
    entry: str = ""  # in Java the class with `main`


class ProgramLanguage(Record, frozen=True, kw_only=True):
    """A language in which a program reads standard input and writes standard output."""

    name: str
    spellings: tuple[str, ...]  # other names, in lower case
    fence: str  # info string of a fenced block in a prompt
    fence_tags: frozenset[str]  # info strings that models write
    file_of: Callable[[str], ProgramFile]  # of the program's text
    stub: str  # a program that ends with status 1


def program_languages() -> tuple[str, ...]:
    """Return the names of all languages."""
    return tuple(registry.PROGRAM_LANGUAGES)


def program_language(name: str) -> ProgramLanguage:
    """Return the language with this name or spelling. Raises DataError for an unknown one."""
    if name in registry.PROGRAM_LANGUAGES:
        return _load(name)
    known, spelling = _spellings(), name.strip().lower()
    if spelling not in known:
        near = nearest(spelling, known)
        hint = f"did you mean `{known[near]}`?" if near else f"one of: {', '.join(program_languages())}"
        raise DataError(f"unknown language of programs: {name!r}", field="lang", hint=hint)
    return _load(known[spelling])


@cache
def _load(name: str) -> ProgramLanguage:
    found: ProgramLanguage = registry.load(registry.PROGRAM_LANGUAGES[name])
    return found


@cache
def _spellings() -> dict[str, str]:
    every = map(_load, registry.PROGRAM_LANGUAGES)
    return {spelling: each.name for each in every for spelling in (each.name.lower(), *each.spellings)}
