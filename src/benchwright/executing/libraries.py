"""The third-party packages that a suite can import where it is executed, by language.

A missing package is known before execution, so no execution is wasted on it.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

from benchwright.errors import PrerequisiteError
from benchwright.judges.suites.libraries import PLACES, GivenLibrary, check_libraries, listed, packages
from benchwright.sandbox.environments import find_environment, site_modules

_JUNIT = ("org.junit", "junit.", "org.hamcrest", "org.opentest4j", "org.apiguardian")


class Libraries:
    """Packages beside the standard libraries: pytest and its dependencies, JUnit, and those of a folder.

    Raises UsageError for a folder without libraries.
    """

    def __init__(self, folder: str = "") -> None:
        self.folder = str(Path(folder).resolve()) if folder else ""
        if folder:
            check_libraries(Path(folder))

    def has(self, lang: str, name: str) -> bool:
        """Whether a package or one of its classes can be imported. True where unknown."""
        if lang == "Python":
            return not self._python or name.partition(".")[0] in self._python | self._further(lang)
        if lang == "Java":
            return name.startswith(_JUNIT) or any(
                name == package or name.startswith(f"{package}.") for package in self._further(lang)
            )
        return lang != "Go"

    def listed(self) -> list[dict[str, str]]:
        """Return the folder's packages for JSON: language, name and SHA-256 of each."""
        found: tuple[GivenLibrary, ...] = listed(Path(self.folder)) if self.folder else ()
        return [each._asdict() for each in found]

    def _further(self, lang: str) -> frozenset[str]:
        return packages(Path(self.folder), lang) if self.folder and lang in PLACES else frozenset()

    @cached_property
    def _python(self) -> frozenset[str]:
        """Return top-level names; none where pytest is not installed, so that nothing is executed."""
        try:
            return frozenset(name.removesuffix(".py") for name in site_modules(find_environment("pytest")))
        except PrerequisiteError:
            return frozenset()
