"""The number of examples of the property tests: few by default, more on request."""

from __future__ import annotations

import os

SCALE = float(os.environ.get("BENCHWRIGHT_EXAMPLES", "1"))
USUAL = 40


def examples(number: int) -> int:
    """Return this number of examples, times BENCHWRIGHT_EXAMPLES."""
    return max(1, round(SCALE * number))
