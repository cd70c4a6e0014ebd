"""The third-party packages that a suite can import where it is executed, by language.

A missing package is known before execution, so no execution is wasted on it.
"""

from __future__ import annotations

from pathlib import Path

from benchwright.errors import PrerequisiteError
from benchwright.judges.suites.libraries import GivenLibrary, check_libraries, listed, packages
from benchwright.lang.languages import language
from benchwright.sandbox.environments import find_environment, site_modules


class Libraries:
    """Packages beside the standard libraries: pytest and its dependencies, JUnit, and those of a folder.

    Raises UsageError for a folder without libraries.
    """

    def __init__(self, folder: str = "") -> None:
        self.folder = str(Path(folder).resolve()) if folder else ""
        self._profiles: dict[str, frozenset[str] | None] = {}
        if folder:
            check_libraries(Path(folder))

    def has(self, lang: str, name: str) -> bool:
        """Whether a suite can import a package, or a class of it; True if its profile is not installed."""
        rules = language(lang).library_rules
        provided = self._profile(rules.profile)
        if provided is None or name.startswith(rules.prefixes):
            return True
        known = provided | self._further(lang)
        return any(name == package or name.startswith(f"{package}.") for package in known)

    def listed(self) -> list[dict[str, str]]:
        """Return the folder's packages for JSON: language, name and SHA-256 of each."""
        found: tuple[GivenLibrary, ...] = listed(Path(self.folder)) if self.folder else ()
        return [each._asdict() for each in found]

    def _further(self, lang: str) -> frozenset[str]:
        has = self.folder and language(lang).library_rules.folder
        return packages(Path(self.folder), lang) if has else frozenset()

    def _profile(self, name: str) -> frozenset[str] | None:
        """Top-level names of a dependency profile; None if it is not installed, so no suite can run."""
        if name not in self._profiles:
            self._profiles[name] = _modules(name)
        return self._profiles[name]


def _modules(profile: str) -> frozenset[str] | None:
    if not profile:
        return frozenset()
    try:
        found = site_modules(find_environment(profile))
    except PrerequisiteError:
        return None
    return frozenset(each.removesuffix(".py") for each in found)
