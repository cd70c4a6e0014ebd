"""Execute Go suites: many linked into one program, each run in a separate process and sandbox.

    with GoSuites() as runner:
        for number, report in runner.run(enumerate(suites), variation=Variation()):
            ...

Of a variation, the order of the tests (`-test.shuffle`) and the time zone have an effect. Go takes no seed
for its hashes, and reads the clock without the C library, so neither changes; the report notes this for the
clock. The owner of a folder of programs holds a lock on a file in it, which ends with the process: the next
process deletes folders that a killed one left.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Self

import msgspec

from benchwright.contracts import ServedProgram, Suite, SuiteReport, Variation
from benchwright.errors import PrerequisiteError, SandboxError, UsageError
from benchwright.judges.suites import report_verification
from benchwright.judges.suites.go_building import BuiltSuite, build, build_environment, build_limits
from benchwright.judges.suites.go_library import Library, check_library, prepare_library, provide
from benchwright.judges.suites.go_project import VETTED, GoSuite, plan_pair
from benchwright.judges.suites.go_running import run_environment, run_pair, serve_program
from benchwright.judges.suites.go_toolchain import GoToolchain, find_toolchain
from benchwright.judges.suites.project_builds import build_go
from benchwright.judges.suites.report_verification import SuiteClaims
from benchwright.judges.suites.variations import Tracing, with_probes
from benchwright.lang.go.slips import probed_go
from benchwright.sandbox.box import Sandbox
from benchwright.sandbox.limits import Limits
from benchwright.sandbox.zygote import RunningAnswer

BATCH = 80  # suites linked into one program: linking costs as much as compiling six suites
LIMITS = Limits(cpu_s=10.0, memory_mb=1024, processes=256, tmp_mb=128, output_bytes=64 << 20)
Numbered = tuple[int, SuiteReport]


class GoSuites:
    """The SuiteRunner of Go. `limits` apply to one run; `compile_cpu_s` to compiling one suite.

    `sharing` "never" gives each suite its own program. Not thread-safe. `run` does not raise if the toolchain
    is missing: each report has the state "absent".
    """

    lang = "Go"
    batch = BATCH

    def __init__(
        self,
        *,
        limits: Limits = LIMITS,
        compile_cpu_s: float = 10.0,
        jail: str = "auto",
        sharing: str = "auto",
    ) -> None:
        if sharing not in ("auto", "never"):
            raise UsageError(f"unknown sharing {sharing!r}", hint="one of: auto, never")
        self._limits, self._compile_cpu_s = limits, compile_cpu_s
        self._jail, self._sharing = jail, sharing
        self._boxes: dict[str, Sandbox] = {}
        self._programs = GoPrograms()
        self._tracing: dict[int, Tracing | None] = {}  # by suite number in a traced run

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    @cached_property
    def _toolchain(self) -> GoToolchain:
        return find_toolchain()

    @cached_property
    def _library(self) -> Library:
        return prepare_library(self._toolchain)

    @cached_property
    def _public(self) -> frozenset[str]:
        return self._library.public

    def versions(self) -> Mapping[str, str]:
        """Return Go's version. Raises PrerequisiteError if Go, or a place for its compiled library, is
        missing."""
        check_library(self._toolchain)
        return self._toolchain.versions

    def prepare(self) -> None:
        """Compile the part of the standard library that every suite needs."""
        _ = self._library

    def set_up(self) -> None:
        """Compile what every suite needs."""
        self.prepare()

    def build_project(self, files: Mapping[str, bytes]) -> str:
        """Compile all packages of the module."""
        return build_go(files)

    def close(self) -> None:
        """End the sandboxes and delete the programs."""
        for box in self._boxes.values():
            box.close()
        self._boxes.clear()
        self._programs.close()

    def run(self, suites: Iterable[tuple[int, Suite]], *, variation: Variation) -> Iterator[Numbered]:
        """Yield a report for each numbered suite; suites that may share a program are built in batches."""
        waiting: dict[int, GoSuite] = {}
        self._tracing.clear()
        for number, original in suites:
            suite = self._traced(number, original) if variation.traced else original
            try:
                pair = plan_pair(suite, self._toolchain, public=self._public)
                provide(self._library, self._toolchain, pair.standard)
            except PrerequisiteError as error:
                yield number, SuiteReport(state="absent", detail=str(error))
                continue
            except SandboxError as error:
                yield number, report_verification.sandbox_error(error.message)
                continue
            if pair.problem is not None or pair.alone or self._sharing == "never":
                yield from self._alone({number: pair}, variation)
                continue
            waiting[number] = pair
            if len(waiting) == BATCH:
                yield from self._together(waiting, variation)
                waiting = {}
        yield from self._together(waiting, variation)

    def serve(self, suite: Suite, function: str, work: Callable[[RunningAnswer], None]) -> ServedProgram:
        """Compile a suite into a program that answers calls of one function, and let `work` call it.

        Raises PrerequisiteError and SandboxError.
        """
        pair = plan_pair(suite, self._toolchain, public=self._public, served=function)
        provide(self._library, self._toolchain, pair.standard)
        if pair.problem is not None:
            return ServedProgram(
                kind=pair.problem.kind, detail=pair.problem.detail, diagnostics=pair.problem.detail
            )
        batch = build(self._build_box(), self._toolchain, self._library, {0: pair}, cpu_s=self._compile_cpu_s)
        built = batch.built[0]
        if built.kind:
            return ServedProgram(
                kind=built.kind, detail=built.detail, diagnostics=built.diagnostics, cpu_s=built.cpu_s
            )
        program = self._programs.keep(batch.program)
        try:
            served = serve_program(self._run_box(), self._toolchain, program, work)
        finally:
            self._programs.drop(program)
        return msgspec.structs.replace(served, cpu_s=built.cpu_s + served.cpu_s)

    def _traced(self, number: int, suite_of_answer: Suite) -> Suite:
        suite, self._tracing[number] = with_probes(suite_of_answer, probed_go)
        return suite

    def _alone(self, pairs: Mapping[int, GoSuite], variation: Variation) -> Iterator[Numbered]:
        for number, pair in pairs.items():
            if pair.problem is not None:
                claims = SuiteClaims(kind=pair.problem.kind, detail=pair.problem.detail)
                yield number, self._settled(pair, claims, variation)
            else:
                yield from self._together({number: pair}, variation)

    def _together(self, pairs: Mapping[int, GoSuite], variation: Variation) -> Iterator[Numbered]:
        """Build one program of these suites and run each; if that is not conclusive, build each alone."""
        if not pairs:
            return
        again: dict[int, GoSuite] = {}
        program = ""
        try:
            batch = build(self._build_box(), self._toolchain, self._library, pairs, cpu_s=self._compile_cpu_s)
            if batch.again:
                yield from self._alone(pairs, variation)
                return
            readable = all(pair.suite.framework != VETTED for pair in pairs.values())
            program = self._programs.keep(batch.program, readable=readable)
            for number, pair in pairs.items():
                report = self._report(
                    number, pair, batch.built[number], program, variation, shared=len(pairs) > 1
                )
                if report is None:
                    again[number] = pair
                else:
                    yield number, report
        finally:
            self._programs.drop(program)
        yield from self._alone(again, variation)

    def _report(
        self,
        number: int,
        pair: GoSuite,
        built: BuiltSuite,
        program: str,
        variation: Variation,
        *,
        shared: bool,
    ) -> SuiteReport | None:
        """Return one suite's report; None if it must be built alone."""
        if built.kind == "sandbox_error":
            return report_verification.sandbox_error(built.detail)
        if built.kind:
            claims = SuiteClaims(
                kind=built.kind, detail=built.detail, diagnostics=built.diagnostics, cpu_s=built.cpu_s
            )
            return self._settled(pair, claims, variation)
        try:
            claims, is_begun = self._run(number, pair, program, variation, canaries=True)
            if shared and not is_begun:
                return None
            report = self._settled(pair, claims, variation)
            if report.state == "success" and pair.whole:
                report = self._checked(number, pair, program, variation, report)
        except SandboxError as error:
            return report_verification.sandbox_error(error.message)
        return msgspec.structs.replace(report, cpu_s=report.cpu_s + built.cpu_s)

    def _run(
        self, number: int, pair: GoSuite, program: str, variation: Variation, *, canaries: bool
    ) -> tuple[SuiteClaims, bool]:
        return run_pair(
            self._run_box(),
            self._toolchain,
            pair,
            number=number,
            program=program,
            variation=variation,
            canaries=canaries,
            tracing=self._tracing.get(number),
        )

    def _checked(
        self, number: int, pair: GoSuite, program: str, variation: Variation, report: SuiteReport
    ) -> SuiteReport:
        """Return the report of a suite whose exit status counts too, after a run without canaries."""
        claims, _ = self._run(number, pair, program, variation, canaries=False)
        cpu_s = report.cpu_s + claims.cpu_s
        if claims.complete and all(case.state != "failed" for case in claims.cases):
            return msgspec.structs.replace(report, cpu_s=cpu_s)
        kind = claims.kind or "exception"
        detail = claims.detail or "it fails without the tests that were added"
        return msgspec.structs.replace(
            report, state="failed", kind=kind, detail=report_verification.shorten(detail), cpu_s=cpu_s
        )

    def _settled(self, pair: GoSuite, claims: SuiteClaims, variation: Variation) -> SuiteReport:
        report = report_verification.verify_report(pair.suite, pair.canaries, claims)
        note = "the clock was not shifted: Go reads it past the C library" if variation.clock_shift_s else ""
        detail = "; ".join(part for part in (report.detail, note) if part)
        return msgspec.structs.replace(report, detail=detail, versions=self._toolchain.versions)

    def _build_box(self) -> Sandbox:
        if "build" not in self._boxes:
            environment = build_environment(self._toolchain, self._library)
            limits = build_limits(self._compile_cpu_s * BATCH)
            self._boxes["build"] = Sandbox(environment, limits=limits, jail=self._jail)
        return self._boxes["build"]

    def _run_box(self) -> Sandbox:
        if "run" not in self._boxes:
            environment = run_environment(self._toolchain, str(self._programs.folder))
            self._boxes["run"] = Sandbox(environment, limits=self._limits, jail=self._jail)
        return self._boxes["run"]


__all__ = ["BATCH", "LIMITS", "GoSuites"]


PREFIX = "benchwright-go-"
LOCK = "lock"


class GoPrograms:
    """Programs under their own names. The folder is created on first use."""

    def __init__(self, parent: Path | None = None) -> None:
        self._parent = parent or Path(tempfile.gettempdir())
        self._folder: Path | None = None
        self._lock = -1

    @property
    def folder(self) -> Path:
        """Return the folder, readable for the user of the sandbox, unlike other temporary folders."""
        if self._folder is None:
            sweep(self._parent)
            self._folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=self._parent))
            self._lock = os.open(self._folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._folder.chmod(0o755)
        return self._folder

    def keep(self, program: bytes, *, readable: bool = True) -> str:
        """Store a program and return its name; empty if there is none, because no suite compiled.

        A program that is not readable can only be executed, so that nobody reads the expected values of its
        tests.
        """
        if not program:
            return ""
        with tempfile.NamedTemporaryFile(dir=self.folder, delete=False) as file:
            file.write(program)
        path = Path(file.name)
        path.chmod(0o755 if readable else 0o111)
        return path.name

    def drop(self, name: str) -> None:
        """Delete a program; ignores the empty name."""
        if name:
            (self.folder / name).unlink(missing_ok=True)

    def close(self) -> None:
        """Delete the folder and its content."""
        if self._folder is not None:
            shutil.rmtree(self._folder)
            os.close(self._lock)
            self._folder = None


def sweep(parent: Path) -> None:
    """Delete the folders of ended processes. A folder without a lock file is being created."""
    for folder in parent.glob(f"{PREFIX}*"):
        try:
            lock = os.open(folder / LOCK, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
        except OSError:  # another user's, or already deleted
            continue
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)
        except BlockingIOError:
            continue
        finally:
            os.close(lock)
