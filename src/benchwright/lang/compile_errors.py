"""Errors as compilers print them, each behind its place in a file."""

from __future__ import annotations

import re


def compile_errors(output: str, suffix: str) -> list[str]:
    """The errors without their places, in files with this suffix, such as ".go"; none without a place."""
    place = re.compile(rf"[\w./$-]{{1,300}}{re.escape(suffix)}:\d{{1,7}}(?::\d{{1,7}})?: ")
    if place.search(output) is None:
        return []
    return [error for each in place.split(output) if (error := each.strip(" ;\r\n\t"))]
