"""Execute Java suites: compiled in batches, each run in its own JVM, both in the sandbox.

    with JavaSuites() as runner:
        for number, report in runner.run(enumerate(suites), variation=Variation()):
            ...

Of a variation, the order of the tests and the time zone have an effect. A hash seed has none: hashes of
strings are fixed in Java, and `Set.of`, whose order differs between runs, takes no seed. The clock cannot be
shifted without an agent in the JVM, so it is not shifted; the report has a note on that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Self

import msgspec

from benchwright.contracts import ServedProgram, Suite, SuiteReport, Variation
from benchwright.errors import PrerequisiteError, SandboxError, UsageError
from benchwright.judges.suites import report_verification
from benchwright.judges.suites.java_classes import objection, read_classes, remark
from benchwright.judges.suites.java_compiling import CompiledSuite, KnownClasses, compile_all, sources_key
from benchwright.judges.suites.java_running import run_suite, serve_classes
from benchwright.judges.suites.java_toolchain import DEBIAN, JavaToolchain, find_toolchain, library_folder
from benchwright.judges.suites.java_tools import CANARIES, Tools, check_tools, prepare_tools
from benchwright.judges.suites.libraries import digest_of, entries
from benchwright.judges.suites.project_builds import build_java
from benchwright.judges.suites.reentry_guards import guarded_java
from benchwright.judges.suites.report_verification import SuiteClaims
from benchwright.judges.suites.variations import Tracing, with_probes
from benchwright.lang.java.slips import probed_java
from benchwright.sandbox.box import Sandbox
from benchwright.sandbox.limits import Limits
from benchwright.sandbox.zygote import RunningAnswer

BATCH = 32  # suites compiled in one JVM: more save little once it is warm, and delay the first report
LIMITS = Limits(cpu_s=10.0, memory_mb=1024, processes=128, tmp_mb=256, output_bytes=64 << 20)


class JavaSuites:
    """The SuiteRunner of Java. `limits` apply to one run; `compile_cpu_s` to compiling one suite.

    Not thread-safe. `run` does not raise if the toolchain is missing: each report has the state "absent".
    """

    lang = "Java"
    batch = BATCH

    def __init__(
        self,
        *,
        limits: Limits = LIMITS,
        compile_cpu_s: float = 10.0,
        jail: str = "auto",
        libraries: Path | None = None,
    ) -> None:
        self._limits, self._compile_cpu_s, self._jail = limits, compile_cpu_s, jail
        self._libraries = libraries
        self._box: Sandbox | None = None
        self._tracing: dict[int, Tracing | None] = {}  # by suite number in a traced run
        self._known = KnownClasses()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    @cached_property
    def _toolchain(self) -> JavaToolchain:
        found = find_toolchain()
        if self._libraries is None or not (digest := digest_of(self._libraries, self.lang)):
            return found
        jars = [str(path.resolve()) for path in entries(self._libraries, self.lang)]
        return msgspec.structs.replace(found, jars=(*found.jars, *jars), libraries=digest)

    @cached_property
    def _tools(self) -> Tools:
        return prepare_tools(self._toolchain, jail=self._jail)

    def versions(self) -> Mapping[str, str]:
        """Return the versions of the JDK and JUnit. Raises PrerequisiteError with the command that installs
        them."""
        check_tools(self._toolchain)
        return self._toolchain.versions

    def prepare(self) -> None:
        """Compile our own programs for this toolchain, and make the archive of classes."""
        _ = self._tools

    def set_up(self) -> None:
        """Do what `prepare` does, and collect the jars that known data sets import."""
        self.prepare()
        library_folder(tuple(DEBIAN))

    def build_project(self, files: Mapping[str, bytes]) -> str:
        """Compile all sources that are not tests."""
        return build_java(files)

    def close(self) -> None:
        """End the sandbox."""
        if self._box is not None:
            self._box.close()
            self._box = None

    def run(
        self, suites: Iterable[tuple[int, Suite]], *, variation: Variation
    ) -> Iterator[tuple[int, SuiteReport]]:
        """Yield a report for each numbered suite, batch by batch."""
        waiting = iter(suites)
        while batch := dict(islice(waiting, BATCH)):
            for number, suite in batch.items():
                if suite.framework not in CANARIES:
                    hint = f"one of: {', '.join(CANARIES)}"
                    raise UsageError(f"suite {number}: unknown Java framework {suite.framework!r}", hint=hint)
            self._tracing.clear()
            yield from self._batch(self._probed(batch) if variation.traced else batch, variation)

    def serve(self, suite: Suite, function: str, work: Callable[[RunningAnswer], None]) -> ServedProgram:
        """Compile a suite and let `work` make calls through the class that `function` names.

        Raises PrerequisiteError and SandboxError.
        """
        tools, box = self._tools, self._opened()
        compiled = compile_all(box, tools, {0: suite}, cpu_s=self._compile_cpu_s)[0]
        if not compiled.kind:
            return serve_classes(box, tools, compiled, function, work)
        return ServedProgram(
            kind=compiled.kind,
            detail=compiled.detail,
            diagnostics=compiled.diagnostics,
            cpu_s=compiled.cpu_s,
        )

    def _probed(self, batch: Mapping[int, Suite]) -> dict[int, Suite]:
        found = {number: with_probes(suite, probed_java) for number, suite in batch.items()}
        self._tracing = {number: tracing for number, (_, tracing) in found.items()}
        return {number: suite for number, (suite, _) in found.items()}

    def _batch(self, batch: dict[int, Suite], variation: Variation) -> Iterator[tuple[int, SuiteReport]]:
        try:
            tools, box = self._tools, self._opened()
        except PrerequisiteError as error:
            yield from ((number, SuiteReport(state="absent", detail=str(error))) for number in batch)
            return
        except SandboxError as error:
            yield from ((number, report_verification.sandbox_error(error.message)) for number in batch)
            return
        guarded = {number: _guarded(suite) for number, suite in batch.items()}
        compiled = self._compiled(box, tools, guarded)
        for number, suite in batch.items():
            yield number, self._report(number, suite, compiled[number], variation)

    def _compiled(
        self, box: Sandbox, tools: Tools, suites: Mapping[int, Suite]
    ) -> Mapping[int, CompiledSuite]:
        """Compile suites; one that comes alone is compiled once, however often it is executed."""
        if len(suites) > 1:
            return compile_all(box, tools, suites, cpu_s=self._compile_cpu_s)
        ((number, suite),) = suites.items()
        key = sources_key(suite)
        if (found := self._known.get(key)) is None:
            found = compile_all(box, tools, suites, cpu_s=self._compile_cpu_s)[number]
            self._known.put(key, found)
        return {number: found}

    def _opened(self) -> Sandbox:
        if self._box is None:
            self._box = Sandbox(self._tools.environment, limits=self._limits, jail=self._jail)
        return self._box

    def _report(
        self, number: int, suite: Suite, compiled: CompiledSuite, variation: Variation
    ) -> SuiteReport:
        if compiled.kind == "sandbox_error":
            return report_verification.sandbox_error(compiled.detail)
        canary_names = report_verification.draw_canaries(
            report_verification.random_word().capitalize() + "#{}"
        )
        try:
            claims = self._claims(suite, compiled, canary_names, variation, self._tracing.get(number))
        except SandboxError as error:
            return report_verification.sandbox_error(error.message)
        report = report_verification.verify_report(suite, canary_names, claims)
        notes = (report.detail, _remark(report, suite, compiled), _left_out(variation))
        detail = "; ".join(note for note in notes if note)
        return msgspec.structs.replace(report, detail=detail, versions=self._toolchain.versions)

    def _claims(
        self,
        suite: Suite,
        compiled: CompiledSuite,
        canary_names: report_verification.Canaries,
        variation: Variation,
        tracing: Tracing | None,
    ) -> SuiteClaims:
        if compiled.kind:
            return SuiteClaims(
                kind=compiled.kind,
                detail=compiled.detail,
                diagnostics=compiled.diagnostics,
                cpu_s=compiled.cpu_s,
            )
        try:
            classes = read_classes(suite, compiled.classes)
        except ValueError as error:
            return SuiteClaims(kind="tampered", detail=str(error), cpu_s=compiled.cpu_s)
        if why := objection(suite, classes, self._tools.types()):
            return SuiteClaims(kind="tampered", detail=why, cpu_s=compiled.cpu_s)
        if not suite.cases:
            return SuiteClaims(
                kind="environment", detail="the suite names no test case", cpu_s=compiled.cpu_s
            )
        return run_suite(
            self._opened(),
            self._tools,
            suite,
            compiled,
            classes=classes,
            canaries=canary_names,
            variation=variation,
            tracing=tracing,
        )


def _guarded(suite: Suite) -> Suite:
    return msgspec.structs.replace(suite, files={**suite.files, suite.test: guarded_java(suite)})


def _remark(report: SuiteReport, suite: Suite, compiled: CompiledSuite) -> str:
    """Add a remark to a success that a class's own `equals` may have caused."""
    if report.state != "success":
        return ""
    return report_verification.shorten(remark(read_classes(suite, compiled.classes).others))


def _left_out(variation: Variation) -> str:
    """Return a note on what a variation asks for and Java cannot do."""
    return "the clock was not shifted" if variation.clock_shift_s else ""
