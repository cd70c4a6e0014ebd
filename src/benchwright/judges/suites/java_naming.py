"""What the code under test may not name: the tools that judge it, and the one that opens the memory of a JVM.

Read from class files, so imports that nothing uses, comments and documentation do not count, and escapes in
a source hide nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from benchwright.judges.suites.java_classfile import ClassFile

_TOOLS = re.compile(
    rb"(?:^|[^\w$./]|\bL)"
    rb"(org[./](?:junit|opentest4j|hamcrest|assertj)|junit[./](?:framework|extensions|runner|textui)|benchwright[./]inside)\b"
)
_UNSAFE = re.compile(rb"\bsun[./]misc[./]Unsafe\b")
# What makes a class out of a text or of bytes.
_LOADERS = frozenset({b"forName", b"loadClass", b"findClass", b"defineClass", b"defineHiddenClass"})


def forbidden(others: Sequence[ClassFile], own: Sequence[ClassFile]) -> str:
    """What the classes that are not the test file's name and may not, as a sentence, or "".

    A text that holds such a name counts only where some class loads classes by name: programs that write
    test files hold it too.
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
            return f"{_dotted(each)} names {tool}, which only the tests may"
    return ""


def _dotted(each: ClassFile) -> str:
    return each.name.replace("/", ".")
