"""A folder of libraries that suites may import in addition to their toolchains' own.

Each language has its own subfolder (`LibraryRules.folder`): `python/` is a target of `pip install --target`,
`java/` holds jars. The sandbox shows them read-only. The trusted side reads only names and bytes.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple
from zipfile import BadZipFile, ZipFile

from benchwright.display.escape import escaped_path, quoted
from benchwright.errors import UsageError
from benchwright.lang.languages import LANGUAGES, language
from benchwright.lang.protocol import LibraryRules

MOST_FILES = 200_000


class GivenLibrary(NamedTuple):
    """One package or jar: its language, its name, and the SHA-256 of its content."""

    lang: str
    name: str
    sha256: str


@cache
def rules_by_language() -> dict[str, LibraryRules]:
    """Return the languages whose suites can have libraries, each with its rules."""
    found = {name: language(name).library_rules for name in LANGUAGES}
    return {name: rules for name, rules in found.items() if rules.folder}


def check_libraries(folder: Path) -> None:
    """Raise UsageError for a folder that holds no libraries."""
    places = [rules.folder for rules in rules_by_language().values()]
    if not any((folder / place).is_dir() for place in places):
        where = escaped_path(folder)
        hint = f"pip install --target {quoted(folder / places[0])} PACKAGE"
        missing = " and ".join(f"no folder {place}" for place in places)
        raise UsageError(f"--libraries {where}: it has {missing}", hint=hint)


@lru_cache(maxsize=8)
def list_libraries(folder: Path) -> tuple[GivenLibrary, ...]:
    """Return all libraries by language and name. Every byte is read, once per process."""
    return tuple(
        GivenLibrary(lang, path.name, _digest(path))
        for lang in rules_by_language()
        for path in entries(folder, lang)
    )


def digest_of(folder: Path, lang: str) -> str:
    """Return a digest of all libraries of one language, in 16 digits; empty if there is none."""
    found = [each for each in list_libraries(folder) if each.lang == lang]
    return hashlib.sha256(repr(found).encode()).hexdigest()[:16] if found else ""


def entries(folder: Path, lang: str) -> list[Path]:
    """Return the packages or jars of a language: no links, which could lead anywhere, and no hidden files."""
    rules = rules_by_language()[lang]
    place = folder / rules.folder
    found = sorted(place.iterdir()) if place.is_dir() else []
    visible = [path for path in found if not path.is_symlink() and path.name[0] not in "._"]
    return [path for path in visible if path.suffix == rules.suffix] if rules.suffix else visible


@lru_cache(maxsize=8)
def packages(folder: Path, lang: str) -> frozenset[str]:
    """Return what suites can import: top-level names in Python, packages with dots in Java."""
    members = rules_by_language()[lang].members
    if not members:
        return frozenset(path.name.partition(".")[0] for path in entries(folder, lang))
    return frozenset(name for path in entries(folder, lang) for name in _packages_of(path, members))


def _packages_of(library: Path, suffix: str) -> Iterator[str]:
    try:
        with ZipFile(library) as archive:
            names = archive.namelist()[:MOST_FILES]
    except (BadZipFile, OSError):
        return
    yield from {name.rpartition("/")[0].replace("/", ".") for name in names if name.endswith(suffix)}


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    for number, file in enumerate(_files(path)):
        if number >= MOST_FILES:
            raise UsageError(
                f"{escaped_path(path)} has more than {MOST_FILES:,} files", hint="--libraries OTHER"
            )
        digest.update(f"{file.relative_to(path.parent)}\0".encode("utf-8", "surrogateescape"))
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def _files(path: Path) -> Iterator[Path]:
    """Yield regular files in a fixed order, without compiled Python."""
    if path.is_file():
        yield path
        return
    for folder, below, names in os.walk(path):
        below[:] = sorted(name for name in below if name != "__pycache__")
        yield from (each for name in sorted(names) if not (each := Path(folder, name)).is_symlink())
