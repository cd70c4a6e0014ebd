"""Clones of the sample repositories: `python -m benchwright.demo.repositories FOLDER` writes them."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from benchwright.demo.git_history import make_clone

HISTORIES = Path(__file__).with_name("mera") / "repositories"


def make_clones(folder: Path) -> list[Path]:
    """Write a bare clone of each sample repository into FOLDER; the same files give the same commits."""
    clones = []
    for history in sorted(HISTORIES.glob("*.json")):
        place = folder / history.stem
        place.mkdir(parents=True, exist_ok=True)
        make_clone(history, place)
        clones.append(place)
    for settings in sorted(HISTORIES.glob("*.toml")):
        shutil.copyfile(settings, folder / settings.name)
    return clones


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m benchwright.demo.repositories FOLDER")
    for path in make_clones(Path(sys.argv[1])):
        sys.stdout.write(f"{path}\n")
