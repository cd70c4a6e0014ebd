"""Inspect the classes and sources of a Java suite before any runs: forbidden and shadowed names.

The test file is trusted; all other files are code under test. Names are read from class files, so unused
imports and comments do not count, and escapes in a source hide nothing. A type of the same package wins over
java.lang and over a wildcard import, an inherited member wins over every import, and a static wildcard import
hides a type: a test that says `Math` or `assertEquals` can mean the focal file's. Sections 6.4 and 15.12 of
the Java Language Specification.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from benchwright.contracts import Suite
from benchwright.judges.suites.java_classfile import ABSTRACT, ClassFile, read_class
from benchwright.judges.suites.java_shadowing import KnownTypes, may_shadow, shadowed
from benchwright.judges.suites.java_sources import java_files, package_of, reserved, unescaped
from benchwright.lang.java.importing import names

_TOOLS = re.compile(
    rb"(?:^|[^\w$./]|\bL)"
    rb"(org[./](?:junit|opentest4j|hamcrest|assertj)|junit[./](?:framework|extensions|runner|textui)|benchwright[./]inside)\b"
)
_UNSAFE = re.compile(rb"\bsun[./]misc[./]Unsafe\b")
TESTS_ALONE = "which only the tests may"
# What makes a class out of a text or of bytes.
_LOADERS = frozenset({b"forName", b"loadClass", b"findClass", b"defineClass", b"defineHiddenClass"})


def forbidden(others: Sequence[ClassFile], own: Sequence[ClassFile]) -> str:
    """Return what the code under test names and must not, as a sentence, or "".

    A string with such a name counts only if some class loads classes by name: programs that write test files
    contain such strings too.
    """
    reflects = any(_LOADERS & each.named for each in others)
    for each in (*others, *own):
        texts = each.named | each.strings
        if any(_UNSAFE.search(text) for text in texts):
            return f"{_dotted(each)} names sun.misc.Unsafe, which can forge any report"
    for each in others:
        texts = each.named | each.strings if reflects else each.named
        found = next((match for text in sorted(texts) if (match := _TOOLS.search(text))), None)
        if found:
            tool = found[1].decode().replace("/", ".")
            return f"{_dotted(each)} names {tool}, {TESTS_ALONE}"
    return ""


def _dotted(each: ClassFile) -> str:
    return each.name.replace("/", ".")


_EQUALS = ("equals", "(Ljava/lang/Object;)Z")
_READS_ARGUMENT = (b"\x2b", b"\x19\x01")  # aload_1, aload 1
# Types of which the platform's own `equals`, or an assert, asks the other side: `Set.of(3).equals(x)` counts
# and looks up the items that x claims to contain.
_ASKED = re.compile(
    r"java/(?:util/(?:concurrent/)?(?:\w*(?:Collection|List|Set|Map|Queue|Deque|Vector))"
    r"|util/(?:Iterator|Map\$Entry)|lang/Iterable)"
)


def remark(classes: Iterable[ClassFile]) -> str:
    """Return a remark for readers of a success on classes with their own `equals`, outside the tests, or "".

    Such classes can pass many asserts undeserved, but most of them are honest: no verdict depends on it.
    """
    known = list(classes)
    for each in known:
        if _is_careless(each):
            return f"equals of {_dotted(each)} never looks at its argument"
    for each in known:
        for parent in each.parents:
            if _ASKED.fullmatch(parent):
                shown = parent.replace("/", ".")
                return f"{_dotted(each)} is a {shown}: what it equals is its own word"
    return ""


def _is_careless(each: ClassFile) -> bool:
    return any(
        method.code and not any(read in method.code for read in _READS_ARGUMENT)
        for method in each.methods
        if (method.name, method.kind) == _EQUALS and not method.flags & ABSTRACT
    )


_TEST_WORD = re.compile(r"Tests?(?=[A-Z])|(?:Tests?|TestCase|IT)$")


class Classes(NamedTuple):
    """The class files of a suite: those of its test file, and all others."""

    own: list[ClassFile]
    others: list[ClassFile]

    @property
    def test_types(self) -> list[str]:
        """Return the full names of the test file's top-level classes."""
        return [each.name.replace("/", ".") for each in self.own if "$" not in each.name]

    @property
    def loadable(self) -> list[str]:
        """Return the full names of all classes that a JVM can load."""
        every = (each.name for each in (*self.own, *self.others))
        return [name.replace("/", ".") for name in every if not name.endswith("-info")]


def read_classes(suite: Suite, files: Mapping[str, bytes]) -> Classes:
    """Parse class files. Raises ValueError for files that javac does not write."""
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
    """Return why reports on this suite could not be trusted, as a sentence, or ""."""
    if theirs := reserved(f"{each.name}.class" for each in (*classes.own, *classes.others)):
        return f"defines a class of the test runner: {theirs}"
    return (
        _disguised(suite, classes)
        or _names_tests(suite, classes)
        or forbidden(classes.others, classes.own)
        or _shadowed(suite, classes, types)
    )


def _disguised(suite: Suite, classes: Classes) -> str:
    """Report a class or file that imitates one of the test file."""
    heads = tuple(f"{each.name}$" for each in classes.own if "$" not in each.name)
    for each in classes.others:
        if each.name.startswith(heads) and heads:
            return f"{each.name} has a name of the test file's"
    name, package = PurePosixPath(suite.test).name, package_of(suite.files.get(suite.test, ""))
    for path, text in java_files(suite).items():
        if path != suite.test and PurePosixPath(path).name == name and package_of(text) == package:
            return f"{path} has the name of the test file"
    return ""


def _names_tests(suite: Suite, classes: Classes) -> str:
    """Report a class of the focal file that refers to a class of the test file, which knows the expected
    values."""
    known = "|".join(re.escape(each.name) for each in classes.own)
    if not known:
        return ""
    tests = re.compile(rf"(?<![\w$/.])L?(?:{known})(?![\w$])".encode())
    for each in classes.others:
        if each.source != PurePosixPath(suite.focal).name:
            continue
        named = each.named | each.strings if _LOADERS & each.named else each.named
        texts = (text.replace(b".", b"/") for text in named)
        if any(tests.search(text) for text in texts):
            return f"{_dotted(each)} names a class of the test file"
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
