"""The other files of a project: what of them a focal file and a test need to stand alone.

`Companions` gives their texts. A language says which file a single case is about, and what a file lacks of
the others; what came of it is proved by execution, never here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import NamedTuple


class Companions(NamedTuple):
    """Paths of a project's files in one language, and a function for their texts; "" for a file that is not
    text."""

    paths: Collection[str]
    read: Callable[[str], str]

    def beside(self, path: str, suffix: str) -> dict[str, str]:
        """Return the texts of the other files in the same folder with this suffix."""
        folder = path.rpartition("/")[0]
        near = [each for each in self.paths if each.rpartition("/")[0] == folder and each.endswith(suffix)]
        return {each: text for each in near if each != path and (text := self.read(each))}


class Completed(NamedTuple):
    """A focal file and a test, and the files whose declarations were added to them."""

    focal_path: str
    focal_code: str
    test_code: str
    brought: list[str] = []


class PairTexts(NamedTuple):
    """A focal file and a test file, each with its path in the project."""

    focal_path: str
    focal_code: str
    test_path: str
    test_code: str


class Needs(NamedTuple):
    """What a pair needs besides its two files: paths of project files, and plug-ins of the test runner as
    phrases for people."""

    files: frozenset[str] = frozenset()
    plugins: frozenset[str] = frozenset()


class ProjectLayout(NamedTuple):
    """A pair among the files of its project, as the project's tools run it: texts by path, and the pair's
    paths.

    `settings`: the project's test runner settings that change how a test ends; empty for none.
    """

    files: dict[str, str]
    focal: str
    test: str
    settings: str = ""
