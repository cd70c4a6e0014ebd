"""Compile many suites in one JVM in the sandbox, and classify the errors.

A suite that kills or stalls the JVM is compiled again alone. javac runs no code of a suite, since annotation
processors are off; its output is still a claim, because a source may be written to break it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import PurePosixPath

import msgspec

from benchwright.contracts import Suite
from benchwright.errors import SandboxError
from benchwright.judges.suites import java_report
from benchwright.judges.suites.java_classes import java_files, package_of
from benchwright.judges.suites.java_tools import Tools, class_path
from benchwright.judges.suites.report_verification import kind_of
from benchwright.records import Record
from benchwright.sandbox.box import Sandbox
from benchwright.sandbox.commands import Command, CommandResult, run_command

_PACKAGE = re.compile(r"package (\S+) does not exist")
_MISSING_CLASS = re.compile(r"symbol: *class (\S+)")
_PLATFORM = ("java.", "javax.", "jdk.", "sun.", "com.sun.")


class CompileError(Record, frozen=True, kw_only=True):
    """A compiler error; `code` is javac's name of it, such as "compiler.err.doesnt.exist"."""

    code: str
    file: str
    line: int
    message: str


def kind_of_errors(errors: Sequence[CompileError], suite: Suite) -> str:
    """Return the failure that the errors mean, one of FAILURES.

    environment: a library's package is missing. import: a class or package of the project, or of a newer
    platform, is missing. compile: all other errors. A missing import causes many other errors, so a missing
    package decides wherever it is in the list.
    """
    packages = [match.group(1) for error in errors if (match := _PACKAGE.search(error.message))]
    if packages:
        own = {_root(package_of(text)) for text in java_files(suite).values()}
        foreign = [each for each in packages if _root(each) not in own and not _is_platform(each)]
        return "environment" if foreign else "import"
    return "import" if any(_MISSING_CLASS.search(error.message) for error in errors) else "compile"


def described(errors: Iterable[CompileError]) -> str:
    """Return the first errors for people, each with its place."""
    lines = [f"{error.file}:{error.line}: {' '.join(error.message.split())}" for error in errors]
    return "; ".join(lines[:3])


def _root(package: str) -> str:
    """Return the first two parts of a package, which by convention name the project's owner."""
    return ".".join(package.split(".")[:2])


def _is_platform(package: str) -> bool:
    return f"{package}.".startswith(_PLATFORM)


HEAP_MB = 512
START_CPU_S = 10.0  # of the JVM itself, warming up
MOST_CLASSES = 1000  # of one suite
KEPT_BYTES = 8 << 20  # of class files, in one worker


class CompiledSuite(Record, frozen=True, kw_only=True):
    """The result for one suite: class files by path if `kind` is "", else why there are none.

    kind is one of FAILURES, or "sandbox_error": then nothing is known of the suite.
    """

    classes: dict[str, bytes] = {}
    kind: str = ""
    detail: str = ""
    diagnostics: str = ""  # javac's messages about the focal file alone
    cpu_s: float = 0.0


class KnownClasses:
    """Class files of suites by `sources_key`: the last used ones, at most `KEPT_BYTES`.

    Suites that do not compile are not kept, nor should those that shared a JVM with others, which could have
    changed their classes. The CPU time of compiling counts once.
    """

    def __init__(self) -> None:
        self._found: dict[bytes, CompiledSuite] = {}
        self._bytes = 0

    def get(self, key: bytes) -> CompiledSuite | None:
        """Return the result for a suite, if it is known."""
        if (found := self._found.pop(key, None)) is not None:
            self._found[key] = found
        return found

    def put(self, key: bytes, compiled: CompiledSuite) -> None:
        """Keep a result, and drop those that were not used for the longest time."""
        if compiled.kind or key in self._found or _bytes_of(compiled) > KEPT_BYTES:
            return
        self._found[key] = msgspec.structs.replace(compiled, cpu_s=0.0)
        self._bytes += _bytes_of(compiled)
        while self._bytes > KEPT_BYTES:
            self._bytes -= _bytes_of(self._found.pop(next(iter(self._found))))


def sources_key(suite: Suite) -> bytes:
    """Return a digest of a suite's sources, its focal file and its test file."""
    parts = (list(java_files(suite).items()), suite.focal, suite.test)
    return sha256(msgspec.msgpack.encode(parts)).digest()


def _bytes_of(compiled: CompiledSuite) -> int:
    return sum(len(path) + len(data) for path, data in compiled.classes.items())


class CompilerReport(Record, frozen=True, kw_only=True):
    """The compiler's output for one suite: state "done", "failed" or "timeout", and the files it made."""

    state: str
    made: int = 0
    crash: str = ""
    errors: list[CompileError] = []


def compile_all(
    box: Sandbox, tools: Tools, suites: Mapping[int, Suite], *, cpu_s: float
) -> dict[int, CompiledSuite]:
    """Compile each suite and return the results by number. `cpu_s` is the CPU limit of one suite."""
    waiting, results = dict(suites), dict[int, CompiledSuite]()
    while waiting:
        found = _attempt(box, tools, waiting, cpu_s=cpu_s)
        results |= found
        waiting = {number: suite for number, suite in waiting.items() if number not in found}
        if not found:
            return results | _halved(box, tools, waiting, cpu_s=cpu_s)
    return results


def _halved(
    box: Sandbox, tools: Tools, suites: Mapping[int, Suite], *, cpu_s: float
) -> dict[int, CompiledSuite]:
    """Split the suites in halves after the compiler died, to find the one that killed it."""
    numbers = list(suites)
    halves = (numbers[: len(numbers) // 2], numbers[len(numbers) // 2 :])
    parts = [compile_all(box, tools, {each: suites[each] for each in half}, cpu_s=cpu_s) for half in halves]
    return parts[0] | parts[1]


def _attempt(
    box: Sandbox, tools: Tools, suites: Mapping[int, Suite], *, cpu_s: float
) -> dict[int, CompiledSuite]:
    """Compile suites in one JVM: all of them, or those before the one that takes too long, and that one."""
    try:
        result = run_command(
            box, _command(tools, suites, cpu_s=cpu_s), cpu_s=START_CPU_S + cpu_s * len(suites)
        )
    except SandboxError as error:
        return _alone(suites, CompiledSuite(kind="sandbox_error", detail=error.message))
    reports = _compiler_reports(result.files.get("report", b"").decode("utf-8", "replace"))
    share = result.usage.cpu_s / max(1, len(reports))
    found = {
        number: compiled
        for number, suite in suites.items()
        if (compiled := _compiled(number, suite, reports.get(str(number)), result, share)) is not None
    }
    if found:
        return found
    kind = "compile" if result.status is not None else kind_of(result.outcome)
    return _alone(
        suites, CompiledSuite(kind=kind, detail=f"javac: {result.detail}", cpu_s=result.usage.cpu_s)
    )


def _alone(suites: Mapping[int, Suite], compiled: CompiledSuite) -> dict[int, CompiledSuite]:
    """Return a result for a suite that was compiled alone; none for several, as any may be at fault."""
    return dict.fromkeys(suites, compiled) if len(suites) == 1 else {}


def _command(tools: Tools, suites: Mapping[int, Suite], *, cpu_s: float) -> Command:
    files: dict[str, bytes] = {}
    lines = ["report", str(cpu_s), class_path(tools.toolchain)]
    for number, suite in suites.items():
        sources = java_files(suite)
        lines.append(java_report.line(str(number), *sources))
        files |= {f"in/{number}/{path}": text.encode("utf-8", "replace") for path, text in sources.items()}
    files["job"] = "\n".join(lines).encode()
    argv = tools.java("benchwright.inside.BatchCompiler", "job", heap_mb=HEAP_MB)
    return Command(argv=argv, files=files, collect=("report", "out"))


def _compiler_reports(report: str) -> dict[str, CompilerReport]:
    reports, errors = dict[str, CompilerReport](), list[CompileError]()
    for text in report.split("\n"):
        parts = java_report.fields(text)
        if parts[0] == "error" and len(parts) == 6:
            line = max(0, java_report.number(parts[4]))
            errors.append(CompileError(code=parts[2], file=parts[3], line=line, message=parts[5]))
        elif len(parts) == 4:
            reports[parts[1]] = CompilerReport(
                state=parts[0], made=java_report.number(parts[2]), crash=parts[3], errors=errors
            )
            errors = []
    return reports


def _compiled(
    number: int, suite: Suite, report: CompilerReport | None, result: CommandResult, share: float
) -> CompiledSuite | None:
    """Return one suite's result; None if its report or some of its files are missing."""
    if report is None:
        return None
    if report.state == "timeout":
        return CompiledSuite(kind="timeout", detail="javac took too long", cpu_s=share)
    if report.state != "done":
        own = described(each for each in report.errors if each.file == PurePosixPath(suite.focal).name)
        detail = described(report.errors) or report.crash
        return CompiledSuite(kind=_kind(report, suite), detail=detail, diagnostics=own, cpu_s=share)
    if report.made > MOST_CLASSES:
        return CompiledSuite(kind="compile", detail=f"javac made {report.made} class files", cpu_s=share)
    folder = f"out/{number}/"
    classes = {path[len(folder) :]: data for path, data in result.files.items() if path.startswith(folder)}
    return CompiledSuite(classes=classes, cpu_s=share) if len(classes) == report.made else None


def _kind(report: CompilerReport, suite: Suite) -> str:
    if not report.errors:
        return "memory" if "OutOfMemoryError" in report.crash else "compile"
    return kind_of_errors(report.errors, suite)
