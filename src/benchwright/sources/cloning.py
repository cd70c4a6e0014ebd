"""Cloning from an address in a separate process, with limits on time and output.

Servers are untrusted. Native code unpacks their packs and trusts the sizes in them, and a server that sends a
byte a minute never exceeds an idle timeout. So a child process clones, with limits on memory, file size and
time, and without the credentials of the environment.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import msgspec

from benchwright.display.escape import escaped_name, escaped_path
from benchwright.sources.clones import CloneError, load_pygit2, without_password

TOO_LARGE = 4  # exit code of the child
_CHILD = (sys.executable, "-P", "-m", "benchwright.sources.cloning_child")
_LOCALE = ("HOME", "PATH", "LANG", "LC_ALL", "TMPDIR", "XDG_CONFIG_HOME")
_PYTHON = ("PYTHONPATH", "PYTHONHOME", "LD_LIBRARY_PATH")
_NETWORK = ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy", "NO_PROXY", "no_proxy")
_KEPT_VARIABLES = (*_LOCALE, *_PYTHON, *_NETWORK, "SSL_CERT_FILE", "SSL_CERT_DIR")


class CloneLimits(NamedTuple):
    """The limits of one clone. A shallow clone of a large repository has about 100 MB."""

    bytes: int = 1 << 30
    seconds: float = 600.0
    depth: int = 1  # commits of its history; 0 for all
    references: tuple[str, ...] = ()  # patterns of references to fetch, such as "refs/pull/*/head"


class CloneRequest(msgspec.Struct, frozen=True):
    """The request to the child on standard input, since an address may contain a password."""

    address: str
    folder: str
    max_bytes: int
    seconds: float
    commit: str = ""
    depth: int = 1
    references: tuple[str, ...] = ()


def clone(address: str, target: Path, *, commit: str | None, limits: CloneLimits) -> None:
    """Clone next to the target, then rename, so that a partial clone is never used. Raises CloneError."""
    load_pygit2()  # raises PrerequisiteError if it is missing
    half = target.with_name(f".{target.name}.half")
    shutil.rmtree(half, ignore_errors=True)
    half.parent.mkdir(parents=True, exist_ok=True)
    wish = CloneRequest(
        address,
        str(half),
        max_bytes=limits.bytes,
        seconds=limits.seconds,
        commit=commit or "",
        depth=limits.depth,
        references=limits.references,
    )
    try:
        _ask(wish, limits)
        half.rename(target)
    finally:
        shutil.rmtree(half, ignore_errors=True)


def _ask(wish: CloneRequest, limits: CloneLimits) -> None:
    where = escaped_path(without_password(wish.address))
    try:
        done = subprocess.run(
            _CHILD,
            input=msgspec.json.encode(wish),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env={name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ},
            timeout=limits.seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        message = f"{where} was not cloned within {limits.seconds:g} s"
        raise CloneError(message, reason="clone_too_slow") from None
    if done.returncode == TOO_LARGE:
        raise CloneError(f"{where} has more than {limits.bytes:,} bytes", reason="clone_too_large")
    if done.returncode:
        raise CloneError(
            f"{where} cannot be cloned: {_git_error(done)}", reason="not_cloned", hint="check the address"
        )


def _git_error(done: subprocess.CompletedProcess[bytes]) -> str:
    if done.returncode < 0:
        return f"the process that clones was stopped by signal {-done.returncode}"
    lines = done.stderr.decode("utf-8", "replace").split("\n")
    return escaped_name(next((line for line in reversed(lines) if line.strip()), "no reason given"), 300)
