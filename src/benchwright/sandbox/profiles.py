"""Dependency profiles: lock files, installed packages, and their installation."""

from __future__ import annotations

import contextlib
import os
import platform
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path

import msgspec

from benchwright.errors import DataError, PrerequisiteError, UsageError, setup_command
from benchwright.records import Record

LOCKS = Path(__file__).parent / "locks"
FOLDER_VARIABLE = "BENCHWRIGHT_PROFILES"
NAMED = {  # the packages by which a profile is known
    "flake8": ("flake8", "pycodestyle", "pyflakes"),
    "sklearn": ("numpy", "scipy", "scikit-learn", "statsmodels", "pandas"),
    "torch": ("torch", "transformers", "tokenizers", "safetensors", "pillow", "numpy"),
}
WITH_MODELS = ("torch",)  # profiles whose programs load models by their ids
MARK = "benchwright-profile.json"
TWINS_MANIFEST = "twins.json"


class InstalledPackages(Record, frozen=True, kw_only=True):
    """Contents of a profile's folder: versions, digest of the lock file, and Python build."""

    lock: str
    python: str
    packages: dict[str, str]


class ModelTwins(Record, frozen=True, kw_only=True):
    """Both substitutes of a model: id, request, lock file, seeds, and the digest of their files.

    The id of a torch.hub model is OWNER/REPOSITORY[:REF]#ENTRY[,ENTRY…].
    """

    id: str
    kind: str
    request: str
    lock: str
    seeds: list[int]
    digest: str
    paths: list[str]  # in the folder of all twins


def profiles_folder() -> Path:
    """Return the folder of all profiles: a clone's own, else one in the user's data."""
    if chosen := os.environ.get(FOLDER_VARIABLE):
        return Path(chosen)
    data = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(data) / "benchwright" / "profiles"


def packages_folder(name: str) -> Path:
    """Return the folder of a profile's packages. Raises PrerequisiteError if it is missing or outdated."""
    installed_packages(name)
    return profiles_folder() / name


def twins_folder(name: str) -> Path | None:
    """Return the folder of substitute models of a profile; None if it has no models.

    The folder is created before the first model, so that a running jail shows later ones.
    """
    if name not in WITH_MODELS:
        return None
    folder = profiles_folder() / f"{name}-twins"
    with contextlib.suppress(FileExistsError):
        folder.mkdir(parents=True)
    return folder


def installed_twins(folder: Path) -> dict[str, ModelTwins]:
    """Read the substitute models in a folder, by id. Raises DataError for an unreadable list."""
    place = folder / TWINS_MANIFEST
    try:
        return {each.id: each for each in msgspec.json.decode(place.read_bytes(), type=list[ModelTwins])}
    except FileNotFoundError:
        return {}
    except (OSError, msgspec.MsgspecError) as error:
        raise DataError(f"unreadable list of models: {error}", path=str(place), hint=f"rm {place}") from None


def twin_digests(name: str) -> dict[str, str]:
    """Return digests of a profile's substitute models, by the ids in programs. Raises DataError."""
    found = installed_twins(twins_folder(name) or Path()) if name in WITH_MODELS else {}
    return {each.id.partition("#")[0]: each.digest for each in found.values()}  # torch.hub's with its entries


def installed_packages(name: str) -> InstalledPackages:
    """Read the installed packages of a profile. Raises PrerequisiteError with the install command."""
    hint = setup_command(name)
    place = profiles_folder() / name / MARK
    try:
        found = msgspec.json.decode(place.read_bytes(), type=InstalledPackages)
    except FileNotFoundError:
        raise PrerequisiteError(f"dependency profile {name!r} is not installed", hint=hint) from None
    except (OSError, msgspec.MsgspecError) as error:
        raise PrerequisiteError(f"cannot read {place}: {error}", hint=hint) from None
    if (found.lock, found.python) != (lock_digest(name), python_build()):
        raise PrerequisiteError(
            f"dependency profile {name!r} was installed from another lock file or for {found.python}",
            hint=hint,
        )
    return found


def lock_digest(name: str) -> str:
    """Return the SHA-256 of a profile's lock file."""
    import hashlib  # noqa: PLC0415 (most processes need none)

    return hashlib.sha256(lock_file(name).read_bytes()).hexdigest()


def lock_file(name: str) -> Path:
    """Return the lock file of a profile, in pip's format."""
    return LOCKS / f"{name}.txt"


def python_build() -> str:
    """Return implementation, version and machine, as in names of extension modules."""
    return str(sysconfig.get_config_var("SOABI"))


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
    tell(f"installing {len(_locked_packages(name))} packages into {folder}")
    try:
        _pip(name, python, staged)
        _mark(name, staged)
        shutil.rmtree(folder, ignore_errors=True)
        staged.rename(folder)
    finally:
        shutil.rmtree(staged, ignore_errors=True)
    return installed_packages(name)


def _locked_packages(name: str) -> list[str]:
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
    messages = [text for text in done.stderr.splitlines() if text.strip() and not text.startswith("WARNING")]
    errors = [text.removeprefix("ERROR: ") for text in messages if text.startswith("ERROR")]
    return (errors or messages or [f"pip ended with status {done.returncode}"])[-1]


def _mark(name: str, folder: Path) -> None:
    from importlib.metadata import distributions  # noqa: PLC0415 (40 ms to import)

    packages = {each.name.lower(): each.version for each in distributions(path=[str(folder)])}
    found = InstalledPackages(
        lock=lock_digest(name), python=python_build(), packages=dict(sorted(packages.items()))
    )
    (folder / MARK).write_bytes(msgspec.json.format(msgspec.json.encode(found)))
