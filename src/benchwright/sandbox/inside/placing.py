"""Writes the input files and links of an answer into its own /tmp before the answer is loaded.

The trusted side has checked every path (`sandbox.input_files`).
"""

from __future__ import annotations

import os
from collections.abc import Mapping

HOME = "/tmp"


def place(files: Mapping[str, bytes], links: Mapping[str, str]) -> None:
    """Write the files, then create the links (path below HOME to target). Raises OSError."""
    for path, content in files.items():
        with open(_ready(path), "wb") as file:
            file.write(content)
    for path, target in links.items():
        os.symlink(target, _ready(path))


def _ready(path: str) -> str:
    """Return the absolute path after creating its folder."""
    place = f"{HOME}/{path}"
    os.makedirs(os.path.dirname(place), exist_ok=True)
    return place
