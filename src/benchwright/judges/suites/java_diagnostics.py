"""What javac said, and which of the failures that makes: compile, import or environment."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from benchwright.contracts import Suite
from benchwright.judges.suites.java_sources import java_files, package_of
from benchwright.records import Record

_PACKAGE = re.compile(r"package (\S+) does not exist")
_MISSING_CLASS = re.compile(r"symbol: *class (\S+)")
_PLATFORM = ("java.", "javax.", "jdk.", "sun.", "com.sun.")


class CompileError(Record, frozen=True, kw_only=True):
    """One error of the compiler; `code` is javac's own name of it, such as "compiler.err.doesnt.exist"."""

    code: str
    file: str
    line: int
    message: str


def kind_of_errors(errors: Sequence[CompileError], suite: Suite) -> str:
    """One of FAILURES.

    environment: a package of some library is not there. import: neither is a class or a package of the
    project's own, or one that the platform does not have. compile: all other errors. One missing import
    brings many other errors after it, so a missing package decides wherever it stands.
    """
    packages = [match.group(1) for error in errors if (match := _PACKAGE.search(error.message))]
    if packages:
        own = {_root(package_of(text)) for text in java_files(suite).values()}
        foreign = [each for each in packages if _root(each) not in own and not _is_platform(each)]
        return "environment" if foreign else "import"
    return "import" if any(_MISSING_CLASS.search(error.message) for error in errors) else "compile"


def described(errors: Iterable[CompileError]) -> str:
    """The errors for people, the first few, each with its place."""
    lines = [f"{error.file}:{error.line}: {' '.join(error.message.split())}" for error in errors]
    return "; ".join(lines[:3])


def _root(package: str) -> str:
    """The first two parts, which by custom name the project's owner."""
    return ".".join(package.split(".")[:2])


def _is_platform(package: str) -> bool:
    return f"{package}.".startswith(_PLATFORM)
