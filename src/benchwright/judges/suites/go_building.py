"""Compile and link suites in the sandbox: many into one program, or each into its own."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchwright.errors import SandboxError
from benchwright.judges.suites.go_library import HARNESS, JAILED, Library
from benchwright.judges.suites.go_project import VETTED, GoSuite
from benchwright.judges.suites.go_toolchain import GoToolchain
from benchwright.judges.suites.report_verification import kind_of
from benchwright.records import Outcome, Record
from benchwright.sandbox.box import Sandbox
from benchwright.sandbox.commands import Command, CommandResult, run_command
from benchwright.sandbox.environments import Environment, interpreter
from benchwright.sandbox.limits import Limits

BUILDER = Path(__file__).with_name("go_inside.py")
MAX_PROGRAM = 256 << 20
TOOL_MEMORY = 1536 << 20  # of one compiler or linker run
LINK_CPU_S = 30.0
SHOWN_LINES = 3  # of a tool's output
_VET = (
    *("-atomic", "-bools", "-buildtag", "-directive", "-errorsas", "-ifaceassert", "-nilfunc", "-printf"),
    *("-slog", "-stdversion", "-stringintconv"),
)
_VET_TESTS = (1, 24)  # from this version on, `go test` also passes `-tests`
_XCPU = -24


class BuiltSuite(Record, frozen=True, kw_only=True):
    """The build of one suite. `kind`: why it has no program, one of FAILURES or "sandbox_error"; else ""."""

    kind: str = ""
    detail: str = ""
    diagnostics: str = ""  # compiler messages about the focal file alone
    cpu_s: float = 0.0


class GoBuild(Record, frozen=True, kw_only=True):
    """A build: the program of all suites that compiled, and the result of each.

    `again`: the build failed for an unknown suite, so each must be built alone.
    """

    program: bytes = b""
    built: dict[int, BuiltSuite] = {}
    again: bool = False


def build_environment(toolchain: GoToolchain, library: Library) -> Environment:
    """Return the compiler's environment: the toolchain and the compiled library."""
    binds = (*toolchain.binds, (library.folder, JAILED))
    return Environment(name="go-build", preload=(), binds=binds, open_files=256, address_limit=False)


def build_limits(cpu_s: float) -> Limits:
    """Return the limits of a whole build; each tool has its own limits within them."""
    return Limits(
        cpu_s=cpu_s,
        wall_s=600.0,
        memory_mb=2048,
        processes=256,
        tmp_mb=1024,
        output_bytes=MAX_PROGRAM,
        reply_bytes=64 << 20,
    )


def build(
    box: Sandbox, toolchain: GoToolchain, library: Library, pairs: Mapping[int, GoSuite], *, cpu_s: float
) -> GoBuild:
    """Compile each suite by itself, and link those that compile. `cpu_s` is the limit for compiling one
    suite."""
    plan = _plan(toolchain, library, pairs, cpu_s)
    files = {"plan.json": json.dumps(plan).encode(), "build.py": BUILDER.read_bytes()}
    for number, pair in pairs.items():
        for path, text in pair.texts.items():
            files[f"s{number}/{path}"] = text.encode("utf-8", "surrogatepass")
    argv = (str(interpreter()), "-I", "-S", "build.py", "plan.json")
    command = Command(argv=argv, files=files, collect=("out",), collect_bytes=MAX_PROGRAM)
    try:
        result = run_command(box, command, cpu_s=cpu_s * len(pairs) + LINK_CPU_S)
    except SandboxError as error:
        return GoBuild(
            built={number: BuiltSuite(kind="sandbox_error", detail=error.message) for number in pairs}
        )
    return _read(result, pairs)


def _plan(
    toolchain: GoToolchain, library: Library, pairs: Mapping[int, GoSuite], cpu_s: float
) -> dict[str, Any]:
    # Alone, a suite's packages have the paths that `go test` gives them, for code that reads its own path.
    prefix = "" if len(pairs) == 1 else "s{}/"
    imported_packages = frozenset(
        name for pair in pairs.values() for package in pair.packages for name in package.standard
    )
    plain = len(pairs) > 1 and not any(pair.alone or pair.whole for pair in pairs.values())
    return {
        "root": toolchain.jailed,
        "tools": toolchain.jailed_tools,
        "harness": HARNESS,
        "public": library.config(imported_packages | {HARNESS}, plain=plain),
        "all": library.config(plain=plain),
        "cpu_s": max(1.0, cpu_s),
        "memory": TOOL_MEMORY,
        "vet": [*_VET, *(["-tests"] if toolchain.numbers >= _VET_TESTS else [])],
        "version": f"go{toolchain.version}",
        "suites": {str(n): _packages(n, pair, prefix.format(n)) for n, pair in pairs.items()},
        "entries": {
            str(n): (prefix.format(n) + pair.packages[-1].path, pair.entry) for n, pair in pairs.items()
        },
    }


def _packages(number: int, pair: GoSuite, prefix: str) -> list[dict[str, Any]]:
    flags = ["-lang", pair.language] if pair.language else []
    return [
        {
            "path": prefix + package.path,
            "files": [f"s{number}/{path}" for path in package.files],
            "flags": flags,
            "config": "".join(_own(name, prefix) for name in sorted(package.needs)),
            "vetted": _vetted(number, pair) if package is pair.packages[-1] else [],
        }
        for package in pair.packages
    ]


def _vetted(number: int, pair: GoSuite) -> list[str]:
    """Return the files of the tests' package, which vet reads."""
    if pair.suite.framework != VETTED:
        return []
    return [f"s{number}/{path}" for path in pair.packages[-1].files]


def _own(name: str, prefix: str) -> str:
    """Return the lines of an importcfg for the suite's own packages."""
    mapped = f"importmap {name}={prefix}{name}\n" if prefix else ""
    return f"{mapped}packagefile {prefix}{name}=archives/{prefix}{name}.a\n"


def _read(build_run: CommandResult, pairs: Mapping[int, GoSuite]) -> GoBuild:
    if build_run.outcome is not Outcome.passed or "out/result.json" not in build_run.files:
        return _failed(kind_of(build_run.outcome), _last_words(build_run), pairs, build_run.usage.cpu_s)
    result = json.loads(build_run.files["out/result.json"])
    link = result["link"]
    share = link["cpu_s"] / len(pairs)
    if link["status"] != 0:
        kind, detail = _fault(link, "")
        return _failed(kind, detail, pairs, build_run.usage.cpu_s)
    built = {}
    for number, pair in pairs.items():
        one = result["suites"][str(number)]
        kind, detail = _fault(one, f"s{number}/") if one["status"] else ("", "")
        own = (
            _of_file(pair.suite.focal, one["output"].replace(f"s{number}/", "")) if kind == "compile" else ""
        )
        cpu_s = one["cpu_s"] + (0.0 if kind else share)
        built[number] = BuiltSuite(
            kind=kind, detail=detail, diagnostics=own if kind == "compile" else "", cpu_s=cpu_s
        )
    parts = sorted(path for path in build_run.files if path.startswith("out/program."))
    return GoBuild(program=b"".join(build_run.files[path] for path in parts), built=built)


def _last_words(result: CommandResult) -> str:
    lines = result.output.decode("utf-8", "replace").strip().splitlines()
    return ": ".join(["the build left no result", result.detail, *lines[-1:]])


def _failed(kind: str, detail: str, pairs: Mapping[int, GoSuite], cpu_s: float) -> GoBuild:
    if len(pairs) > 1:
        return GoBuild(again=True)
    return GoBuild(built={number: BuiltSuite(kind=kind, detail=detail, cpu_s=cpu_s) for number in pairs})


def _of_file(path: str, output: str) -> str:
    """Return a tool's messages about one file, without continuation lines that name another file."""
    lines = (line.removeprefix("vet: ").removeprefix("./") for line in output.splitlines())
    return "; ".join([line for line in lines if line.startswith(f"{path}:")][:SHOWN_LINES])


def _fault(tool_result: Mapping[str, Any], prefix: str) -> tuple[str, str]:
    """Return why a tool failed, with paths as in the suite."""
    if tool_result["status"] == _XCPU:
        return "timeout", f"compiling took more than its {tool_result['cpu_s']:.0f} s of processor time"
    text = tool_result["output"].replace(prefix, "") if prefix else tool_result["output"]
    if "out of memory" in text or "cannot allocate memory" in text:
        return "memory", "compiling took more memory than it may"
    if tool_result["status"] < 0 or tool_result["status"] == 127:
        return "compile", f"the compiler was ended by signal {-tool_result['status']}"
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return "compile", "; ".join(lines[:SHOWN_LINES])
