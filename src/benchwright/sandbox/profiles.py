"""Packages of dependency profiles that have a lock: where they are, and whether they are the lock's.

Large libraries are not part of the package's own environment. Each such profile has a folder with all its
packages, at the versions and hashes of its lock, which the jail shows as one mount.
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
    """What is in a profile's folder: versions, by which lock (its digest), and for which Python."""

    lock: str
    python: str
    packages: dict[str, str]


class Twins(Record, frozen=True, kw_only=True):
    """Both stand-ins of an id: by which request and lock, from which seeds, and the digest of their files.

    The id of torch.hub's is OWNER/REPOSITORY[:REF]#ENTRY[,ENTRY…].
    """

    id: str
    kind: str
    request: str
    lock: str
    seeds: list[int]
    digest: str
    paths: list[str]  # in the folder of all twins


def profiles_folder() -> Path:
    """Where the packages of all profiles are: a clone's own folder, else one among the user's data."""
    if chosen := os.environ.get(FOLDER_VARIABLE):
        return Path(chosen)
    data = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(data) / "benchwright" / "profiles"


def packages_folder(name: str) -> Path:
    """The folder of a profile's packages. Raises PrerequisiteError where it is absent or another lock's."""
    installed_packages(name)
    return profiles_folder() / name


def twins_folder(name: str) -> Path | None:
    """The folder of the stand-ins for models that a profile's programs name; None where it has no models.

    It is there before the first of them: a jail shows what stands in it from then on.
    """
    if name not in WITH_MODELS:
        return None
    folder = profiles_folder() / f"{name}-twins"
    with contextlib.suppress(FileExistsError):
        folder.mkdir(parents=True)
    return folder


def made_twins(folder: Path) -> dict[str, Twins]:
    """The stand-ins in a folder, by id. Raises DataError where its list cannot be read."""
    place = folder / TWINS_MANIFEST
    try:
        return {each.id: each for each in msgspec.json.decode(place.read_bytes(), type=list[Twins])}
    except FileNotFoundError:
        return {}
    except (OSError, msgspec.MsgspecError) as error:
        raise DataError(f"cannot be read: {error}", path=str(place), hint=f"rm {place}") from None


def twin_digests(name: str) -> dict[str, str]:
    """What the stand-ins of a profile's models are, by the ids that programs name. Raises DataError."""
    found = made_twins(twins_folder(name) or Path()) if name in WITH_MODELS else {}
    return {each.id.partition("#")[0]: each.digest for each in found.values()}  # torch.hub's with its entries


def installed_packages(name: str) -> InstalledPackages:
    """What is installed of a profile. Raises PrerequisiteError, with the command that installs it."""
    hint = setup_command(name)
    place = profiles_folder() / name / MARK
    try:
        found = msgspec.json.decode(place.read_bytes(), type=InstalledPackages)
    except FileNotFoundError:
        raise PrerequisiteError(f"dependency profile {name!r} is not installed", hint=hint) from None
    except (OSError, msgspec.MsgspecError) as error:
        raise PrerequisiteError(f"{place} cannot be read: {error}", hint=hint) from None
    if (found.lock, found.python) != (lock_digest(name), python_build()):
        raise PrerequisiteError(
            f"dependency profile {name!r} was installed by another lock or for {found.python}", hint=hint
        )
    return found


def lock_digest(name: str) -> str:
    """What identifies the packages of a profile: the SHA-256 of its lock."""
    import hashlib  # noqa: PLC0415 (most processes need none)

    return hashlib.sha256(lock_file(name).read_bytes()).hexdigest()


def lock_file(name: str) -> Path:
    """The lock of a profile, as pip reads it."""
    return LOCKS / f"{name}.txt"


def python_build() -> str:
    """Implementation, version and machine, as the names of extension modules have them."""
    return str(sysconfig.get_config_var("SOABI"))
