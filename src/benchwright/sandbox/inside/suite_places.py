"""Paths of bytecode in the jail, for the code that writes it outside and the code that loads it inside."""

from __future__ import annotations

PLACE = "/bytecode"
SITE = "/site"  # modules below it have bytecode


def name_of(path: str) -> str:
    """Return the file name of the bytecode for a source path in the jail."""
    return path.strip("/").replace("/", "!")
