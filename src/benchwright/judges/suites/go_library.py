"""Go's standard library, compiled once for a toolchain and kept: since 1.20 no archives are shipped.

Compiling it takes about a minute of processor time; it is Go's own code, so this runs outside the sandbox,
with a build cache of its own that is thrown away. What is kept is one archive for each package, and the
small package of ours that reports on tests (`go_harness.go`). The folder appears under its name only when
it is whole.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from hashlib import sha256
from pathlib import Path

from benchwright.errors import SandboxError
from benchwright.judges.suites.go_toolchain import Toolchain
from benchwright.records import Record

HARNESS = "bwharness"  # its import path; no suite may import it
HARNESS_SOURCE = Path(__file__).with_name("go_harness.go")
JAILED = "/go-library"  # where the jail shows the archives
SYSTEM_CACHE = Path("/var/cache")  # root's: nobody, as whom the jail runs, cannot pass through /root
# -dwarf=false: nobody debugs these programs, and a link takes a third less without.
_LIST = (
    "list",
    "-export",
    "-trimpath",
    "-gcflags=all=-dwarf=false",
    "-f",
    "{{.ImportPath}}={{.Export}}",
    "std",
)
_LIMIT_S = 1800


class Library(Record, frozen=True, kw_only=True):
    """The kept archives: `folder`/<import path>.a for each of `packages`."""

    folder: str
    packages: frozenset[str]
    harness: str  # the archive's name in the folder, without its ending

    @property
    def public(self) -> frozenset[str]:
        """What code outside the standard library may import."""
        return frozenset(name for name in self.packages if is_public(name))

    def config(self, names: frozenset[str] | None = None) -> str:
        """An importcfg with the places of these packages in the jail; of all packages by default."""
        wanted = self.packages if names is None else names
        places = {**{name: name for name in wanted}, HARNESS: self.harness}
        return "".join(f"packagefile {name}={JAILED}/{places[name]}.a\n" for name in sorted(places))


def is_public(name: str) -> bool:
    """False for what only the standard library itself may import, and for our own package."""
    parts = name.split("/")
    return "internal" not in parts and parts[0] not in ("vendor", "cmd", HARNESS)


def prepare_library(toolchain: Toolchain) -> Library:
    """The library of a toolchain, compiled now if it is not there. Raises SandboxError when that fails."""
    folder = cache_folder() / f"go-{toolchain.version}-{_key(toolchain)}"
    if not folder.is_dir():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="go-", dir=folder.parent) as scratch:
            made = Path(scratch) / "made"
            _make(toolchain, made, Path(scratch))
            _give_name(made, folder)
    harness = f"{HARNESS}-{sha256(HARNESS_SOURCE.read_bytes()).hexdigest()[:12]}"
    if not (folder / f"{harness}.a").is_file():
        _make_harness(toolchain, folder, harness)
    names = frozenset(name for name in _names(folder) if not name.startswith(HARNESS))
    return Library(folder=str(folder), packages=names, harness=harness)


def _names(folder: Path) -> list[str]:
    return [str(path.relative_to(folder))[:-2] for path in folder.rglob("*.a")]


def cache_folder() -> Path:
    """Where archives are kept: below XDG_CACHE_HOME or ~/.cache; below /var/cache for root."""
    if "XDG_CACHE_HOME" not in os.environ and os.geteuid() == 0:
        return SYSTEM_CACHE / "benchwright"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "benchwright"


def _key(toolchain: Toolchain) -> str:
    """Two toolchains of one version may differ in architecture and in patches of a distribution."""
    digest = sha256()
    for part in (toolchain.root, toolchain.tools, *_LIST):
        digest.update(part.encode() + b"\0")
    return digest.hexdigest()[:12]


def _give_name(made: Path, folder: Path) -> None:
    made.chmod(0o755)
    try:
        made.rename(folder)
    except OSError:
        if not folder.is_dir():  # else another process was faster, and its archives are the same
            raise


def _make(toolchain: Toolchain, made: Path, scratch: Path) -> None:
    (scratch / "go.mod").write_text("module none\n")
    environment = go_environment(toolchain, cache=str(scratch / "cache"), home=str(scratch))
    listed = _run([toolchain.go, *_LIST], environment, folder=scratch)
    for line in listed.splitlines():
        name, _, archive = line.partition("=")
        if archive:
            place = made / f"{name}.a"
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(archive, place)


def _make_harness(toolchain: Toolchain, made: Path, harness: str) -> None:
    """Compile our own package beside the standard library; an older one stays for whoever runs with it."""
    with tempfile.TemporaryDirectory(prefix="go-", dir=made.parent) as place:
        scratch = Path(place)
        config = scratch / "importcfg"
        config.write_text("".join(f"packagefile {name}={made}/{name}.a\n" for name in _names(made)))
        _compile_harness(toolchain, scratch, config)
        (scratch / "harness.a").rename(made / f"{harness}.a")


def _compile_harness(toolchain: Toolchain, scratch: Path, config: Path) -> None:
    environment = go_environment(toolchain, cache=str(scratch / "cache"), home=str(scratch))
    flags = ["-p", HARNESS, "-importcfg", str(config), "-pack", "-complete", "-dwarf=false"]
    flags += ["-trimpath", str(HARNESS_SOURCE.parent)]
    command = [f"{toolchain.tools}/compile", "-o", "harness.a", *flags, str(HARNESS_SOURCE)]
    _run(command, environment, folder=scratch)


def go_environment(toolchain: Toolchain, *, cache: str, home: str) -> dict[str, str]:
    """Variables under which the go command reads no setting of the user and asks no server."""
    return {
        "PATH": "/usr/bin:/bin",
        "HOME": home,
        "GOROOT": toolchain.root,
        "GOPATH": f"{home}/gopath",
        "GOCACHE": cache,
        "GOENV": "off",
        "GOFLAGS": "-mod=mod",
        "GOPROXY": "off",
        "GOTOOLCHAIN": "local",
        "GOTELEMETRY": "off",
        "CGO_ENABLED": "0",
    }


def _run(command: list[str], environment: dict[str, str], *, folder: Path) -> str:
    done = subprocess.run(
        command, env=environment, cwd=folder, capture_output=True, text=True, timeout=_LIMIT_S, check=False
    )
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
        raise SandboxError(f"Go's standard library could not be compiled: {last}", hint=" ".join(command[:2]))
    return done.stdout
