"""Installation of dependency profiles with a lock file, by pip, each into its own folder."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec

from benchwright.errors import PrerequisiteError, UsageError, setup_command
from benchwright.sandbox.profiles import (
    MARK,
    NAMED,
    InstalledPackages,
    installed_packages,
    lock_digest,
    lock_file,
    profiles_folder,
    python_build,
)

CPU_BUILDS = "https://download.pytorch.org/whl/cpu"  # PyTorch's own index: its CPU builds are on no other
_PYTHONS = ((3, 11), (3, 12), (3, 13))
_MACHINES = ("x86_64", "aarch64")
_NO_BUILD = "No matching distribution found for torch"


def install_packages(name: str, python: Path, *, tell: Callable[[str], None]) -> InstalledPackages:
    """Install a profile's packages, if missing, with the pip of the interpreter that runs answers.

    Raises UsageError for an unknown name, and PrerequisiteError if the lock file cannot be installed here.
    """
    if name not in NAMED:
        raise UsageError(f"no dependency profile {name!r} has a lock", hint=f"one of: {', '.join(NAMED)}")
    try:
        return installed_packages(name)
    except PrerequisiteError:
        _check_platform(name)
    folder = profiles_folder() / name
    staged = folder.with_name(f".{name}-{os.getpid()}")
    tell(f"installing {len(_locked(name))} packages into {folder}")
    try:
        _pip(name, python, staged)
        _mark(name, staged)
        shutil.rmtree(folder, ignore_errors=True)
        staged.rename(folder)
    finally:
        shutil.rmtree(staged, ignore_errors=True)
    return installed_packages(name)


def _locked(name: str) -> list[str]:
    lines = lock_file(name).read_text(encoding="utf-8").splitlines()
    return [line.split()[0] for line in lines if "==" in line and not line.startswith(("#", " "))]


def _check_platform(name: str) -> None:
    here = (platform.python_implementation(), sys.platform, platform.machine() in _MACHINES)
    if here != ("CPython", "linux", True) or sys.version_info[:2] not in _PYTHONS:
        raise PrerequisiteError(
            f"the lock of dependency profile {name!r} holds for CPython 3.11 to 3.13 on Linux "
            f"(x86-64, AArch64), and this is {platform.python_implementation()} {platform.python_version()} "
            f"on {platform.system()} ({platform.machine()})",
            hint=f"run it with another Python: PYTHON=python3.11 {setup_command(name)}",
        )


def _pip(name: str, python: Path, target: Path) -> None:
    """Install the packages of the lock file; CPU builds missing in pip's indexes are from PyTorch's index."""
    target.parent.mkdir(parents=True, exist_ok=True)
    complaint = _run_pip(name, python, target)
    if _NO_BUILD in complaint:
        shutil.rmtree(target, ignore_errors=True)
        complaint = _run_pip(name, python, target, "--extra-index-url", CPU_BUILDS)
    if complaint:
        raise PrerequisiteError(
            f"the lock of dependency profile {name!r} cannot be installed: {complaint}",
            hint=f"with pip and the package index at hand, once more: {setup_command(name)}",
        )


def _run_pip(name: str, python: Path, target: Path, *options: str) -> str:
    """Return the error of pip; empty on success."""
    line = [str(python), "-m", "pip", "install", "--quiet", "--no-input", "--no-deps", "--require-hashes"]
    line += [
        "--only-binary",
        ":all:",
        "--target",
        str(target),
        "--requirement",
        str(lock_file(name)),
        *options,
    ]
    chosen = {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_ROOT_USER_ACTION": "ignore", "PIP_USER": "0"}
    done = subprocess.run(
        line, env={**os.environ, **chosen}, capture_output=True, text=True, errors="replace", check=False
    )
    if done.returncode == 0:
        return ""
    said = [text for text in done.stderr.splitlines() if text.strip() and not text.startswith("WARNING")]
    errors = [text.removeprefix("ERROR: ") for text in said if text.startswith("ERROR")]
    return (errors or said or [f"pip ended with status {done.returncode}"])[-1]


def _mark(name: str, folder: Path) -> None:
    from importlib.metadata import distributions  # noqa: PLC0415 (40 ms to import)

    packages = {each.name.lower(): each.version for each in distributions(path=[str(folder)])}
    found = InstalledPackages(
        lock=lock_digest(name), python=python_build(), packages=dict(sorted(packages.items()))
    )
    (folder / MARK).write_bytes(msgspec.json.format(msgspec.json.encode(found)))
