"""Environments that are created once in benchmarks/.peers: the peers', and ours on other interpreters."""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from benchmarks.dataset import REPOSITORY
from benchwright.errors import PrerequisiteError
from benchwright.sandbox.environments import interpreter
from benchwright.sandbox.machine_probes import ASKED, SYSTEM, optimized_build, other_interpreters

HERE = Path(__file__).resolve().parent
PEERS = HERE / ".peers"
FOLDER = PEERS / f"python-{platform.python_version()}{'-optimized' if optimized_build() else ''}"
DRIVERS = HERE / "peers"
REQUIREMENTS = DRIVERS / "requirements.txt"
PYTHON = FOLDER / "bin" / "python"
STAMP = FOLDER / "installed.sha256"


class Machine(msgspec.Struct, frozen=True, kw_only=True):
    """What a figure depends on besides the code. No paths, no host name."""

    cpu: str
    cores: int
    kernel: str
    python: str
    memory_gib: float
    load: float
    build: str = ""  # what says that Python was built for speed


def ensure_peers() -> Path:
    """The Python that has the pinned peers, installed at first use or when the pins change."""
    wanted = hashlib.sha256(REQUIREMENTS.read_bytes()).hexdigest()
    if not (STAMP.is_file() and STAMP.read_text() == wanted):
        print("installing the pinned peers into benchmarks/.peers (once)", file=sys.stderr)
        PEERS.mkdir(exist_ok=True)
        for command in _install_commands():
            _install(command, f"{sys.executable} -m pip download --no-deps -r {REQUIREMENTS}   must work")
        STAMP.write_text(wanted)
    return PYTHON


def _install_commands() -> list[list[str]]:
    requirements = ["--no-deps", "-r", str(REQUIREMENTS)]
    uv = find_uv()
    if uv is not None:
        return [
            [uv, "venv", "--quiet", "--clear", "--python", sys.executable, str(FOLDER)],
            [uv, "pip", "install", "--quiet", "--python", str(PYTHON), *requirements],
        ]
    return [
        [sys.executable, "-m", "venv", "--clear", str(FOLDER)],
        [str(PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *requirements],
    ]


def find_uv() -> str | None:
    """The uv that `./run` installed, else the one on PATH, else None."""
    own = REPOSITORY / ".uv" / "bin" / "uv"
    return str(own) if os.access(own, os.X_OK) else shutil.which("uv")


def _install(command: Sequence[str], hint: str, **variables: str) -> None:
    environ = {**os.environ, **variables}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environ)
    if done.returncode:
        last = "\n".join(done.stderr.strip().splitlines()[-5:])
        raise PrerequisiteError(f"installation into benchmarks/.peers failed:\n{last}", hint=hint)


def ensure_build(*, optimized: bool) -> Path:
    """A Python of this build that has Benchwright: this one, else an environment of another on PATH.

    Raises PrerequisiteError if there is none.
    """
    if bool(optimized_build()) == optimized:
        return Path(sys.executable)
    kind = "with" if optimized else "without"
    found = [path for path in other_interpreters(interpreter()) if is_optimized(path) == optimized]
    uv = find_uv()
    if not found or uv is None:
        what = f"Python {kind} profile-guided optimization on PATH" if uv else "uv"
        raise PrerequisiteError(f"no {what}", hint="PYTHON=/path/to/it ./run bench page")
    folder = PEERS / f"ours-{kind}-optimization"
    print(f"installing Benchwright for {found[0]} into benchmarks/.peers", file=sys.stderr)
    sync = [uv, "sync", "--quiet", "--locked", "--python", str(found[0]), "--directory", str(REPOSITORY)]
    _install(sync, " ".join(sync), UV_PROJECT_ENVIRONMENT=str(folder))
    return folder / "bin" / "python"


def is_optimized(path: Path) -> bool:
    """As `optimized_build`, of another interpreter."""
    program = "import sysconfig; print(sysconfig.get_config_var('CONFIG_ARGS'))"
    done = subprocess.run([str(path), "-I", "-c", program], capture_output=True, text=True, check=False)
    return ASKED in done.stdout or path.parent == SYSTEM


def versions() -> dict[str, str]:
    """The pinned version of every package of the peers' environment."""
    lines = REQUIREMENTS.read_text("utf-8").splitlines()
    pins = [line.split("==") for line in lines if "==" in line and not line.startswith("#")]
    return {name.strip(): version.strip() for name, version in pins}


def describe() -> Machine:
    """This machine, now."""
    return Machine(
        cpu=_field("/proc/cpuinfo", "model name"),
        cores=len(os.sched_getaffinity(0)),
        kernel=platform.release(),
        python=platform.python_version(),
        memory_gib=round(int(_field("/proc/meminfo", "MemTotal").split()[0]) / 1024**2, 1),
        load=round(os.getloadavg()[0], 2),
        build=optimized_build(),
    )


def _field(file: str, name: str) -> str:
    for line in Path(file).read_text("utf-8").splitlines():
        key, _, value = line.partition(":")
        if key.strip() == name:
            return value.strip()
    return "unknown"
