"""A sheet for each project of a release: how it is built and tested, and what was mined from it.

Build systems and commands are read from the names of files at the repository's root; nothing is executed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from benchwright.building.alignment.records import DevelopmentTrajectory, MinedRepository
from benchwright.records import Record

# By file at the root: what builds, what tests, and the usual command of that tool.
_BUILD_FILES: Mapping[str, tuple[str, str, str]] = {
    "pyproject.toml": ("Python package", "", "python -m pip install ."),
    "setup.py": ("Python package", "", "python -m pip install ."),
    "pytest.ini": ("", "pytest", "python -m pytest"),
    "tox.ini": ("", "tox", "tox"),
    "noxfile.py": ("", "nox", "nox"),
    "package.json": ("npm", "npm", "npm test"),
    "go.mod": ("Go module", "go test", "go test ./..."),
    "Cargo.toml": ("Cargo", "cargo test", "cargo test"),
    "pom.xml": ("Maven", "Maven", "mvn test"),
    "build.gradle": ("Gradle", "Gradle", "gradle test"),
    "build.gradle.kts": ("Gradle", "Gradle", "gradle test"),
    "CMakeLists.txt": ("CMake", "ctest", "cmake -B build && ctest --test-dir build"),
    "configure.ac": ("Autotools", "make check", "./configure && make check"),
    "Makefile": ("make", "", "make"),
    "meson.build": ("Meson", "Meson", "meson test -C build"),
    "Gemfile": ("Bundler", "", "bundle install"),
    "composer.json": ("Composer", "", "composer install"),
}
_FOLDERS = {"tests": "folder tests", "test": "folder test", "spec": "folder spec"}


class ProjectSheet(Record, frozen=True, kw_only=True):
    """Facts on one project."""

    name: str
    head: str = ""
    licence: str = ""
    languages: list[str] = []  # the most frequent first
    build: list[str] = []
    test: list[str] = []
    commands: list[str] = []  # the usual commands of its tools; not tried
    issues: int = 0
    pulls: int = 0
    outcomes: dict[str, int] = {}  # pull requests by outcome
    feedback: int = 0
    gaps: dict[str, int] = {}


def project_sheet(
    repository: MinedRepository,
    trajectories: Iterable[DevelopmentTrajectory],
    *,
    root: Iterable[str] = (),
    languages: Mapping[str, int] | None = None,
) -> ProjectSheet:
    """Return the sheet of a repository; `root` lists the names of files and folders at its head."""
    own = [each for each in trajectories if each.repo == repository.name and each.pull]
    names = sorted(set(root))
    ranked = sorted((languages or {}).items(), key=lambda each: (-each[1], each[0]))
    known = [_BUILD_FILES[name] for name in names if name in _BUILD_FILES]
    return ProjectSheet(
        name=repository.name,
        head=repository.head,
        licence=repository.licence,
        languages=[name for name, _ in ranked if name],
        build=_each_once(build for build, _, _ in known),
        test=_each_once(
            [*(test for _, test, _ in known), *(_FOLDERS[name] for name in names if name in _FOLDERS)]
        ),
        commands=_each_once(command for _, _, command in known),
        issues=repository.kinds.get("issue_opened", 0),
        pulls=len(own),
        outcomes=dict(sorted(Counter(each.outcome for each in own).items())),
        feedback=sum(len(each.feedback) for each in own),
        gaps=repository.gaps,
    )


def _each_once(texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(text for text in texts if text))
