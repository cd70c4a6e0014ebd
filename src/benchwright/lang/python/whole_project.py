"""A Python pair among the files of its project, whose own folder of sources is the top."""

from __future__ import annotations

import re

from benchwright.contracts import Suite
from benchwright.lang.companions import Companions, PairTexts, ProjectLayout
from benchwright.lang.python.plugins import SETTINGS

MOST_FILES = 3000
MOST_CHARS = 8 << 20
_CHANGES_ENDS = re.compile(
    r"^\s*[\"']?(?:filterwarnings|usefixtures|asyncio_mode|required_plugins|env|DJANGO_SETTINGS_MODULE"
    r"|xfail_strict|doctest_\w+)[\"']?\s*=.*$|^\s*addopts\s*=.*(?:-p |-W|--doctest|--import-mode|-n).*$",
    re.MULTILINE,
)


def python_in_project(pair: PairTexts, near: Companions, suite: Suite) -> ProjectLayout:
    """Return all texts of the project, with its source folder moved to the top; none if one is too large."""
    root = _sources(pair, near, suite)
    own = {pair.focal_path: pair.focal_code, pair.test_path: pair.test_code}
    files, room = dict[str, str](), MOST_CHARS
    for path in [*own, *near.paths] if len(near.paths) <= MOST_FILES else []:
        text = own[path] if path in own else near.read(path)
        room -= len(text)
        files.setdefault(_moved(path, root), text)
    return ProjectLayout(
        files if room >= 0 else {},
        _moved(pair.focal_path, root),
        _moved(pair.test_path, root),
        _settings(near),
    )


def _sources(pair: PairTexts, near: Companions, suite: Suite) -> str:
    """Return the folder of the focal file's packages, such as "src/", if the test is not below it."""
    folder = pair.focal_path.rpartition("/")[0]
    while folder and f"{folder}/__init__.py" in near.paths:
        folder = folder.rpartition("/")[0]
    found = [f"{folder}/" if folder else ""]
    if pair.focal_path.endswith(f"/{suite.focal}"):
        found.append(pair.focal_path.removesuffix(suite.focal))
    root = min(found, key=len)
    return "" if pair.test_path.startswith(root) else root


def _moved(path: str, root: str) -> str:
    return path.removeprefix(root)


def _settings(near: Companions) -> str:
    """Return the first line of a setting that decides how tests end: the runner here ignores settings."""
    for name in sorted(SETTINGS):
        if name in near.paths and (found := _CHANGES_ENDS.search(near.read(name))):
            return f"{name}: {found[0].strip()[:100]}"
    return ""
