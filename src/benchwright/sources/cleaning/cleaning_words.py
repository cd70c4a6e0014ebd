"""Word lists of the cleaning of texts, read from `cleaning_words.toml`."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path


def cleaning_words(name: str) -> frozenset[str]:
    """The words of one list."""
    return frozenset(_lists()[name])


@cache
def _lists() -> dict[str, list[str]]:
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
