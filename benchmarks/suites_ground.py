"""What the languages of `./run bench suites` share: a cache warm for both sides, and laying out a pair.

A measured process has a home of its own, so that nothing of an earlier run is in it. What a machine makes
once (compiled standard libraries, bytecode, our tools) is kept here, and made before the clock starts.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from benchwright.contracts import Suite, SuiteRunner

CACHE = Path(__file__).resolve().parent / ".peers" / "suites"


class Peer(NamedTuple):
    """What people run instead, once for each pair. `usual` lays a pair out in a folder, runs it and says
    whether it passed. `goal` where the contest's is not meant for it."""

    name: str
    title: str
    usual: Callable[[Suite, Path], bool]
    goal: str | None = None


class Contest(NamedTuple):
    """One language: a pair by its number and whether it is to pass, our runner, and its peers.

    `sampled`: how many pairs a peer is measured on. It starts anew for each, so each costs the same.
    `prepare` makes what is made once for a machine, and raises PrerequisiteError where a toolchain is absent.
    `about`: what else of the machine decides what a peer costs.
    """

    pair: Callable[[int, str], Suite]
    runner: Callable[[], SuiteRunner]
    peers: tuple[Peer, ...]
    goal: str
    sampled: int
    prepare: Callable[[], None]
    about: Callable[[], dict[str, str]] = dict


def lay_out(suite: Suite, folder: Path) -> Path:
    """Write a suite's files; the folder they are in."""
    folder.mkdir(parents=True, exist_ok=True)
    for path, text in suite.files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    return folder


def passed(command: Sequence[str], folder: Path, environment: Mapping[str, str] | None = None) -> bool:
    """Whether a command ends with status 0; what it prints is read and thrown away."""
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False)
    return done.returncode == 0
