"""Classes whose own methods decide what they are equal to: they can pass many an assert unearned.

A remark for people, not a verdict: most such classes are honest.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from benchwright.judges.suites.java_classfile import ABSTRACT, ClassFile

_EQUALS = ("equals", "(Ljava/lang/Object;)Z")
_READS_ARGUMENT = (b"\x2b", b"\x19\x01")  # aload_1, aload 1
# Types of which the platform's own `equals`, or an assert, asks the other side: `Set.of(3).equals(x)` counts
# and looks up what x says that it holds.
_ASKED = re.compile(
    r"java/(?:util/(?:concurrent/)?(?:\w*(?:Collection|List|Set|Map|Queue|Deque|Vector))"
    r"|util/(?:Iterator|Map\$Entry)|lang/Iterable)"
)


def remark(classes: Iterable[ClassFile]) -> str:
    """What a reader of a success should know of the classes that are not the tests', or ""."""
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


def _dotted(each: ClassFile) -> str:
    return each.name.replace("/", ".")


def _is_careless(each: ClassFile) -> bool:
    return any(
        method.code and not any(read in method.code for read in _READS_ARGUMENT)
        for method in each.methods
        if (method.name, method.kind) == _EQUALS and not method.flags & ABSTRACT
    )
