"""Find a JDK, the jars of JUnit, and further jars that data sets import. Nothing is downloaded.

The JDK is that of JAVA_HOME, else of `javac` on PATH, else the newest below /usr/lib/jvm. Jars are searched
in the folder that BENCHWRIGHT_JUNIT names, else in Debian's. Further jars are cached in a
separate folder, so that only suites that ask for them see them.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchwright.errors import PrerequisiteError
from benchwright.judges.suites.toolchain_cache import cache_errors, cache_folder, install_hint
from benchwright.lang.languages import language
from benchwright.records import Record
from benchwright.store.user_cache import put_cached

PACKAGES = "apt-get install openjdk-17-jdk-headless junit5 junit4"
JUNIT_FOLDER = "BENCHWRIGHT_JUNIT"
OLDEST_JDK = 17
_JVMS, _JARS = Path("/usr/lib/jvm"), Path("/usr/share/java")

# The name of each jar, and alternative names. apiguardian holds annotations: javac warns if they are missing.
# univocity reads CSV for Debian's build of junit-jupiter-params.
_NEEDED: tuple[tuple[str, ...], ...] = (
    ("junit-jupiter-api",),
    ("junit-jupiter-params",),
    ("junit-jupiter-engine",),
    ("junit-platform-commons",),
    ("junit-platform-engine",),
    ("junit-platform-launcher",),
    ("opentest4j",),
    ("junit4", "junit"),
    ("hamcrest", "hamcrest-core", "hamcrest-all"),
)
_WELCOME: tuple[tuple[str, ...], ...] = (("apiguardian-api",), ("univocity-parsers",))


class JavaToolchain(Record, frozen=True, kw_only=True):
    """A JDK and JUnit's jars by their real paths, in class path order."""

    jdk: str
    jars: tuple[str, ...]
    java: str  # version
    junit5: str
    junit4: str
    libraries: str = ""  # digest of further jars, if there are any

    @property
    def versions(self) -> dict[str, str]:
        """Return the versions by part, for reports."""
        further = {"libraries": self.libraries} if self.libraries else {}
        return {"java": self.java, "junit5": self.junit5, "junit4": self.junit4, **further}

    @property
    def shown(self) -> tuple[str, ...]:
        """Return the jars' paths in the jail, in class path order.

        Not their own paths: the jail's /tmp hides this machine's, and a colon would end a path.
        """
        return tuple(f"/jars/{number}.jar" for number in range(len(self.jars)))

    @property
    def binds(self) -> tuple[tuple[str, str], ...]:
        """Return the binds that the jail needs: the JDK at its own path, jars as in `shown`."""
        return (*jdk_binds(Path(self.jdk)), *zip(self.jars, self.shown, strict=True))


class Jar(Record, frozen=True, kw_only=True):
    """A jar by its real path; Debian's real files have no version in their names, but links to them do."""

    path: str
    version: str


def find_toolchain() -> JavaToolchain:
    """Return this machine's toolchain. Raises PrerequisiteError naming the missing part."""
    jdk = find_jdk()
    folder = jar_folders()[0]
    jars = {names[0]: find_jar(folder, names) for names in (*_NEEDED, *_WELCOME)}
    missing = [names[0] for names in _NEEDED if jars[names[0]] is None]
    if missing:
        raise PrerequisiteError(f"{folder} has no jar named {', '.join(missing)}", hint=_hint())
    found = {name: path for name, path in jars.items() if path is not None}
    return JavaToolchain(
        jdk=str(jdk),
        jars=tuple(jar.path for jar in found.values()),
        java=java_version(jdk),
        junit5=found["junit-jupiter-api"].version,
        junit4=found["junit4"].version,
    )


def _hint() -> str:
    return install_hint("java", PACKAGES)


def find_jdk() -> Path:
    """Return the folder of the JDK to use. Raises PrerequisiteError."""
    too_old = []
    for folder in _jdks():
        if not (folder / "bin/javac").is_file():
            continue
        version = java_version(folder)
        if _major(version) >= OLDEST_JDK:
            return folder
        too_old.append(f"{folder} is version {version}")
    why = f": {too_old[0]}" if too_old else ""
    raise PrerequisiteError(f"no Java development kit of version {OLDEST_JDK} or later{why}", hint=_hint())


def _jdks() -> Iterator[Path]:
    if home := os.environ.get("JAVA_HOME"):
        yield Path(home).resolve()
    if javac := shutil.which("javac"):
        yield Path(javac).resolve().parent.parent
    if _JVMS.is_dir():
        folders = {path.resolve() for path in _JVMS.iterdir() if path.is_dir()}
        yield from sorted(folders, key=lambda path: (_major(java_version(path)), path), reverse=True)


def java_version(jdk: Path) -> str:
    """Read the version from the file `release`, which every JDK since 8 has: starting a JVM takes 50 ms."""
    try:
        text = (jdk / "release").read_text("utf-8", "replace")
    except OSError:
        return ""
    match = re.search(r'^JAVA_VERSION="([^"]+)"', text, re.MULTILINE)
    return match.group(1) if match else ""


def _major(version: str) -> int:
    match = re.match(r"(?:1\.)?(\d+)", version)
    return int(match.group(1)) if match else 0


def jar_folders() -> list[Path]:
    """Return the folders to search for jars: the one that the user names, and Debian's."""
    chosen_folder = os.environ.get(JUNIT_FOLDER)
    return [*([Path(chosen_folder)] if chosen_folder else []), _JARS]


def find_jar(folder: Path, names: tuple[str, ...]) -> Jar | None:
    """Return the jar with the first of these names that exists; the newest of several versions.

    Raises PrerequisiteError for an unreadable jar.
    """
    for name in names:
        pattern = re.compile(rf"{re.escape(name)}(?:-(\d[\w.-]*))?\.jar")
        found = [
            (match[1] or "", path) for path in _listed(folder) if (match := pattern.fullmatch(path.name))
        ]
        if found:
            version, path = max(found, key=lambda pair: (_ordered(pair[0]), pair[0]))
            return Jar(path=str(path.resolve()), version=version or _manifest_version(path))
    return None


def _listed(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.iterdir()) if path.is_file()] if folder.is_dir() else []


def _ordered(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version))


def _manifest_version(path: Path) -> str:
    try:
        with zipfile.ZipFile(path) as jar:
            manifest = jar.read("META-INF/MANIFEST.MF").decode("utf-8", "replace")
    except (OSError, KeyError, zipfile.BadZipFile) as error:
        raise PrerequisiteError(f"{path} is not a jar that can be read: {error}", hint=_hint()) from None
    match = re.search(r"^(?:Implementation|Bundle)-Version: *(\S+)", manifest, re.MULTILINE)
    return match.group(1) if match else "unknown"


def jdk_binds(jdk: Path) -> tuple[tuple[str, str], ...]:
    """Return the binds of a JDK at its own path, and of the folders that its links lead to."""
    return tuple((path, path) for path in (str(jdk), *_outside(jdk)))


def _outside(jdk: Path) -> list[str]:
    """Return folders of /etc that the JDK's own links lead to: Debian has a JDK's configuration there."""
    targets = {os.path.realpath(path) for path in _links(jdk)}
    folders = {"/".join(path.split("/")[:3]) for path in targets if path.startswith("/etc/java")}
    return sorted(folder for folder in folders if os.path.isdir(folder))


def _links(jdk: Path) -> Iterator[str]:
    for folder, folders, names in os.walk(jdk):
        yield from (path for name in (*folders, *names) if os.path.islink(path := os.path.join(folder, name)))


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
    with cache_errors("Java libraries", folder):
        for name, content in contents.items():
            _keep(folder / language("Java").library_rules.folder / f"{name}.jar", content)
    return str(folder)


def _jar(name: str) -> str:
    for folder in jar_folders():
        if (found := find_jar(folder, (name,))) is not None:
            return found.path
    where = " and ".join(map(str, jar_folders()))
    command = install_hint("java", f"apt-get install {DEBIAN.get(name, name)}")
    hint = f"{command}   (or {JUNIT_FOLDER}=FOLDER, with it and the jars of JUnit)"
    raise PrerequisiteError(f"no jar named {name} in {where}", hint=hint)


def _keep(place: Path, content: bytes) -> None:
    """Copy a jar to its place, readable for the user of the jail."""
    if place.is_file() and place.read_bytes() == content:
        return
    place.parent.mkdir(parents=True, exist_ok=True, mode=0o755)
    put_cached(place, content)
    place.chmod(0o644)
