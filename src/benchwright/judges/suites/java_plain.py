"""Test classes so plain that JUnit need not be asked what is in them: read from their class files.

Such a class names of JUnit a test's mark, one method before each test and one after each at most, asserts,
and names for people; it extends nothing. Whatever else it names, or a mark with a setting such as `timeout`,
and JUnit itself runs it: rules, runners, extensions, parameters, nesting, assumptions and skips are such.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from benchwright.contracts import Suite
from benchwright.judges.suites.java_classfile import ABSTRACT, PRIVATE, ClassFile, ClassMember
from benchwright.judges.suites.java_inspecting import Classes
from benchwright.judges.suites.java_sources import classes_of
from benchwright.records import Record

_PUBLIC, _STATIC, _BRIDGE, _INTERFACE, _SYNTHETIC = 0x0001, 0x0008, 0x0040, 0x0200, 0x1000
_TOOL = re.compile(rb"(?:org/(?:junit|opentest4j)|junit)[/$][\w/$]*")
_PLATFORMS = ("Ljava/lang/Deprecated;", "Ljava/lang/FunctionalInterface;", "Ljava/lang/SafeVarargs;")
_OBJECT = ("java/lang/Object",)


class Framework(Record, frozen=True, kw_only=True):
    """The names of a framework that a plain class may use. Marks are descriptors of annotations."""

    word: str  # in the launcher's job
    test: str
    before: str
    after: str
    shown: frozenset[str] = frozenset()  # marks without effect on the execution
    others: frozenset[bytes]
    access: int  # flags that a class, its constructor and its methods must have

    @property
    def marks(self) -> frozenset[str]:
        """Return all marks."""
        return self.shown | {self.test, self.before, self.after}

    @property
    def named(self) -> frozenset[bytes]:
        """Return all names of JUnit that the class may contain."""
        return self.others | {mark[1:-1].encode() for mark in self.marks}


_API = "Lorg/junit/jupiter/api/"
FRAMEWORKS = {
    "junit5": Framework(
        word="plain5",
        test=f"{_API}Test;",
        before=f"{_API}BeforeEach;",
        after=f"{_API}AfterEach;",
        shown=frozenset({f"{_API}DisplayName;", f"{_API}Tag;"}),
        others=frozenset(
            {
                b"org/junit/jupiter/api/Assertions",
                b"org/junit/jupiter/api/function/Executable",
                b"org/junit/jupiter/api/function/ThrowingSupplier",
                b"org/opentest4j/AssertionFailedError",
            }
        ),
        access=0,
    ),
    "junit4": Framework(
        word="plain4",
        test="Lorg/junit/Test;",
        before="Lorg/junit/Before;",
        after="Lorg/junit/After;",
        others=frozenset({b"org/junit/Assert", b"org/junit/function/ThrowingRunnable"}),
        access=_PUBLIC,
    ),
}


def plain_lines(suite: Suite, classes: Classes) -> list[str] | None:
    """Return a line of the launcher's job for each test class; None if one needs JUnit itself."""
    known = FRAMEWORKS[suite.framework]
    chosen = {name.replace(".", "/"): "" for name in classes_of(suite)}
    for each in classes.own:
        if not _names_no_more(each, known):
            return None
        if each.name in chosen and _is_plain(each, known):
            chosen[each.name] = _line(each, known)
        elif not all(_is_known(marks, known.shown) for marks in _all_marks(each)):
            return None
    return list(chosen.values()) if all(chosen.values()) else None


def canary_line(suite: Suite, name: str, tests: Iterable[str]) -> str:
    """Return the line of the canaries' class, which is plain as well."""
    return " ".join([FRAMEWORKS[suite.framework].word, name, "-", "-", *tests])


def _names_no_more(each: ClassFile, known: Framework) -> bool:
    found = (name for text in each.named for name in _TOOL.findall(text))
    return known.named.issuperset(found)


def _is_plain(each: ClassFile, known: Framework) -> bool:
    """Return whether JUnit would run exactly the marked tests, each as it is."""
    if each.parents != _OBJECT or each.flags & (ABSTRACT | _INTERFACE) or not _has(each.flags, known):
        return False
    if not all(_is_known(marks, known.marks) for marks in _all_marks(each)):
        return False
    makers = [member for member in each.methods if member.name == "<init>"]
    marked = [member for member in each.methods if not _is_known(member.marks, known.shown)]
    tests, *around = (_marked(marked, mark) for mark in (known.test, known.before, known.after))
    return (
        len(makers) == 1
        and all(member.kind == "()V" and _has(member.flags, known) for member in (*makers, *marked))
        and all(not member.flags & _UNUSUAL for member in marked)
        and len(tests) > 0
        and all(len(each) <= 1 for each in around)
        and len({member.name for member in marked}) == len(tests) + sum(map(len, around))
    )


_UNUSUAL = PRIVATE | _STATIC | _BRIDGE | ABSTRACT | _SYNTHETIC


def _has(flags: int, known: Framework) -> bool:
    return flags & known.access == known.access


def _is_known(marks: Sequence[str] | None, known: frozenset[str]) -> bool:
    """Return whether all marks are known: False for one with other settings, or one that a meta-annotation
    could make JUnit's."""
    return marks is not None and known.union(_PLATFORMS).issuperset(marks)


def _all_marks(each: ClassFile) -> list[Sequence[str] | None]:
    """Yield the marks of a class and of each of its members."""
    return [each.marks, *(member.marks for member in (*each.fields, *each.methods))]


def _marked(members: Sequence[ClassMember], mark: str) -> list[ClassMember]:
    return [member for member in members if member.marks is not None and mark in member.marks]


def _line(each: ClassFile, known: Framework) -> str:
    """Return a line in the format of `PlainTests.java`."""
    tests, *around = (
        [member.name for member in _marked(each.methods, mark)]
        for mark in (known.test, known.before, known.after)
    )
    return " ".join(
        [known.word, each.name.replace("/", "."), *(one[0] if one else "-" for one in around), *tests]
    )
