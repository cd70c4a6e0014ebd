"""Run other programs, and report their failures."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path


class ToolError(Exception):
    """A tool failed; the message is the reason."""


def output(command: Sequence[str], folder: Path, name: str) -> str:
    """Run a program in a folder and return its output. Raises ToolError with its error output."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, encoding="utf-8")
    if done.returncode:
        raise ToolError(f"{name}: {done.stderr.strip() or f'exit code {done.returncode}'}")
    return done.stdout


def git(folder: Path, *arguments: str) -> str:
    """Run a git command in a folder and return its output. Raises ToolError."""
    return output(["git", *arguments], folder, f"git {arguments[0]}")
