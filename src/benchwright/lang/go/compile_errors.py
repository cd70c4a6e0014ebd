"""Go compiler errors that the focal file and its test explain."""

from __future__ import annotations

import re

from benchwright.lang.companions import PairTexts
from benchwright.lang.compile_errors import compile_errors

_SHOWN = (
    *("declared and not used", "imported and not used", "imported as", "cannot use", "not enough arguments"),
    *("too many arguments", "missing return", "mismatched types", "assignment mismatch", "redeclared"),
    *("has no field or method", "does not implement", "non-boolean", "invalid operation", "cannot assign"),
)
_UNDEFINED = re.compile(r"undefined: \w+$")  # with a dot it is a package's name, from another version of Go


def go_shows_why(pair: PairTexts, errors: str) -> bool:
    """Return whether the two files explain all errors."""
    found = compile_errors(errors, ".go")
    return bool(found) and all(
        _UNDEFINED.search(each) is not None or any(part in each for part in _SHOWN) for each in found
    )
