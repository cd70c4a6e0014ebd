"""Dependency profiles: what an answer may import, and what of the machine it therefore sees.

Each profile has its own zygote, started when the first answer needs it. Only the named distributions
and what they require are bound into the jail, each folder by itself: an installed harness or data set
that lies beside them in site-packages stays invisible. A profile with large libraries has packages of its
own (see `profiles`), which are bound as one folder.
"""

from __future__ import annotations

import os
import re
import sys
import sysconfig
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from benchwright.errors import PrerequisiteError, UsageError, package_command
from benchwright.records import Record
from benchwright.sandbox import profiles

if TYPE_CHECKING:
    from importlib.metadata import Distribution

SITE = "/site"  # where the bound distributions appear in the jail
TWINS = "/twins"  # where the stand-ins for models appear

_PRELOADED = (
    *("typing", "math", "re", "collections", "itertools", "functools", "string", "heapq", "bisect"),
    *("random", "copy", "operator"),
)


class Environment(Record, frozen=True, kw_only=True):
    """A dependency profile: distributions to show, modules to import before the first fork."""

    name: str
    distributions: tuple[str, ...] = ()
    preload: tuple[str, ...] = _PRELOADED
    memory_mb: int = 0  # added to each answer's limit: what the preloaded modules map
    binds: tuple[
        tuple[str, str], ...
    ] = ()  # more of this machine to show, read-only: (path, path in the jail)
    open_files: int = 64
    # False where programs reserve far more addresses than they use, as a Java or Go runtime does: then a
    # control group or the watch over /proc alone bounds their memory.
    address_limit: bool = True
    hash_seed: int = 0  # of the interpreter: it decides the order of sets of texts
    timezone: str = "UTC"
    clock_shift_s: int = 0  # by how much the time of day that programs read is moved
    # True where programs read what the kernel tells of the machine in /proc (meminfo, cpuinfo, stat, sys), as
    # runtimes and test suites do. Else /proc has processes alone, and nothing of the kernel.
    kernel_files: bool = False
    packages: str = ""  # the lock whose packages it shows, from a folder of their own: see `profiles`
    variables: tuple[tuple[str, str], ...] = ()  # of its programs, there before the first import
    # True where a preloaded module writes into /tmp. What it leaves there no answer sees: each has its own.
    scratch: bool = False
    start_cpu_s: float = 20.0  # processor time until it is ready

    @property
    def is_bare(self) -> bool:
        """Whether its programs see the standard library alone."""
        return not (self.distributions or self.packages or self.binds)


# What keeps libraries from the network, from threads, and from writing to the answer's output.
_QUIET = (
    ("HF_HOME", "/tmp/hf"),
    ("HF_HUB_CACHE", "/tmp/hub"),
    ("HF_HUB_DISABLE_PROGRESS_BARS", "1"),
    ("HF_HUB_DISABLE_TELEMETRY", "1"),
    ("HF_HUB_OFFLINE", "1"),
    ("TOKENIZERS_PARALLELISM", "false"),
    ("TORCH_HOME", "/tmp/torch"),
    ("TORCHINDUCTOR_CACHE_DIR", "/tmp/inductor"),
    ("TRANSFORMERS_VERBOSITY", "error"),
)
_TORCH = (
    *("numpy", "PIL.Image", "torch", "torch.hub", "safetensors.torch", "transformers.pipelines"),
    *(
        f"transformers.models.{name}.modeling_{name}"
        for name in ("bert", "distilbert", "gpt2", "vit", "wav2vec2")
    ),
    *("transformers.models.vit.image_processing_pil_vit", "transformers.models.auto.modeling_auto"),
)
_SKLEARN = (
    *("numpy", "pandas", "scipy.stats", "scipy.signal", "sklearn.linear_model", "sklearn.ensemble"),
    *("sklearn.cluster", "sklearn.pipeline", "sklearn.model_selection", "statsmodels.api"),
)

BUILT_IN = {
    "bare": Environment(name="bare"),
    "numpy": Environment(
        name="numpy", distributions=("numpy",), preload=(*_PRELOADED, "numpy"), memory_mb=512
    ),
    "pytest": Environment(
        name="pytest",
        distributions=("pytest",),
        preload=(*_PRELOADED, "inside.suite_warm"),
        memory_mb=128,
        kernel_files=True,
    ),
    "sklearn": Environment(
        name="sklearn",
        packages="sklearn",
        preload=(*_PRELOADED, *_SKLEARN, "inside.library_seeds"),
        memory_mb=1024,
        open_files=256,
        variables=(("LOKY_MAX_CPU_COUNT", "1"),),
        scratch=True,
        start_cpu_s=60.0,
    ),
    "torch": Environment(
        name="torch",
        packages="torch",
        preload=(*_PRELOADED, *_TORCH, "inside.library_seeds"),
        memory_mb=2048,
        open_files=256,
        variables=_QUIET,
        scratch=True,
        start_cpu_s=90.0,
    ),
}


def find_environment(name: str) -> Environment:
    """A built-in profile. Raises UsageError when there is none of that name."""
    if name not in BUILT_IN:
        raise UsageError(f"no dependency profile is named {name!r}", hint=f"one of: {', '.join(BUILT_IN)}")
    return BUILT_IN[name]


def versions(environment: Environment) -> dict[str, str]:
    """The versions of the interpreter and of all that a profile shows. Raises as `site_binds`."""
    if environment.packages:
        found = profiles.installed_packages(environment.packages).packages
    else:
        closure = _closure(environment.name, environment.distributions)
        found = {package.name: package.version for package in closure}
    return {"python": ".".join(map(str, sys.version_info[:3])), **dict(sorted(found.items()))}


def interpreter() -> Path:
    """The interpreter that runs answers: the base of this environment, so no site-packages come along."""
    return Path(getattr(sys, "_base_executable", sys.executable)).resolve()


@cache
def interpreter_binds() -> tuple[tuple[str, str], ...]:
    """Read-only binds that the interpreter needs: itself, its standard library, the system's libraries."""
    sources = [interpreter(), *standard_library(), *_bound_python()]
    sources += [Path(folder) for folder in ("/usr/lib", "/usr/lib64", "/usr/share/zoneinfo") if _real(folder)]
    sources += [Path(folder) for folder in ("/lib", "/lib64") if _real(folder)]
    if Path("/etc/ld.so.cache").exists():
        sources.append(Path("/etc/ld.so.cache"))
    return tuple((str(path), str(path)) for path in _outermost(sources))


def interpreter_masks() -> tuple[str, ...]:
    """Folders inside the binds that must look empty: packages installed beside the standard library."""
    library = standard_library()[0]
    folders = [library / "site-packages", library / "dist-packages", Path("/usr/lib/python3/dist-packages")]
    folders.append(library / "test")
    return tuple(str(folder) for folder in folders if folder.is_dir())


def root_links() -> tuple[tuple[str, str], ...]:
    """Symbolic links of the jail's root: this machine's, and shared memory inside /tmp."""
    links = [(os.readlink(path), path) for path in ("/lib", "/lib64") if os.path.islink(path)]
    links += [(os.readlink(path), str(path)) for path in shared_python() if _names_another(path)]
    return (*links, ("/tmp", "/dev/shm"), ("/proc/self/fd", "/dev/fd"))


def _real(folder: str) -> bool:
    return os.path.isdir(folder) and not os.path.islink(folder)


def standard_library() -> list[Path]:
    """The folders of the interpreter's standard library."""
    base = {"installed_base": sys.base_prefix, "base": sys.base_prefix, "platbase": sys.base_exec_prefix}
    base["installed_platbase"] = sys.base_exec_prefix
    paths = [Path(sysconfig.get_path(name, vars=base)) for name in ("stdlib", "platstdlib")]
    return list(dict.fromkeys(paths))


def shared_python() -> list[Path]:
    """The libraries that hold the interpreter, where it is not one file; links among them too."""
    folder = Path(sys.base_prefix) / "lib"
    return [path for path in folder.glob("libpython*.so*") if path.is_file()] if folder.is_dir() else []


def _names_another(path: Path) -> bool:
    """Whether it is a link to a file beside it, as libpython3.11.so is to libpython3.11.so.1.0."""
    return path.is_symlink() and os.sep not in os.readlink(path)


def _bound_python() -> list[Path]:
    """Those to bind; links between them are made anew, since a mount costs every answer 9 µs."""
    return [path for path in shared_python() if not _names_another(path)]


def _outermost(paths: list[Path]) -> list[Path]:
    """Drop a path that lies inside another: its folder is bound already."""
    unique = sorted(set(paths))
    return [path for path in unique if not any(other in path.parents for other in unique)]


def site_binds(environment: Environment) -> list[tuple[str, str]]:
    """Binds for a profile's packages. Raises PrerequisiteError naming the command that installs them."""
    if environment.packages:
        shown = [(str(profiles.packages_folder(environment.packages)), SITE)]
        twins = profiles.twins_folder(environment.packages)
        return [*shown, (str(twins), TWINS)] if twins else shown
    return list(_distribution_binds(environment.name, environment.distributions, tuple(sys.path)))


@cache
def _distribution_binds(
    profile: str, distributions: tuple[str, ...], path: tuple[str, ...]
) -> tuple[tuple[str, str], ...]:
    """What is found by `path`, which is sys.path. A sandbox asks several times."""
    binds: dict[str, str] = {}
    for package in _closure(profile, distributions):
        for source in _top_level(package):
            binds[str(source)] = f"{SITE}/{source.name}"
    return tuple(sorted(binds.items()))


def site_modules(environment: Environment) -> list[str]:
    """The names of all that a profile shows beside the standard library. Raises as `site_binds`."""
    if environment.packages:
        return sorted(os.listdir(profiles.packages_folder(environment.packages)))
    return sorted(os.path.basename(target) for _, target in site_binds(environment))


def _closure(profile: str, distributions: tuple[str, ...]) -> list[Distribution]:
    if not distributions:
        return []
    from importlib.metadata import PackageNotFoundError, distribution  # noqa: PLC0415 (40 ms to import)

    waiting: list[str] = list(distributions)
    found: dict[str, Distribution] = {}
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        try:
            found[name] = distribution(name)
        except PackageNotFoundError:
            if name in distributions:
                raise PrerequisiteError(
                    f"dependency profile {profile!r} needs the package {name!r}",
                    hint=package_command(name),
                ) from None
            continue  # a requirement for another platform or an optional extra
        requirements = found[name].requires or []
        waiting += [_name_of(text) for text in requirements if "extra ==" not in text]
    return list(found.values())


def _name_of(requirement: str) -> str:
    match = re.match(r"[A-Za-z0-9._-]+", requirement)
    return match.group() if match else requirement


def _top_level(package: Distribution) -> set[Path]:
    folder = Path(str(package.locate_file(""))).resolve()
    names = {file.parts[0] for file in package.files or [] if file.parts and file.parts[0] not in ("..", "/")}
    return {folder / name for name in names if not name.endswith(".dist-info") and (folder / name).exists()}
