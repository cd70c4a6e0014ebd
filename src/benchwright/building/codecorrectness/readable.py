"""Failures before the first test runs: which of them a reader of the two texts could have foreseen.

A file that does not compile is a failure as good as any, if the texts show why: a name that the focal file
lacks, a type that does not fit, a bracket. A library that is not on this machine is not in the texts.
"""

from __future__ import annotations

import re

from benchwright.building.codecorrectness.nouns import Candidate
from benchwright.lang.source import syntax_fault

EARLY = ("compile", "import")  # kinds of failure before the first test
SYNTAX = "syntax"
_MAX_DETAIL = 4000
_NOT_IMPORTED = re.compile(
    r"ImportError: cannot import name '(\w{1,200})' from '[\w.]{1,200}' \((.{1,300})\)"
)
_PLACE = re.compile(r"[\w./$-]{1,300}\.(?:go|java):\d{1,7}(?::\d{1,7})?: ")
_GO = (
    *("declared and not used", "imported and not used", "imported as", "cannot use", "not enough arguments"),
    *("too many arguments", "missing return", "mismatched types", "assignment mismatch", "redeclared"),
    *("has no field or method", "does not implement", "non-boolean", "invalid operation", "cannot assign"),
)
_GO_UNDEFINED = re.compile(r"undefined: \w+$")  # with a dot it is a package's: of another version of Go
_JAVA = (
    *("incompatible types", "missing return statement", "might not have been initialized", "already defined"),
    *("cannot be applied to", "does not override", "unreported exception", "bad operand type"),
    *("unreachable statement", "cannot assign a value to final", "never thrown in body"),
)
_MAY_BE_A_CLASS = re.compile(r"symbol: +variable [A-Z]")  # in another file of the package
_JAVA_LOCATION = re.compile(
    r"cannot find symbol.{0,300}?location: (?:variable \w+ of type |\w+ )([\w.]{1,200})"
)


def kind_of_failure(candidate: Candidate, kind: str) -> str:
    """The kind as rows have it: a compiler that stumbles over the grammar is told as "syntax"."""
    if kind != "compile":
        return kind
    codes = (candidate.focal_code, candidate.test_code)
    return SYNTAX if any(syntax_fault(code, candidate.lang) is not None for code in codes) else kind


def is_readable(candidate: Candidate, kind: str, detail: str) -> bool:
    """Whether the two texts show why nothing was run. `detail`: the first errors, as reported.

    False for a language whose error messages no rule here reads: its pair is dropped, not labelled.
    """
    if kind not in EARLY:
        return False
    told = detail[:_MAX_DETAIL]
    if candidate.lang == "Python":
        return _is_name_that_lacks(candidate, told)
    errors = [error for each in _PLACE.split(told) if (error := each.strip(" ;\r\n\t"))]
    check = {"Go": _go_shows, "Java": _java_shows}.get(candidate.lang)
    if check is None or not _PLACE.search(told):
        return False
    return all(check(candidate, each) for each in errors)


def _is_name_that_lacks(candidate: Candidate, told: str) -> bool:
    """A name imported from the focal file that is nowhere in it."""
    match = _NOT_IMPORTED.search(told)
    if match is None or not candidate.focal_path.endswith(match[2].rpartition("/")[2]):
        return False
    code = candidate.focal_code
    return re.search(rf"\b{match[1]}\b", code) is None and "import *" not in code


def _go_shows(_: Candidate, error: str) -> bool:
    return _GO_UNDEFINED.search(error) is not None or any(part in error for part in _GO)


def _java_shows(candidate: Candidate, error: str) -> bool:
    """A type's own rules, or a member that a class of the two files does not have."""
    if any(part in error for part in _JAVA):
        return True
    match = _JAVA_LOCATION.search(error)
    if match is None or _MAY_BE_A_CLASS.search(error):
        return False
    declared = re.compile(
        rf"\b(?:class|interface|enum|record)\s{{1,9}}{re.escape(match[1].rpartition('.')[2])}\b"
    )
    return any(declared.search(code) for code in (candidate.focal_code, candidate.test_code))
