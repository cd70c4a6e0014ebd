"""Build a whole project: import Python packages, compile all Go packages, compile all Java sources.

Everything runs in the sandbox without a network, so third-party packages are missing: then the result is
unknown. The answer is a claim of untrusted code, and only a remark on a row's origin. No label depends on it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from benchwright.contracts import ProjectToolchain
from benchwright.errors import BenchwrightError, PrerequisiteError
from benchwright.judges.suites import go_toolchain, java_toolchain
from benchwright.judges.suites.runners import open_runner
from benchwright.records import Outcome
from benchwright.sandbox.box import Sandbox
from benchwright.sandbox.commands import Command, CommandResult, run_command
from benchwright.sandbox.environments import Environment, interpreter
from benchwright.sandbox.limits import Limits

YES = "yes"
LIMITS = Limits(
    cpu_s=240.0,
    wall_s=600.0,
    memory_mb=2048,
    processes=256,
    tmp_mb=1024,
    output_bytes=64 << 20,
    reply_bytes=64 << 20,
)
MAX_REASON = 200
_NO_PACKAGES = ("test", "tests", "testing", "docs", "doc", "examples", "example", "scripts", "benchmarks")
_NO_MODULES = ("setup.py", "conftest.py", "noxfile.py", "fabfile.py", "tasks.py")
_IMPORTING = """import importlib, sys, traceback
sys.path[:0] = ["/tmp/work/src", "/tmp/work"]
said = "yes"
for name in sys.argv[1:]:
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:
        own = (error.name or "").partition(".")[0] in sys.argv[1:]
        said = f"{'no' if own else 'not tried'}: {name} needs the module {error.name}"
        break
    except BaseException as error:
        said = f"no: {name}: {type(error).__name__}: {error}"
        break
with open("/tmp/work/said", "w", encoding="utf-8", errors="replace") as file:
    file.write(said)
"""
_JAVA_PACKAGE = re.compile(r"error: package (\S{1,200}) does not exist")
_ERROR = re.compile(r"^(?!#|go: downloading)(.{0,400}?(?:\.go:\d+|\.java:\d+|error).{0,400})$", re.MULTILINE)
_GO_MISSING = re.compile(
    r"cannot find module|no required module|missing go\.sum entry|module lookup disabled|requires go >="
    r"|GOPROXY|inconsistent vendoring|toolchain not available|not in std"
)


def no(reason: str) -> str:
    """Return the answer for a project that does not build, with the first reason."""
    return f"no: {_short(reason)}"


def not_tried(why: str) -> str:
    """Return the answer for a project that could not be tried."""
    return f"not tried: {_short(why)}"


def build_project(lang: str, files: Mapping[str, bytes]) -> str:
    """Build a project from its files by path, in a new sandbox: "yes", "no: REASON" or "not tried: WHY"."""
    runner = open_runner(lang)
    if not isinstance(runner, ProjectToolchain):
        return not_tried(f"{lang} projects are not built")
    try:
        return runner.build_project(files)
    except PrerequisiteError as error:
        return not_tried(error.message)
    except BenchwrightError as error:
        return not_tried(f"the sandbox failed ({error.message})")


def build_python(files: Mapping[str, bytes]) -> str:
    """Import all top-level packages of a Python project."""
    names = sorted(_importable(files))
    if not names:
        return not_tried("no package at the top or in src")
    command = Command(
        argv=(str(interpreter()), "-I", "-S", "import_all.py", *names),
        files={**files, "import_all.py": _IMPORTING.encode()},
        collect=("said",),
    )
    result = _result(Environment(name="project", preload=(), kernel_files=True, open_files=256), command)
    answer = result.files.get("said", b"").decode("utf-8", "replace")
    if answer == YES:
        return YES
    state, colon, why = answer.partition(": ")
    if not colon or state not in ("no", "not tried"):
        return no(result.detail or "its import ended the interpreter")
    return no(why) if state == "no" else not_tried(why)


def _importable(files: Mapping[str, bytes]) -> set[str]:
    """Return top-level packages and modules, of the project or of its folder `src`."""
    found = set()
    for path in files:
        parts = path.removeprefix("src/").split("/")
        is_package = len(parts) == 2 and parts[1] == "__init__.py" and parts[0] not in _NO_PACKAGES
        name = parts[0].removesuffix(".py")
        is_module = len(parts) == 1 and path.endswith(".py") and parts[0] not in _NO_MODULES
        if (is_package or (is_module and not name.startswith("test"))) and name.isidentifier():
            found.add(name)
    return found


def build_go(files: Mapping[str, bytes]) -> str:
    """Compile all packages of a Go module. Raises PrerequisiteError without Go."""
    toolchain = go_toolchain.find_toolchain()
    if "go.mod" not in files:
        return not_tried("no go.mod at the top")
    command = Command(
        argv=(f"{toolchain.jailed}/bin/go", "build", "-buildvcs=false", "-trimpath", "./..."),
        files=dict(files),
        env={
            "GOROOT": toolchain.jailed,
            "GOCACHE": "/tmp/go-cache",
            "GOPATH": "/tmp/go-path",
            "HOME": "/tmp",
            "GOPROXY": "off",
            "GOFLAGS": "-mod=vendor" if "vendor/modules.txt" in files else "-mod=mod",
            "GOTOOLCHAIN": "local",
            "CGO_ENABLED": "0",
        },
    )
    environment = Environment(
        name="go-project", preload=(), binds=toolchain.binds, open_files=1024, address_limit=False
    )
    return _attempt_result(_result(environment, command), _GO_MISSING)


def build_java(files: Mapping[str, bytes]) -> str:
    """Compile all Java sources that are not tests. Raises PrerequisiteError without a JDK."""
    toolchain = java_toolchain.find_toolchain()
    sources = sorted(path for path in files if path.endswith(".java") and _is_main(path))
    if not sources:
        return not_tried("no Java sources except tests")
    command = Command(
        argv=(
            *(f"{toolchain.jdk}/bin/javac", "-J-Xmx1g", "-proc:none", "-nowarn", "-encoding", "UTF-8"),
            *("-d", "/tmp/classes", "-cp", ":".join(toolchain.shown), "@sources"),
        ),
        files={**files, "sources": "\n".join(f'"{path}"' for path in sources).encode()},
    )
    environment = Environment(
        name="java-project", preload=(), binds=toolchain.binds, open_files=1024, address_limit=False
    )
    result = _result(environment, command)
    missing = _JAVA_PACKAGE.search(result.output.decode("utf-8", "replace"))
    return not_tried(f"it needs the package {missing[1]}") if missing else _attempt_result(result, None)


def _is_main(path: str) -> bool:
    """Return whether a source is not a test or a module description, whose names would be unresolved."""
    folders = path.split("/")
    plain = {"test", "tests", "androidTest", "jmh", "it"}.isdisjoint(folders[:-1])
    return plain and folders[-1] not in ("module-info.java", "package-info.java") and '"' not in path


def _result(environment: Environment, command: Command) -> CommandResult:
    with Sandbox(environment, limits=LIMITS) as box:
        return run_command(box, command)


def _attempt_result(result: CommandResult, missing: re.Pattern[str] | None) -> str:
    if result.outcome is Outcome.passed:
        return YES
    output = result.output.decode("utf-8", "replace")
    if missing is not None and (match := missing.search(output)):
        line = output[output.rfind("\n", 0, match.start()) + 1 :].partition("\n")[0]
        return not_tried(line)
    if result.status is None:
        return not_tried(result.detail)
    first = _ERROR.search(output)
    return no(first[1] if first else result.detail)


def _short(text: str) -> str:
    shown = " ".join(text.split())
    return "".join(char for char in shown if char.isprintable())[:MAX_REASON]
