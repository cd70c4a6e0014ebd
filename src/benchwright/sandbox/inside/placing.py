"""The files and links that an answer is given: made in its own /tmp before anything of it is loaded.

The trusted side has checked every path (`sandbox.input_files`), so nothing here decides.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

HOME = "/tmp"


def place(files: Mapping[str, bytes], links: Mapping[str, str]) -> None:
    """Write the files, then make the links: path below HOME, and what it points to. Raises OSError."""
    for path, content in files.items():
        with open(_ready(path), "wb") as file:
            file.write(content)
    for path, target in links.items():
        os.symlink(target, _ready(path))


def _ready(path: str) -> str:
    """The whole path, whose folder is there."""
    place = f"{HOME}/{path}"
    os.makedirs(os.path.dirname(place), exist_ok=True)
    return place
