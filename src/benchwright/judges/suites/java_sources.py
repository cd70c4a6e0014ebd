"""What the trusted side must know of a Java suite: packages, test classes, and names that are not its own."""

from __future__ import annotations

import re
from collections.abc import Iterable

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
    """Return the package that a file declares, "" for none. Comments before it and unicode escapes are read
    as javac reads them; a comment within the declaration is not supported."""
    text, at = unescaped(source[:100_000]), 0
    while gap := _GAP.match(text, at):
        at = gap.end()
    found = _PACKAGE.match(text, at)
    return re.sub(r"\s", "", found.group(1)) if found else ""


def unescaped(source: str) -> str:
    """Return the text after javac's replacement of unicode escapes."""
    return _ESCAPE.sub(lambda match: match.group(1) + chr(int(match.group(2), 16)), source)


def java_files(suite: Suite) -> dict[str, str]:
    """Return the sources of a suite, in an order independent of the layout."""
    return {path: text for path, text in sorted(suite.files.items()) if path.endswith(".java")}


def classes_of(suite: Suite) -> list[str]:
    """Return the top-level classes with the cases, with their package, in the order of the cases."""
    package = package_of(suite.files.get(suite.test, ""))
    outer = dict.fromkeys(re.split(r"[#$]", case)[0] for case in suite.cases)
    return [f"{package}.{name}" if package else name for name in outer]


def reserved(paths: Iterable[str]) -> str:
    """Return the first of these class files that is in a package of the runner, or ""."""
    return next((path for path in paths if path.startswith(RESERVED)), "")
