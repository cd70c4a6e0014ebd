"""Jars that answers and their tests may import beside JUnit, each by the name that its data set means.

They are looked for where JUnit's jars are, and kept as a folder of libraries of their own, so that only
suites that ask for one see it: what suites of other data sets are compiled against does not change.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from benchwright.errors import PrerequisiteError
from benchwright.judges.suites.java_toolchain import JUNIT_FOLDER, find_jar, jar_folders
from benchwright.judges.suites.keeping import cache_folder, how_to_get, keeping
from benchwright.lang.languages import language
from benchwright.store.own_cache import put_kept

DEBIAN = {"javatuples": "libjavatuples-java"}  # Debian's package of each known library


def library_folder(names: Sequence[str]) -> str:
    """Return a folder with these libraries, as `open_runner` takes it; empty for none.

    Raises PrerequisiteError with the command that installs a missing library.
    """
    if not names:
        return ""
    jars = {name: _jar(name) for name in names}
    contents = {name: Path(jar).read_bytes() for name, jar in jars.items()}
    digest = hashlib.sha256(b"".join(hashlib.sha256(each).digest() for each in contents.values()))
    folder = cache_folder() / "java-libraries" / f"{'-'.join(names)}-{digest.hexdigest()[:16]}"
    with keeping("Java libraries", folder):
        for name, content in contents.items():
            _keep(folder / language("Java").library_rules.folder / f"{name}.jar", content)
    return str(folder)


def _jar(name: str) -> str:
    for folder in jar_folders():
        if (found := find_jar(folder, (name,))) is not None:
            return found.path
    where = " and ".join(map(str, jar_folders()))
    command = how_to_get("java", f"apt-get install {DEBIAN.get(name, name)}")
    hint = f"{command}   (or {JUNIT_FOLDER}=FOLDER, with it and the jars of JUnit)"
    raise PrerequisiteError(f"no jar named {name} in {where}", hint=hint)


def _keep(place: Path, content: bytes) -> None:
    """Copy a jar to its place, readable for the user of the jail."""
    if place.is_file() and place.read_bytes() == content:
        return
    place.parent.mkdir(parents=True, exist_ok=True, mode=0o755)
    put_kept(place, content)
    place.chmod(0o644)
