"""The other files of a project: what of them a focal file and a test need to stand alone.

`Companions` gives their texts. A language says which file a single case is about, and what a file lacks of
the others; what came of it is proved by execution, never here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import NamedTuple


class Companions(NamedTuple):
    """The paths of a project's files of one language, and their texts; "" for what is no text."""

    paths: Collection[str]
    read: Callable[[str], str]

    def beside(self, path: str, suffix: str) -> dict[str, str]:
        """The texts of the other files of a folder whose names end so."""
        folder = path.rpartition("/")[0]
        near = [each for each in self.paths if each.rpartition("/")[0] == folder and each.endswith(suffix)]
        return {each: text for each in near if each != path and (text := self.read(each))}


class Completed(NamedTuple):
    """A focal file and a test, and the files from which something was brought into either."""

    focal_path: str
    focal_code: str
    test_code: str
    brought: list[str] = []


class PairTexts(NamedTuple):
    """A focal file and a test file, each by its path in the project."""

    focal_path: str
    focal_code: str
    test_path: str
    test_code: str


class Needs(NamedTuple):
    """What a pair runs besides its own two files: paths of the project's files, and plug-ins of the test
    runner, each as a phrase for people."""

    files: frozenset[str] = frozenset()
    plugins: frozenset[str] = frozenset()


class ProjectLayout(NamedTuple):
    """A pair among the files of its project, as its tools would run it: texts by path, and where the two are.

    `settings`: what the project tells its test runner that changes how a test ends; empty where nothing does.
    """

    files: dict[str, str]
    focal: str
    test: str
    settings: str = ""
