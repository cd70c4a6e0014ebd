"""What the trusted side must know of a Java suite: packages, test classes, and names that are not its own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from benchwright.contracts import Suite

_GAP = re.compile(r"\s+|//[^\r\n]*|/\*.*?\*/", re.DOTALL)
_PACKAGE = re.compile(r"package\s+([\w$]+(?:\s*\.\s*[\w$]+)*)\s*;")
_ESCAPE = re.compile(r"(?<!\\)((?:\\\\)*)\\u+([0-9a-fA-F]{4})")

# Packages of the runner. Class path order keeps their classes from being replaced; a new class in one of
# them could still use what is private to the package.
RESERVED = (
    *("org/junit/", "junit/framework/", "junit/runner/", "junit/textui/", "junit/extensions/"),
    *("org/hamcrest/", "org/opentest4j/", "org/apiguardian/", "benchwright/inside/"),
)


def package_of(source: str) -> str:
    """The package that a file declares, "" for none. Comments before it and escaped letters in it are read
    as javac does; a comment within the declaration is not understood."""
    text, at = unescaped(source[:100_000]), 0
    while gap := _GAP.match(text, at):
        at = gap.end()
    found = _PACKAGE.match(text, at)
    return re.sub(r"\s", "", found.group(1)) if found else ""


def unescaped(source: str) -> str:
    """The text that javac reads: it replaces backslash-u escapes before anything else."""
    return _ESCAPE.sub(lambda match: match.group(1) + chr(int(match.group(2), 16)), source)


def java_files(suite: Suite) -> dict[str, str]:
    """The sources of a suite, in an order that does not depend on who laid it out."""
    return {path: text for path, text in sorted(suite.files.items()) if path.endswith(".java")}


def classes_of(suite: Suite) -> list[str]:
    """The top-level classes that hold the cases, with their package, in the order of the cases."""
    package = package_of(suite.files.get(suite.test, ""))
    outer = dict.fromkeys(re.split(r"[#$]", case)[0] for case in suite.cases)
    return [f"{package}.{name}" if package else name for name in outer]


def reserved(paths: Iterable[str]) -> str:
    """The first of these class files that lies in a package of the runner, or ""."""
    return next((path for path in paths if path.startswith(RESERVED)), "")


def renamed(template: bytes, names: Mapping[str, str]) -> bytes:
    """A class file with some of its names replaced: each is an entry of the constant pool with its length
    before it, so a class can be given another name without a compiler."""
    parts, end = [template[:_POOL]], _POOL
    for _, start, end in _entries(template):
        entry = template[start:end]
        name = names.get(entry[3:].decode("ascii", "replace")) if entry[0] == _TEXT else None
        parts.append(entry if name is None else _entry(name.encode()))
    return b"".join([*parts, template[end:]])


def constant_pool(data: bytes) -> tuple[dict[int, bytes], int]:
    """The texts of a class file's constant pool by their index, and where the pool ends.

    Section 4.4 of the JVM specification. Raises KeyError or IndexError for a file that is none.
    """
    texts, end = {}, _POOL
    for index, start, end in _entries(data):
        if data[start] == _TEXT:
            texts[index] = data[start + 3 : end]
    return texts, end


def _entries(data: bytes) -> Iterator[tuple[int, int, int]]:
    """Index, start and end of each entry."""
    at, index = _POOL, 1
    while index < int.from_bytes(data[8:_POOL]):
        tag = data[at]
        size = 3 + int.from_bytes(data[at + 1 : at + 3]) if tag == _TEXT else _SIZES[tag]
        yield index, at, at + size
        at, index = at + size, index + (2 if tag in _DOUBLE else 1)


def _entry(text: bytes) -> bytes:
    return bytes([_TEXT]) + len(text).to_bytes(2) + text


_POOL = 10  # where the constant pool begins, after its count
_TEXT = 1
_DOUBLE = (5, 6)  # long and double take two places
_SIZES = {
    **dict.fromkeys((3, 4, 9, 10, 11, 12, 17, 18), 5),
    **dict.fromkeys((5, 6), 9),
    **dict.fromkeys((7, 8, 16, 19, 20), 3),
    15: 4,
}
