"""How many examples the property tests try: few enough for every run, as many as you like on request."""

from __future__ import annotations

import os

SCALE = float(os.environ.get("BENCHWRIGHT_EXAMPLES", "1"))
USUAL = 40


def examples(number: int) -> int:
    """So many examples, times BENCHWRIGHT_EXAMPLES."""
    return max(1, round(SCALE * number))
