"""Answers in files beside the report, one for each task, for runs too large to be one file.

A page opened from disk may not read other files, but it may load them as scripts. So each file is one
call with one argument, a string of base64: there is nothing in it that an answer could have written.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from benchwright.report.answers import Packed
from benchwright.report.writing import make_folder, write_file


def write_side(folder: Path, packed: Iterable[Packed]) -> None:
    """Write the answers to each task. Files that a larger report left there are not looked at any more."""
    make_folder(folder)
    for number, text in packed:
        line = f'benchwrightAnswers({number}, "{text}");\n'
        write_file(folder / f"{number:05d}.js", [line.encode("ascii")])
