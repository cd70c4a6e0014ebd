"""Dependency profiles: modules that an answer may import, and parts of the machine that it sees.

Each profile has its own zygote, started for the first answer that needs it. Only its distributions and their
requirements are bound into the jail, each folder separately: other packages and data sets in site-packages
stay invisible. A profile with large libraries has its own packages (see `profiles`), bound as one folder.
"""

from __future__ import annotations

import os
import re
import sys
import sysconfig
from functools import cache
from pathlib import Path

from benchwright.errors import PrerequisiteError, UsageError, package_command
from benchwright.records import Record
from benchwright.sandbox import profiles
from benchwright.sandbox.installed_packages import InstalledPackage, find_package

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
    # True where programs read facts about the machine in /proc (meminfo, cpuinfo, stat, sys), as
    # runtimes and test suites do. Else /proc has processes alone, and nothing of the kernel.
    kernel_files: bool = False
    packages: str = ""  # the lock whose packages it shows, from their own folder: see `profiles`
    variables: tuple[tuple[str, str], ...] = ()  # of its programs, there before the first import
    # True where a preloaded module writes into /tmp. What it leaves there no answer sees: each has its own.
    scratch: bool = False
    start_cpu_s: float = 20.0  # processor time until it is ready

    @property
    def is_bare(self) -> bool:
        """Whether its programs see the standard library alone."""
        return not (self.distributions or self.packages or self.binds)


# Prevents libraries from using the network or threads, and from writing to the answer's output.
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
_FLAKE8 = ("flake8.main.application", "flake8.plugins.pycodestyle", "flake8.plugins.pyflakes")
_SKLEARN = (
    *("numpy", "pandas", "scipy.stats", "scipy.signal", "sklearn.linear_model", "sklearn.ensemble"),
    *("sklearn.cluster", "sklearn.pipeline", "sklearn.model_selection", "statsmodels.api"),
)

BUILT_IN = {
    "bare": Environment(name="bare"),
    "flake8": Environment(
        name="flake8",
        packages="flake8",
        preload=(*_PRELOADED, *_FLAKE8),
        memory_mb=128,
        scratch=True,
    ),
    "numpy": Environment(
        name="numpy", distributions=("numpy",), preload=(*_PRELOADED, "numpy"), memory_mb=512
    ),
    "pytest": Environment(
        name="pytest",
        distributions=("pytest",),
        preload=(*_PRELOADED, "inside.suite_late", "inside.suite_warm"),
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
    """Return a built-in profile. Raises UsageError for an unknown name."""
    if name not in BUILT_IN:
        raise UsageError(f"unknown dependency profile: {name}", hint=f"one of: {', '.join(BUILT_IN)}")
    return BUILT_IN[name]


def versions(environment: Environment) -> dict[str, str]:
    """Return the versions of the interpreter and of a profile's packages. Raises as `site_binds`."""
    if environment.packages:
        found = profiles.installed_packages(environment.packages).packages
    else:
        closure = _closure(environment.name, environment.distributions)
        found = {package.name: package.version for package in closure}
    return {"python": ".".join(map(str, sys.version_info[:3])), **dict(sorted(found.items()))}


def interpreter() -> Path:
    """Return the interpreter that runs answers: the base of this environment, without site-packages."""
    return Path(getattr(sys, "_base_executable", sys.executable)).resolve()


@cache
def interpreter_binds() -> tuple[tuple[str, str], ...]:
    """Return read-only binds for the interpreter: itself, its standard library, the system's libraries."""
    sources = [interpreter(), *standard_library(), *_bound_python()]
    sources += [Path(folder) for folder in ("/usr/lib", "/usr/lib64", "/usr/share/zoneinfo") if _real(folder)]
    sources += [Path(folder) for folder in ("/lib", "/lib64") if _real(folder)]
    if Path("/etc/ld.so.cache").exists():
        sources.append(Path("/etc/ld.so.cache"))
    return tuple((str(path), str(path)) for path in _outermost(sources))


def interpreter_masks() -> tuple[str, ...]:
    """Return folders to mask inside the binds: packages next to the standard library."""
    library = standard_library()[0]
    folders = [library / "site-packages", library / "dist-packages", Path("/usr/lib/python3/dist-packages")]
    folders.append(library / "test")
    return tuple(str(folder) for folder in folders if folder.is_dir())


def root_links() -> tuple[tuple[str, str], ...]:
    """Return symbolic links of the jail's root: those of this machine, and shared memory inside /tmp."""
    links = [(os.readlink(path), path) for path in ("/lib", "/lib64") if os.path.islink(path)]
    links += [(os.readlink(path), str(path)) for path in shared_python() if _names_another(path)]
    return (*links, ("/tmp", "/dev/shm"), ("/proc/self/fd", "/dev/fd"))


def _real(folder: str) -> bool:
    return os.path.isdir(folder) and not os.path.islink(folder)


def standard_library() -> list[Path]:
    """Return the folders of the interpreter's standard library."""
    base = {"installed_base": sys.base_prefix, "base": sys.base_prefix, "platbase": sys.base_exec_prefix}
    base["installed_platbase"] = sys.base_exec_prefix
    paths = [Path(sysconfig.get_path(name, vars=base)) for name in ("stdlib", "platstdlib")]
    return list(dict.fromkeys(paths))


def shared_python() -> list[Path]:
    """Return the shared libraries of the interpreter, if any, including links."""
    folder = Path(sys.base_prefix) / "lib"
    return [path for path in folder.glob("libpython*.so*") if path.is_file()] if folder.is_dir() else []


def _names_another(path: Path) -> bool:
    """Return whether a path is a link to a file next to it, such as libpython3.11.so."""
    return path.is_symlink() and os.sep not in os.readlink(path)


def _bound_python() -> list[Path]:
    """Return the libraries to bind; links are created in the jail, because a mount costs each answer 9 µs."""
    return [path for path in shared_python() if not _names_another(path)]


def _outermost(paths: list[Path]) -> list[Path]:
    """Drop paths inside others, whose folders are bound already."""
    unique = sorted(set(paths))
    return [path for path in unique if not any(other in path.parents for other in unique)]


def site_binds(environment: Environment) -> list[tuple[str, str]]:
    """Return binds for a profile's packages. Raises PrerequisiteError with the install command."""
    if environment.packages:
        mounts = [(str(profiles.packages_folder(environment.packages)), SITE)]
        twins = profiles.twins_folder(environment.packages)
        return [*mounts, (str(twins), TWINS)] if twins else mounts
    return list(_distribution_binds(environment.name, environment.distributions, tuple(sys.path)))


@cache
def _distribution_binds(
    profile: str, distributions: tuple[str, ...], path: tuple[str, ...]
) -> tuple[tuple[str, str], ...]:
    """Return binds of distributions on `path`, which is sys.path; cached, because it is called repeatedly."""
    binds: dict[str, str] = {}
    for package in _closure(profile, distributions):
        for source in package.top_level:
            binds[str(source)] = f"{SITE}/{source.name}"
    return tuple(sorted(binds.items()))


def site_modules(environment: Environment) -> list[str]:
    """Return the names of a profile's modules, without the standard library. Raises as `site_binds`."""
    if environment.packages:
        return sorted(os.listdir(profiles.packages_folder(environment.packages)))
    return sorted(os.path.basename(target) for _, target in site_binds(environment))


def _closure(profile: str, distributions: tuple[str, ...]) -> list[InstalledPackage]:
    waiting: list[str] = list(distributions)
    found: dict[str, InstalledPackage] = {}
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        if (package := find_package(name)) is None:
            if name in distributions:
                raise PrerequisiteError(
                    f"dependency profile {profile!r} needs the package {name!r}",
                    hint=package_command(name),
                )
            continue  # a requirement for another platform or an optional extra
        found[name] = package
        waiting += [_name_of(text) for text in package.requirements if "extra ==" not in text]
    return list(found.values())


def _name_of(requirement: str) -> str:
    match = re.match(r"[A-Za-z0-9._-]+", requirement)
    return match.group() if match else requirement
