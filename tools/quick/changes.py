"""Changed files: commits since a base, the work tree, or one commit."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from tools.commands import ToolError, git

UPSTREAM = "origin/main"


class Changes(NamedTuple):
    """Paths relative to the root, and their base."""

    paths: tuple[str, ...]
    since: str


def default_base(root: Path) -> str:
    """Return the merge base with `origin/main`; without that branch, the commit before HEAD."""
    try:
        return git(root, "merge-base", UPSTREAM, "HEAD").strip()
    except ToolError:
        return git(root, "rev-parse", "HEAD~1").strip()


def since(root: Path, base: str) -> Changes:
    """Return files that differ between a commit and the work tree, including deleted and untracked ones."""
    tracked = _paths(git(root, "diff", "--name-only", "--no-renames", "-z", base))
    untracked = _paths(git(root, "ls-files", "--others", "--exclude-standard", "-z"))
    return Changes(tuple(sorted(tracked | untracked)), f"{_short(root, base)} and the work tree")


def of_commit(root: Path, commit: str) -> Changes:
    """Return files that one commit changed against its first parent."""
    paths = _paths(git(root, "diff", "--name-only", "--no-renames", "-z", f"{commit}^1", commit))
    return Changes(tuple(sorted(paths)), f"the first parent of {_short(root, commit)}")


def _short(root: Path, commit: str) -> str:
    return git(root, "rev-parse", "--short", commit).strip()


def _paths(printed: str) -> set[str]:
    return {path for path in printed.split("\0") if path}
