"""Compiles many suites in one JVM in the sandbox, and says which failures that makes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath

from benchwright.contracts import Suite
from benchwright.errors import SandboxError
from benchwright.judges.suites import java_wire
from benchwright.judges.suites.java_sources import java_files, package_of
from benchwright.judges.suites.java_tools import Tools, class_path
from benchwright.judges.suites.settling import kind_of
from benchwright.records import Record
from benchwright.sandbox.box import Sandbox
from benchwright.sandbox.commands import Command, Ran, run_command

# What javac said, and which of the failures that makes: compile, import or environment.

_PACKAGE = re.compile(r"package (\S+) does not exist")
_MISSING_CLASS = re.compile(r"symbol: *class (\S+)")
_PLATFORM = ("java.", "javax.", "jdk.", "sun.", "com.sun.")


class CompileError(Record, frozen=True, kw_only=True):
    """One error of the compiler; `code` is javac's own name of it, such as "compiler.err.doesnt.exist"."""

    code: str
    file: str
    line: int
    message: str


def kind_of_errors(errors: Sequence[CompileError], suite: Suite) -> str:
    """One of FAILURES.

    environment: a package of some library is not there. import: neither is a class or a package of the
    project's own, or one that the platform does not have. compile: all other errors. One missing import
    brings many other errors after it, so a missing package decides wherever it stands.
    """
    packages = [match.group(1) for error in errors if (match := _PACKAGE.search(error.message))]
    if packages:
        own = {_root(package_of(text)) for text in java_files(suite).values()}
        foreign = [each for each in packages if _root(each) not in own and not _is_platform(each)]
        return "environment" if foreign else "import"
    return "import" if any(_MISSING_CLASS.search(error.message) for error in errors) else "compile"


def described(errors: Iterable[CompileError]) -> str:
    """The errors for people, the first few, each with its place."""
    lines = [f"{error.file}:{error.line}: {' '.join(error.message.split())}" for error in errors]
    return "; ".join(lines[:3])


def _root(package: str) -> str:
    """The first two parts, which by custom name the project's owner."""
    return ".".join(package.split(".")[:2])


def _is_platform(package: str) -> bool:
    return f"{package}.".startswith(_PLATFORM)


# Compiles many suites in one JVM in the sandbox; one that kills or stalls it is left alone with it. javac
# runs no code of a suite: annotation processors are off. Still its word is a claim, since a source may be
# written to break it.

HEAP_MB = 512
START_CPU_S = 10.0  # of the JVM itself, warming up
MOST_CLASSES = 1000  # of one suite


class Compiled(Record, frozen=True, kw_only=True):
    """What became of one suite: class files by path when `kind` is "", else why there are none.

    kind "sandbox_error" stands beside FAILURES: then nothing is known of the suite.
    """

    classes: dict[str, bytes] = {}
    kind: str = ""
    detail: str = ""
    diagnostics: str = ""  # what javac said of the focal file alone
    cpu_s: float = 0.0


class CompilerReport(Record, frozen=True, kw_only=True):
    """What the compiler wrote of one suite: state "done", "failed" or "timeout", and the files it made."""

    state: str
    made: int = 0
    crash: str = ""
    errors: list[CompileError] = []


def compile_all(
    box: Sandbox, tools: Tools, suites: Mapping[int, Suite], *, cpu_s: float
) -> dict[int, Compiled]:
    """Each suite compiled, by its number. `cpu_s` is what one of them may use of the processor."""
    waiting, done = dict(suites), dict[int, Compiled]()
    while waiting:
        found = _attempt(box, tools, waiting, cpu_s=cpu_s)
        done |= found
        waiting = {number: suite for number, suite in waiting.items() if number not in found}
        if not found:
            return done | _halved(box, tools, waiting, cpu_s=cpu_s)
    return done


def _halved(box: Sandbox, tools: Tools, suites: Mapping[int, Suite], *, cpu_s: float) -> dict[int, Compiled]:
    """The compiler died without a word: look for the suite it cannot bear in both halves."""
    numbers = list(suites)
    halves = (numbers[: len(numbers) // 2], numbers[len(numbers) // 2 :])
    parts = [compile_all(box, tools, {each: suites[each] for each in half}, cpu_s=cpu_s) for half in halves]
    return parts[0] | parts[1]


def _attempt(box: Sandbox, tools: Tools, suites: Mapping[int, Suite], *, cpu_s: float) -> dict[int, Compiled]:
    """What one JVM gets done: all of the suites, or those before the one that took too long, and that one."""
    try:
        ran = run_command(box, _command(tools, suites, cpu_s=cpu_s), cpu_s=START_CPU_S + cpu_s * len(suites))
    except SandboxError as error:
        return _alone(suites, Compiled(kind="sandbox_error", detail=error.message))
    told = _told(ran.files.get("report", b"").decode("utf-8", "replace"))
    share = ran.usage.cpu_s / max(1, len(told))
    found = {
        number: compiled
        for number, suite in suites.items()
        if (compiled := _compiled(number, suite, told.get(str(number)), ran, share)) is not None
    }
    if found:
        return found
    kind = "compile" if ran.status is not None else kind_of(ran.outcome)
    return _alone(suites, Compiled(kind=kind, detail=f"javac: {ran.detail}", cpu_s=ran.usage.cpu_s))


def _alone(suites: Mapping[int, Suite], compiled: Compiled) -> dict[int, Compiled]:
    """A verdict on a suite that was compiled alone; none on several, of which one may be to blame."""
    return dict.fromkeys(suites, compiled) if len(suites) == 1 else {}


def _command(tools: Tools, suites: Mapping[int, Suite], *, cpu_s: float) -> Command:
    files: dict[str, bytes] = {}
    lines = ["report", str(cpu_s), class_path(tools.toolchain)]
    for number, suite in suites.items():
        sources = java_files(suite)
        lines.append(java_wire.line(str(number), *sources))
        files |= {f"in/{number}/{path}": text.encode("utf-8", "replace") for path, text in sources.items()}
    files["job"] = "\n".join(lines).encode()
    argv = tools.java("benchwright.inside.BatchCompiler", "job", heap_mb=HEAP_MB)
    return Command(argv=argv, files=files, collect=("report", "out"))


def _told(report: str) -> dict[str, CompilerReport]:
    told, errors = dict[str, CompilerReport](), list[CompileError]()
    for text in report.split("\n"):
        parts = java_wire.fields(text)
        if parts[0] == "error" and len(parts) == 6:
            line = max(0, java_wire.number(parts[4]))
            errors.append(CompileError(code=parts[2], file=parts[3], line=line, message=parts[5]))
        elif len(parts) == 4:
            told[parts[1]] = CompilerReport(
                state=parts[0], made=java_wire.number(parts[2]), crash=parts[3], errors=errors
            )
            errors = []
    return told


def _compiled(
    number: int, suite: Suite, told: CompilerReport | None, ran: Ran, share: float
) -> Compiled | None:
    """One suite's result; None when its report or some of its files did not come back."""
    if told is None:
        return None
    if told.state == "timeout":
        return Compiled(kind="timeout", detail="javac took too long", cpu_s=share)
    if told.state != "done":
        own = described(each for each in told.errors if each.file == PurePosixPath(suite.focal).name)
        detail = described(told.errors) or told.crash
        return Compiled(kind=_kind(told, suite), detail=detail, diagnostics=own, cpu_s=share)
    if told.made > MOST_CLASSES:
        return Compiled(kind="compile", detail=f"javac made {told.made} class files", cpu_s=share)
    folder = f"out/{number}/"
    classes = {path[len(folder) :]: data for path, data in ran.files.items() if path.startswith(folder)}
    return Compiled(classes=classes, cpu_s=share) if len(classes) == told.made else None


def _kind(told: CompilerReport, suite: Suite) -> str:
    if not told.errors:
        return "memory" if "OutOfMemoryError" in told.crash else "compile"
    return kind_of_errors(told.errors, suite)
