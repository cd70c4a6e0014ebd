"""Write the files of a report: whole or not at all, and never over something that is not a regular file."""

from __future__ import annotations

import stat
from collections.abc import Iterable
from pathlib import Path

from benchwright.display.escape import escaped_path, quoted
from benchwright.errors import RunError, UsageError
from benchwright.report.answers import Packed
from benchwright.store.writing import replacing, write_error


def check_target(path: Path) -> None:
    """Raise an error if the path is not writable as a regular file.

    Called before any work; a link to a regular file is accepted.
    """
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        _check_folder(path.parent)
        return
    except (OSError, ValueError) as error:  # ValueError: a NUL byte in the name
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(
            f"{escaped_path(path)} cannot be written: {reason}", hint="--out report.html"
        ) from None
    if not stat.S_ISREG(mode):
        raise UsageError(
            f"{escaped_path(path)} is not a regular file and is not overwritten",
            hint="choose another name with --out",
        )


def _check_folder(folder: Path) -> None:
    if not folder.is_dir():
        raise RunError(f"{escaped_path(folder)} is not a folder", hint=f"mkdir -p {quoted(folder)}")


def make_folder(path: Path) -> None:
    """Create a folder and its parents, unless it exists."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise UsageError(
            f"{escaped_path(path)} is a file, not a folder", hint="choose another name"
        ) from None
    except OSError as error:
        raise write_error(error, path) from None


def write_file(path: Path, pieces: Iterable[bytes]) -> None:
    """Write the pieces; the file appears when all of them are written."""
    check_target(path)
    with replacing(path) as file:
        for piece in pieces:
            file.write(piece)


# Answers in files beside the report, one for each task, for runs too large to be one file. A page opened
# from disk cannot read other files, but can load them as scripts. So each file is one call with one
# argument, a base64 string, which contains no text of an answer.


def write_side(folder: Path, packed: Iterable[Packed]) -> None:
    """Write the answers to each task. Files left by a larger report are ignored."""
    make_folder(folder)
    for number, text in packed:
        line = f'benchwrightAnswers({number}, "{text}");\n'
        write_file(folder / f"{number:05d}.js", [line.encode("ascii")])
