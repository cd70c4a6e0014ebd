"""Java compiler errors that the focal file and its test explain."""

from __future__ import annotations

import re

from benchwright.lang.companions import PairTexts
from benchwright.lang.compile_errors import compile_errors

_SHOWN = (
    *("incompatible types", "missing return statement", "might not have been initialized", "already defined"),
    *("cannot be applied to", "does not override", "unreported exception", "bad operand type"),
    *("unreachable statement", "cannot assign a value to final", "never thrown in body"),
)
_MAY_BE_A_CLASS = re.compile(r"symbol: +variable [A-Z]")  # in another file of the package
_LOCATION = re.compile(r"cannot find symbol.{0,300}?location: (?:variable \w+ of type |\w+ )([\w.]{1,200})")


def java_shows_why(pair: PairTexts, errors: str) -> bool:
    """Return whether all errors break rules of a type, or use members that a class in the two files lacks."""
    found = compile_errors(errors, ".java")
    return bool(found) and all(_is_shown(pair, each) for each in found)


def _is_shown(pair: PairTexts, error: str) -> bool:
    if any(part in error for part in _SHOWN):
        return True
    match = _LOCATION.search(error)
    if match is None or _MAY_BE_A_CLASS.search(error):
        return False
    declared = re.compile(
        rf"\b(?:class|interface|enum|record)\s{{1,9}}{re.escape(match[1].rpartition('.')[2])}\b"
    )
    return any(declared.search(code) for code in (pair.focal_code, pair.test_code))
