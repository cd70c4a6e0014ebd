"""The peers' own Python environment, made once in benchmarks/.peers and nowhere else."""

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
from benchwright.sandbox.machine_probes import optimized_build

HERE = Path(__file__).resolve().parent
FOLDER = HERE / ".peers" / "python"  # beside other things that are made once
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
        FOLDER.parent.mkdir(exist_ok=True)
        for command in _install_commands():
            _install(command)
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


def _install(command: Sequence[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        last = "\n".join(done.stderr.strip().splitlines()[-5:])
        raise PrerequisiteError(
            f"the peers could not be installed into benchmarks/.peers:\n{last}",
            hint=f"{sys.executable} -m pip download --no-deps -r {REQUIREMENTS}   must work",
        )


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
