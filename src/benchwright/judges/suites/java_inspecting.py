"""What the classes of a suite say before any of them is run: whose they are, and what cannot be let pass.

The test file is taken at its word; all other files are the code under test, wherever they lie.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import NamedTuple

from benchwright.contracts import Suite
from benchwright.judges.suites.java_classfile import ClassFile, read_class
from benchwright.judges.suites.java_naming import forbidden
from benchwright.judges.suites.java_shadowing import KnownTypes, may_shadow, shadowed
from benchwright.judges.suites.java_sources import java_files, package_of, reserved, unescaped
from benchwright.lang.java.importing import names

_TEST_WORD = re.compile(r"Tests?(?=[A-Z])|(?:Tests?|TestCase|IT)$")


class Classes(NamedTuple):
    """The class files of a suite: those of its test file, and all others."""

    own: list[ClassFile]
    others: list[ClassFile]

    @property
    def test_types(self) -> list[str]:
        """The top-level classes of the test file by their full names."""
        return [each.name.replace("/", ".") for each in self.own if "$" not in each.name]

    @property
    def loadable(self) -> list[str]:
        """All classes that a JVM can be asked for, by their full names."""
        every = (each.name for each in (*self.own, *self.others))
        return [name.replace("/", ".") for name in every if not name.endswith("-info")]


def read_classes(suite: Suite, files: Mapping[str, bytes]) -> Classes:
    """Raises ValueError for files that javac does not write."""
    package = package_of(suite.files.get(suite.test, "")).replace(".", "/")
    name = PurePosixPath(suite.test).name
    classes = Classes([], [])
    for path, data in files.items():
        each = read_class(data)
        if path != f"{each.name}.class" or not path.isprintable() or " " in path:
            raise ValueError(f"{path} holds a class of another name")
        home = each.name.rpartition("/")[0]
        (classes.own if (each.source, home) == (name, package) else classes.others).append(each)
    return classes


def objection(suite: Suite, classes: Classes, types: KnownTypes) -> str:
    """Why no report on this suite could be believed, as a sentence, or ""."""
    if theirs := reserved(f"{each.name}.class" for each in (*classes.own, *classes.others)):
        return f"defines a class of the test runner: {theirs}"
    return (
        _disguised(suite, classes)
        or forbidden(classes.others, classes.own)
        or _shadowed(suite, classes, types)
    )


def _disguised(suite: Suite, classes: Classes) -> str:
    """A class or file that would be taken for the test file's."""
    heads = tuple(f"{each.name}$" for each in classes.own if "$" not in each.name)
    for each in classes.others:
        if each.name.startswith(heads) and heads:
            return f"{each.name} has a name of the test file's"
    name, package = PurePosixPath(suite.test).name, package_of(suite.files.get(suite.test, ""))
    for path, text in java_files(suite).items():
        if path != suite.test and PurePosixPath(path).name == name and package_of(text) == package:
            return f"{path} has the name of the test file"
    return ""


def _shadowed(suite: Suite, classes: Classes, types: KnownTypes) -> str:
    code = unescaped(suite.files.get(suite.test, ""))
    if not may_shadow(classes.own, classes.others, types, code):
        return ""
    found = names(code)
    if found is None:
        return "the test file cannot be read, and another file may take its names"
    focal = PurePosixPath(suite.focal).stem
    tested = _TEST_WORD.sub("", PurePosixPath(suite.test).stem)
    return shadowed(found, classes.own, classes.others, types, focal=focal, tested=tested)
