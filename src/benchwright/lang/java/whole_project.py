"""A Java pair among the files of its project that either of the two leads to."""

from __future__ import annotations

from benchwright.contracts import Suite
from benchwright.lang.companions import Companions, PairTexts, ProjectLayout
from benchwright.lang.java.project_types import java_needs

MOST_FILES = 400


def java_in_project(pair: PairTexts, near: Companions, _: Suite) -> ProjectLayout:
    """Return both files and all files that they name, directly or indirectly; no files if there are too
    many."""
    files = {pair.focal_path: pair.focal_code, pair.test_path: pair.test_code}
    waiting = list(java_needs(pair, near).files)
    while waiting and len(files) <= MOST_FILES:
        path = waiting.pop()
        if path not in files:
            files[path] = near.read(path)
            waiting += java_needs(PairTexts(path, files[path], path, files[path]), near).files
    return ProjectLayout({} if waiting else files, pair.focal_path, pair.test_path)
