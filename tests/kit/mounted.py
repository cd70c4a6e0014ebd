"""Runs programs with something mounted: a small disk, or a file that nobody may write."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from kit.needs import need_that
from kit.processes import HANG_S


def mounted(mounting: str, program: str, folder: Path) -> str:
    """Return the output of a program that is run with a mount, as root of its own namespace."""
    script = f"{mounting} && exec {sys.executable} -c '{program}' {folder}"
    done = subprocess.run(
        ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script],
        capture_output=True,
        text=True,
        check=False,
        timeout=HANG_S,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},  # programs import these helpers too
    )
    forbidden = "mount" in done.stderr or "unshare" in done.stderr
    need_that(not forbidden, f"no small file system can be made here: {done.stderr.strip()}")
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout
