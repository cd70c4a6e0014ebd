"""Split the output of a compiler into its errors."""

from __future__ import annotations

import re


def compile_errors(output: str, suffix: str) -> list[str]:
    """Return the errors without file and line. Empty without a file with the suffix, such as ".go"."""
    place = re.compile(rf"[\w./$-]{{1,300}}{re.escape(suffix)}:\d{{1,7}}(?::\d{{1,7}})?: ")
    if place.search(output) is None:
        return []
    return [error for each in place.split(output) if (error := each.strip(" ;\r\n\t"))]
