"""Where bytecode lies in the jail, for those who make it outside and those who load it inside."""

from __future__ import annotations

PLACE = "/bytecode"
SITE = "/site"  # whose modules have some


def name_of(path: str) -> str:
    """The file for a source at this path in the jail."""
    return path.strip("/").replace("/", "!")
