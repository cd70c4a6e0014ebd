"""Choice of the jail, and the launcher's configuration."""

from __future__ import annotations

import marshal
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchwright.errors import PrerequisiteError, UsageError
from benchwright.sandbox import environments
from benchwright.sandbox.environments import Environment
from benchwright.sandbox.limits import Limits

JAILS = ("bubblewrap", "native")
INSIDE = Path(__file__).parent / "inside"
BOUND_AT = "/bw/inside"
NOBODY = 65534
_START = "import sys; sys.path[:0] = {path!r}; from inside.{module} import main; main({arguments})"

# OpenBLAS and OpenMP would start threads before the first fork. A fixed time zone, and the hash seed of the
# profile, make executions of an answer repeatable. Libraries bind their symbols when they are loaded, which
# otherwise each answer would do; the zygote removes that variable again.
ENVIRONMENT = {
    "PATH": "/usr/bin:/bin",
    "HOME": "/tmp",
    "LANG": "C.UTF-8",
    "LD_BIND_NOW": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
}


def find_bubblewrap() -> str | None:
    """Find bubblewrap on PATH. Not with shutil.which, whose import loads three compression libraries."""
    for folder in os.get_exec_path():
        path = os.path.join(folder, "bwrap")
        if os.access(path, os.X_OK) and os.path.isfile(path):
            return path
    return None


def choose_jail(wanted: str = "auto") -> str:
    """Return the jail to use: by default bubblewrap if it is installed, else native."""
    if wanted == "auto":
        return "bubblewrap" if find_bubblewrap() else "native"
    if wanted not in JAILS:
        raise UsageError(f"unknown jail: {wanted}", hint=f"one of: auto, {', '.join(JAILS)}")
    if wanted == "bubblewrap" and not find_bubblewrap():
        raise PrerequisiteError("bubblewrap is not installed", hint="apt-get install bubblewrap")
    return wanted


def launcher_command(config: dict[str, Any]) -> list[str]:
    """Return the command that builds the jail and becomes the zygote."""
    start = _START.format(path=[str(INSIDE.parent)], module="launcher", arguments="sys.argv[1]")
    return [str(environments.interpreter()), "-I", "-S", "-c", start, marshal.dumps(config).hex()]


def launcher_config(
    jail: str,
    environment: Environment,
    limits: Limits,
    *,
    control: int,
    cgroups: list[str],
    compiled: Path | None = None,
) -> dict[str, Any]:
    """Return the launcher's configuration as plain values. `compiled`: file of the zygote's compiled loop."""
    return {
        "jail": jail,
        "bwrap": find_bubblewrap(),
        "binds": _binds(environment),
        "modules": _modules(environment),
        "object": str(compiled or ""),
        "masks": environments.interpreter_masks(),
        "links": environments.root_links(),
        "command": _zygote_command(environment, limits),
        "env": {**ENVIRONMENT, **dict(environment.variables), **_variables(environment)},
        "scratch": environment.scratch,
        "uid": unprivileged_id("BENCHWRIGHT_UID"),
        "gid": unprivileged_id("BENCHWRIGHT_GID"),
        "control": control,
        "cgroups": cgroups,
    }


def _variables(environment: Environment) -> dict[str, str]:
    shift = {"CLOCK_SHIFT": str(environment.clock_shift_s)} if environment.clock_shift_s else {}
    return {"TZ": environment.timezone, "PYTHONHASHSEED": str(environment.hash_seed), **shift}


def _modules(environment: Environment) -> list[tuple[str, str]]:
    """Return our modules for the zygote, one by one, so that a stray file stays outside."""
    suites = any(name.startswith("inside.suite") for name in environment.preload)
    clock = "suite_clock" if environment.clock_shift_s else ""
    paths = (
        path
        for path in sorted(INSIDE.glob("*.py"))
        if suites or path.stem == clock or not path.name.startswith("suite")
    )
    return [(str(path), f"{BOUND_AT}/{path.stem}.pyc") for path in paths if path.stem != "launcher"]


def _binds(environment: Environment) -> list[tuple[str, str]]:
    own = _outside_wider(environments.interpreter_binds(), environment.binds)
    own_places = [path for _, path in own]
    added = [bind for bind in environment.binds if not _lies_in(bind[1], own_places)]
    return [*own, *environments.site_binds(environment), *added]


def _outside_wider(own: Sequence[tuple[str, str]], added: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Drop binds that an added wider folder shows already at the same path.

    The wider bind would hide such a mount, and a hidden mount cannot be made read-only.
    """
    wider = [folder for source, folder in added if source == folder]
    return [bind for bind in own if not any(bind[1].startswith(f"{folder}/") for folder in wider)]


def _lies_in(path: str, folders: list[str]) -> bool:
    return any(path == folder or path.startswith(f"{folder}/") for folder in folders)


def unprivileged_id(variable: str) -> int:
    """Return the user or group id that root assumes before it builds a jail."""
    return int(os.environ.get(variable, NOBODY))


def _zygote_command(environment: Environment, limits: Limits) -> list[str]:
    start = _START.format(path=["/bw", environments.SITE], module="zygote", arguments="sys.argv[1:]")
    file_mb = max(1, limits.output_bytes >> 20)
    memory_mb = limits.memory_mb + environment.memory_mb if environment.address_limit else 0
    proc = "kernel" if environment.kernel_files else "processes"
    settings = [
        limits.tmp_mb, memory_mb, file_mb, limits.processes, environment.open_files, limits.namespaces, proc
    ]  # fmt: skip
    # Not -I, which ignores all variables, including the hash seed; the jail has only its own anyway.
    flags = ["-P", "-s", "-S", "-B", "-c"]
    return [str(environments.interpreter()), *flags, start, *map(str, settings), *environment.preload]


def python_version() -> str:
    """Return the version of the interpreter that runs answers."""
    return ".".join(map(str, sys.version_info[:3]))
