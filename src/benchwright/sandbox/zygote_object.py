"""The compiled part of a zygote: which file of this package it is, and whether it may be used here.

It is machine code without a libc, so one file serves every version of Python and of Linux on x86-64.
On other machines, or if the file is not the one that was built, the zygote runs the same steps in Python.
"""

from __future__ import annotations

import os
from binascii import crc32  # not hashlib: its import takes longer than the start of a jail may
from pathlib import Path
from typing import NamedTuple

from benchwright.errors import UsageError
from benchwright.sandbox.inside import linux

FOLDER = Path(__file__).parent / "compiled"
MACHINE = "x86_64"  # as uname(2) names it
OBJECT = f"zygote-{MACHINE}.so"
SUMS = "sums.txt"
VARIABLE = "BENCHWRIGHT_ZYGOTE"
_CHOICES = ("", "compiled", "python")
_AGAIN = "pip install --force-reinstall --no-deps benchwright"


class ZygoteObject(NamedTuple):
    """The file to use; or None, why, and what helps."""

    path: Path | None
    why: str = ""
    hint: str = ""


def find_object() -> ZygoteObject:
    """What a zygote started now would be given. Raises UsageError for a choice that there is not."""
    choice = os.environ.get(VARIABLE, "")
    if choice not in _CHOICES:
        raise UsageError(
            f"{VARIABLE} is {choice!r}, and may be {' or '.join(_CHOICES[1:])}", hint=f"unset {VARIABLE}"
        )
    if choice == "python":
        return ZygoteObject(None, f"{VARIABLE}=python turns it off", f"unset {VARIABLE}")
    if linux.MACHINE != MACHINE:
        return ZygoteObject(None, f"none is shipped for {linux.MACHINE}")
    return _checked(FOLDER / OBJECT)


def sum_line(name: str, content: bytes) -> str:
    """The line of sums.txt for a file: CRC-32 as zlib has it, size in bytes, name.

    It finds damage, not malice: who can write this file can write all else of the package.
    """
    return f"{crc32(content)} {len(content)} {name}"


def _checked(path: Path) -> ZygoteObject:
    try:
        known = (FOLDER / SUMS).read_bytes().splitlines()
        line = sum_line(path.name, path.read_bytes())
    except OSError as error:
        return ZygoteObject(None, f"{path} cannot be checked: {error}", _AGAIN)
    if line.encode() not in known:
        return ZygoteObject(None, f"{path} is damaged: its sum is not in {SUMS}", _AGAIN)
    return ZygoteObject(path)
