"""Python import errors that the focal file and its test explain."""

from __future__ import annotations

import re

from benchwright.lang.companions import PairTexts

_NOT_IMPORTED = re.compile(
    r"ImportError: cannot import name '(\w{1,200})' from '[\w.]{1,200}' \((.{1,300})\)"
)


def python_shows_why(pair: PairTexts, errors: str) -> bool:
    """Return whether the test imports a name that the focal file does not contain."""
    match = _NOT_IMPORTED.search(errors)
    if match is None or not pair.focal_path.endswith(match[2].rpartition("/")[2]):
        return False
    code = pair.focal_code
    return re.search(rf"\b{match[1]}\b", code) is None and "import *" not in code
