"""Packages of dependency profiles with a lock file: their folders, and checks against the lock file.

Large libraries are not part of Benchwright's own environment. Each such profile has a folder with all its
packages, at the versions and hashes of its lock file, which the jail mounts.
"""

from __future__ import annotations

import contextlib
import os
import sysconfig
from pathlib import Path

import msgspec

from benchwright.errors import DataError, PrerequisiteError, setup_command
from benchwright.records import Record

LOCKS = Path(__file__).parent / "locks"
FOLDER_VARIABLE = "BENCHWRIGHT_PROFILES"
NAMED = {  # the packages by which a profile is known
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


class Twins(Record, frozen=True, kw_only=True):
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


def made_twins(folder: Path) -> dict[str, Twins]:
    """Read the substitute models in a folder, by id. Raises DataError for an unreadable list."""
    place = folder / TWINS_MANIFEST
    try:
        return {each.id: each for each in msgspec.json.decode(place.read_bytes(), type=list[Twins])}
    except FileNotFoundError:
        return {}
    except (OSError, msgspec.MsgspecError) as error:
        raise DataError(f"unreadable list of models: {error}", path=str(place), hint=f"rm {place}") from None


def twin_digests(name: str) -> dict[str, str]:
    """Return digests of a profile's substitute models, by the ids in programs. Raises DataError."""
    found = made_twins(twins_folder(name) or Path()) if name in WITH_MODELS else {}
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
