"""Identity of the machine for verdicts of a sandbox: interpreter, limits, jail and kernel.

Two equal identities mean the same machine since the same boot, so the result of an execution stays valid.
Files are identified by their state, including the time of its last change, which only the superuser can set;
only the interpreter itself is hashed.
"""

from __future__ import annotations

import os
import resource
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from benchwright.sandbox import environments
from benchwright.sandbox.environments import find_environment, versions
from benchwright.sandbox.jail import find_bubblewrap, unprivileged_id
from benchwright.sandbox.zygote_object import find_object

BOOT = Path("/proc/sys/kernel/random/boot_id")
_LOADER = Path("/etc/ld.so.cache")  # rewritten whenever a system library changes
_VARIABLES = ("LD_PRELOAD", "LD_LIBRARY_PATH", "MALLOC_ARENA_MAX", "GLIBC_TUNABLES")
_INHERITED = (
    *("RLIMIT_AS", "RLIMIT_DATA", "RLIMIT_STACK", "RLIMIT_FSIZE"),
    *("RLIMIT_CPU", "RLIMIT_NPROC", "RLIMIT_NOFILE", "RLIMIT_MEMLOCK"),
)
_NO_PART = ("__pycache__", "site-packages", "dist-packages", "test")


def machine(jail: str) -> dict[str, object]:
    """Return the identity of this machine for answers in a jail. Raises OSError."""
    return {
        "interpreter": interpreter_identity(),
        "jail": {"name": jail, "bubblewrap": _state(Path(find_bubblewrap() or "/nonexistent"))},
        "users": [os.geteuid(), os.getegid(), *map(unprivileged_id, ("BENCHWRIGHT_UID", "BENCHWRIGHT_GID"))],
        "inherited limits": {name: list(resource.getrlimit(getattr(resource, name))) for name in _INHERITED},
        "variables": {name: os.environ.get(name, "") for name in _VARIABLES},
        "compiled zygote": [str(part) for part in find_object()],
        "kernel": list(os.uname()),
        "boot": BOOT.read_text(encoding="ascii").strip(),
    }


def interpreter_identity() -> dict[str, object]:
    """Return the identity of the interpreter that runs answers: path, version and files."""
    path = environments.interpreter()
    return {
        "path": str(path),
        "version": sys.version,
        "executable": sha256(path.read_bytes()).hexdigest(),
        "files": [_state(each) for each in (path, _LOADER, *environments.shared_python())],
        "library": [files_identity(folder) for folder in environments.standard_library()],
    }


def profile_versions(names: set[str]) -> dict[str, dict[str, str]]:
    """Return the versions in dependency profiles. Raises UsageError and PrerequisiteError."""
    return {name: versions(find_environment(name)) for name in sorted(names)}


def files_identity(folder: Path, *, left_out: tuple[str, ...] = _NO_PART) -> str:
    """Return a digest of the states of all files in a folder and below; contents are not read."""
    return sha256(repr(sorted(_files(str(folder), left_out))).encode()).hexdigest()


def _files(folder: str, left_out: tuple[str, ...]) -> Iterator[tuple[str, int, int, int, int]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name in left_out:
                continue
            if entry.is_dir(follow_symlinks=False):
                yield from _files(entry.path, left_out)
            else:
                state = entry.stat(follow_symlinks=False)
                yield entry.path, state.st_size, state.st_mtime_ns, state.st_ctime_ns, state.st_ino


def _state(path: Path) -> list[object]:
    """Return the state of the file at a path, following links; only the path if there is none."""
    try:
        state = path.stat()
    except FileNotFoundError:
        return [str(path)]
    return [str(path), state.st_size, state.st_mtime_ns, state.st_ctime_ns, state.st_ino, state.st_dev]
