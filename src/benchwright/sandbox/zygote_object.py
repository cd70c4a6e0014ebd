"""The compiled loop of a zygote: its file, and whether it can be used on this machine.

It is machine code without a libc, so one file works with every version of Python and Linux on x86-64. On
other machines, or if the file is damaged, the zygote runs the same steps in Python.
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
    """The file to use; or None with a reason and a hint."""

    path: Path | None
    why: str = ""
    hint: str = ""


def find_object() -> ZygoteObject:
    """Return the file for a new zygote. Raises UsageError for an invalid setting."""
    choice = os.environ.get(VARIABLE, "")
    if choice not in _CHOICES:
        raise UsageError(
            f"{VARIABLE} must be {' or '.join(_CHOICES[1:])}, not {choice!r}", hint=f"unset {VARIABLE}"
        )
    if choice == "python":
        return ZygoteObject(None, f"{VARIABLE}=python turns it off", f"unset {VARIABLE}")
    if linux.MACHINE != MACHINE:
        return ZygoteObject(None, f"none is shipped for {linux.MACHINE}")
    return _check_object(FOLDER / OBJECT)


def sum_line(name: str, content: bytes) -> str:
    """Return the line of sums.txt for a file: CRC-32 of zlib, size in bytes, name.

    It detects damage, not malice: an attacker who can write this file can write the whole package.
    """
    return f"{crc32(content)} {len(content)} {name}"


def _check_object(path: Path) -> ZygoteObject:
    try:
        known = (FOLDER / SUMS).read_bytes().splitlines()
        line = sum_line(path.name, path.read_bytes())
    except OSError as error:
        return ZygoteObject(None, f"{path} cannot be checked: {error}", _AGAIN)
    if line.encode() not in known:
        return ZygoteObject(None, f"{path} is damaged: its sum is not in {SUMS}", _AGAIN)
    return ZygoteObject(path)
