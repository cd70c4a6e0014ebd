"""Which files tests are written for, and where a written test stands."""

from __future__ import annotations

from benchwright.lang.languages import language_of

_FOLDERS_OF_TESTS = {"test", "tests", "testing", "testdata"}


def is_focal_path(path: str) -> bool:
    """False for a file whose place or name says that it is no code to test."""
    *folders, name = path.split("/")
    lang = language_of(path)
    return lang is not None and name not in lang.not_focal and _FOLDERS_OF_TESTS.isdisjoint(folders)


def written_path(path: str, name: str, number: int) -> str:
    """Where a written test stands: beside the file it tests, in a folder that no repository has it in."""
    folder = path.rpartition("/")[0]
    return "/".join(part for part in ("generated", str(number), folder, name) if part)
