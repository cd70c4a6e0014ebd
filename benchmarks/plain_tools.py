"""One pair of files under the plain tool of its language: pytest, go test, or javac and JUnit's console.

Nothing of Benchwright's own lies beside the pair, and none of it decides what passes: the exit status of the
tool is the answer. The code is a stranger's, so each step runs in a jail (`benchmarks.jail`) with bounds on
time, memory, processes and files.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple, Self

from benchmarks.jail import jailed
from benchmarks.plain_layouts import Pair, java_class, lay_out_go, lay_out_java, lay_out_python
from benchwright.errors import PrerequisiteError
from benchwright.judges.suites import go_toolchain, java_toolchain
from benchwright.sandbox.environments import interpreter

_GO_CASE = re.compile(r"^func (Test\w*)\(", re.MULTILINE)
WALL_S = 180.0  # of one step
LIMITS = (
    "--cpu=120",
    f"--data={2 << 30}",
    f"--fsize={128 << 20}",
    "--nproc=1024",
    "--nofile=1024",
    "--core=0",
)
SHOWN_LINES = 30
_READ = 16 << 10
_PYTEST = ("pytest", "_pytest", "py", "pluggy", "iniconfig", "packaging", "pygments")
_JARS = Path("/usr/share/java")
_CONSOLE_JARS = (  # beside those that the toolchain has: what runs JUnit from a command line
    *("junit-platform-console", "junit-platform-reporting", "junit-vintage-engine", "picocli"),
)
_CONSOLE = (
    *("org.junit.platform.console.ConsoleLauncher", "--include-classname", ".*"),
    *("--fail-if-no-tests", "--disable-banner", "--disable-ansi-colors", "--details=none"),
)


class Ended(NamedTuple):
    """What a tool said of a pair: "success" or "failed", and the end of its output."""

    state: str
    lines: list[str]


class Step(NamedTuple):
    """One command of a tool, run in the pair's folder. Of this machine `shown` may be read, and `kept`
    written: by compilers alone, never by what they compiled."""

    argv: list[str]
    environment: dict[str, str]
    shown: list[str]
    kept: list[str] = []


class Given(NamedTuple):
    """What a tool is given beside a pair: a build cache of Go, and folders of packages and jars, each a path
    or empty."""

    cache: Path
    packages: str = ""
    jars: str = ""


class Tools:
    """The plain tools of this machine. What Go compiles of its library is kept while it is open.

    `compiled`: a build cache of Go to begin with. It is copied, for what a stranger's code compiles goes into
    a cache that is thrown away. `libraries`: the folder that a build was given with --libraries.
    """

    def __init__(self, *, compiled: Path | None = None, libraries: Path | None = None) -> None:
        self._scratch = tempfile.TemporaryDirectory(prefix="plain-")
        self._cache = Path(self._scratch.name, "go-cache")
        if compiled is None:
            self._cache.mkdir()
        else:
            shutil.copytree(compiled, self._cache)
        _open_to_all(self._cache)  # the jailed user is another one; the scratch folder lets nobody else in
        self._given = Given(self._cache, *(_folder_of(libraries, lang) for lang in ("python", "java")))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self._scratch.cleanup()

    def execute(self, pair: Pair) -> Ended:
        """What the tool says. Raises PrerequisiteError where it or the jail is not there."""
        with tempfile.TemporaryDirectory(prefix="pair-", dir=self._scratch.name) as made:
            folder, lines = Path(made), list[str]()
            steps = _STEPS[pair.lang](folder, pair, self._given)
            _open_to_all(folder)
            for step in steps:
                status, lines = _run(step, folder)
                if status:
                    return Ended("failed", [*lines, f"exit status {status}"])
        return Ended("success", lines)


def _folder_of(libraries: Path | None, name: str) -> str:
    """The folder of one language below those that were given; empty where there is none."""
    place = None if libraries is None else libraries.resolve() / name
    return str(place) if place is not None and place.is_dir() else ""


def _run(step: Step, folder: Path) -> tuple[int | str, list[str]]:
    """One command to its end: its exit status, or which limit ended it, and its last lines."""
    given = {"LANG": "C.UTF-8", "TZ": "UTC", "HOME": "/tmp", **step.environment}
    jail = jailed(folder, step.shown, environment=given, kept=step.kept)
    command = [*jail, "/usr/bin/prlimit", *LIMITS, "/usr/bin/env", "-C", str(folder), *step.argv]
    with tempfile.TemporaryFile() as output:
        try:
            done = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                timeout=WALL_S,
                check=False,
            )
            status: int | str = done.returncode
        except subprocess.TimeoutExpired:
            status = f"none within {WALL_S:.0f} s"
        return status, _last_lines(output.fileno())


def _open_to_all(folder: Path) -> None:
    """What was laid out, before any of it runs: later there may be links of a stranger's making."""
    for place, _, files in os.walk(folder):
        os.chmod(place, 0o777)
        for path in (os.path.join(place, name) for name in files):
            if not os.path.islink(path):
                os.chmod(path, 0o666 if path.endswith("/go.mod") else 0o644)  # the go command tidies it


def _last_lines(descriptor: int) -> list[str]:
    size = os.fstat(descriptor).st_size
    text = os.pread(descriptor, _READ, max(0, size - _READ)).decode("utf-8", "replace")
    return [line for line in text.splitlines() if line.strip()][-SHOWN_LINES:]


def _python_steps(folder: Path, pair: Pair, given: Given) -> list[Step]:
    paths, places = lay_out_python(folder, pair), [_place(name) for name in _PYTEST]
    if not places[0]:
        raise PrerequisiteError("pytest is not installed, which Python rows are executed with")
    site = folder / ".plain-site"  # links to pytest's own packages: of this environment nothing else is seen
    site.mkdir()
    for place in filter(None, places):
        (site / Path(place).name).symlink_to(place)
    environment = {
        "PYTHONPATH": os.pathsep.join([*paths, str(site), *filter(None, [given.packages])]),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    }
    argv = [str(interpreter()), "-m", "pytest", "-q", "--color=no", "-c", "/dev/null", "--rootdir", "."]
    shown = list(filter(None, [*places, given.packages]))
    return [Step([*argv, "-p", "no:cacheprovider", pair.test_path], environment, shown)]


def _place(module: str) -> str:
    """The folder or file that an import reads; empty where there is none."""
    spec = find_spec(module)
    if spec is None or spec.origin is None:
        return ""
    return str(Path(spec.origin).parent if spec.submodule_search_locations else spec.origin)


def _go_steps(folder: Path, pair: Pair, given: Given) -> list[Step]:
    """As `go test -vet=off` does it: compile, and run with its flags, which is out of reach of the cache.

    What vet finds is no result of the test: labels leave it out, so it is left out here.
    """
    go = go_toolchain.find_toolchain()
    shown = [path for path, _ in go.binds]
    environment = {
        "GOCACHE": str(given.cache),
        "GOPATH": "/tmp/go",
        "GOPROXY": "off",
        "GOFLAGS": "-mod=mod",
        "GOTOOLCHAIN": "local",
        "GOTELEMETRY": "off",
        "CGO_ENABLED": "0",
    }
    home, module = lay_out_go(folder, pair)
    begun = [Step([go.go, "mod", "init", module], environment, shown, [str(given.cache)])] if module else []
    inside = ["/usr/bin/env", "-C", f"{folder}/{home}"]
    compiling = [*inside, go.go, "test", "-vet=off", "-c", "-o", f"{folder}/{home}/pair.test", "."]
    only = ["-test.run", f"^(?:{'|'.join(_GO_CASE.findall(pair.test))})$"] if pair.beside else []
    running = [*inside, "./pair.test", *only, "-test.paniconexit0", "-test.timeout=100s"]
    return [
        *begun,
        Step(compiling, environment, shown, [str(given.cache)]),
        Step(running, {"GOROOT": go.root}, shown),
    ]


def _java_steps(folder: Path, pair: Pair, given: Given) -> list[Step]:
    java = java_toolchain.find_toolchain()
    console = [str((_JARS / f"{name}.jar").resolve()) for name in _CONSOLE_JARS]
    if absent := [path for path in console if not os.path.isfile(path)]:
        raise PrerequisiteError(f"{absent[0]} is not there, which Java rows are executed with")
    further = [f"{given.jars}/*"] if given.jars else []  # all jars of a folder, as java's own wildcard says
    jars = os.pathsep.join([*java.jars, *console, *further])
    shown = [*(path for path, _ in java.binds), *console, *filter(None, [given.jars])]
    names, sources = lay_out_java(folder, pair)
    compiling = [
        f"{java.jdk}/bin/javac",
        "-J-Xmx512m",
        "-encoding",
        "UTF-8",
        "-cp",
        jars,
        "-d",
        "out",
        *(["-proc:none", "-sourcepath", os.pathsep.join(sources)] if sources else []),
        *names,
    ]
    chosen = ["--select-class", java_class(pair)] if sources else ["--scan-classpath", "out"]
    running = [f"{java.jdk}/bin/java", "-Xmx512m", "-cp", f"out{os.pathsep}{jars}", *_CONSOLE, *chosen]
    return [Step(compiling, {}, shown), Step(running, {}, shown)]


_STEPS: dict[str, Callable[[Path, Pair, Given], list[Step]]] = {
    "Python": _python_steps,
    "Go": _go_steps,
    "Java": _java_steps,
}
