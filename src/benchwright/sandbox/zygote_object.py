"""The compiled part of a zygote: which file of this package it is, and whether it may be used here.

It is machine code without a libc, so one file serves every version of Python and of Linux on its machine. Where
there is none, or it is not what was built, a zygote does the same in Python.
"""

from __future__ import annotations

import os
from binascii import crc32  # not hashlib: its import takes longer than the start of a jail gains
from pathlib import Path
from typing import NamedTuple

from benchwright.errors import UsageError
from benchwright.sandbox.inside import linux

FOLDER = Path(__file__).parent / "compiled"
VARIABLE = "BENCHWRIGHT_ZYGOTE"
_CHOICES = ("", "compiled", "python")


class ZygoteObject(NamedTuple):
    """The file to use, or None and why."""

    path: Path | None
    why: str = ""
    damaged: bool = False


def find_object() -> ZygoteObject:
    """What a zygote started now would be given. Raises UsageError for a choice that there is not."""
    choice = os.environ.get(VARIABLE, "")
    if choice not in _CHOICES:
        raise UsageError(f"{VARIABLE} is {choice!r}", hint=f"export {VARIABLE}=python, or unset {VARIABLE}")
    if choice == "python":
        return ZygoteObject(None, f"{VARIABLE}=python turns it off")
    path = FOLDER / f"zygote-{linux.MACHINE}.so"
    try:
        content = path.read_bytes()
        sums = (FOLDER / "sums.txt").read_text("ascii")
    except (FileNotFoundError, UnicodeDecodeError) as error:
        return _absent(path, error)
    if sum_line(path.name, content) not in sums.splitlines():
        return ZygoteObject(None, f"{path} is not the file that was built", damaged=True)
    return ZygoteObject(path)


def sum_line(name: str, content: bytes) -> str:
    """The line of sums.txt for a file: checksum (CRC-32) and size in bytes as `cksum -o 3` has them, and name."""
    return f"{crc32(content)} {len(content)} {name}"


def _absent(path: Path, error: Exception) -> ZygoteObject:
    if path.exists():
        return ZygoteObject(None, f"{path} has no sum to be checked against: {error}", damaged=True)
    return ZygoteObject(None, f"there is none for {linux.MACHINE}")
