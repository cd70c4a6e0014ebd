"""Test suites: a project to execute, variations of an execution, its report, and the runner of a language."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Protocol, runtime_checkable

from benchwright.records import Record


class Suite(Record, frozen=True, kw_only=True):
    """A focal file and its tests, laid out as a project that a test runner can run."""

    lang: str  # a name of `registry.RUNNERS`, as data sets write it
    framework: str  # "pytest", "unittest", "junit5", "junit4", "go", or "go-vet" (fails if vet complains)
    files: dict[str, str]  # text by path in the project
    focal: str  # path of the file under test
    test: str  # path of the file with the tests
    cases: list[str]  # test cases of a complete report, from a trusted parse (`lang`)


class Variation(Record, frozen=True, kw_only=True):
    """Differences of one execution from others, to reveal flaky tests."""

    number: int = 0
    hash_seed: int = 0
    order_seed: int | None = None  # None: order of the file; in Java JUnit's default order, also fixed
    clock_shift_s: int = 0
    timezone: str = "UTC"
    traced: bool = False  # the report lists executed lines of the focal file; not used for labels
    pressed: int = 0  # from 1 on, threads are scheduled in unusual ways (`judges.suites.variations`)


class CaseReport(Record, frozen=True, kw_only=True):
    """Result of one test case. `kind` is the reason for a failure, one of FAILURES."""

    name: str
    state: str  # "passed", "failed" or "skipped"
    kind: str = ""
    detail: str = ""


FAILURES = ("compile", "import", "assertion", "exception", "timeout", "memory", "environment", "tampered")


class SuiteReport(Record, frozen=True, kw_only=True):
    """Verdict of the trusted side on an execution of a suite.

    state "success": all cases passed, both canaries behaved as expected, and the report is complete.
    state "failed": the code failed; `kind` is the reason. state "tampered": the report was manipulated.
    state "absent": the toolchain is missing, so the result is unknown. state "sandbox_error": the result is
    unknown too.
    """

    state: str
    kind: str = ""  # one of FAILURES if the state is "failed"
    cases: list[CaseReport] = []
    detail: str = ""
    cpu_s: float = 0.0
    wall_s: float = 0.0
    diagnostics: str = ""  # compiler messages about the focal file only
    lines: list[int] = []  # lines of the focal file that a traced execution claims to have executed
    versions: dict[str, str] = {}  # of the toolchain: {"python": "3.11.7", "pytest": "8.4.1"}


class ServedProgram(Record, frozen=True, kw_only=True):
    """Compilation and end of a program that answers calls, without its replies.

    `kind`: reason why the program could not be started, one of FAILURES or "sandbox_error"; else "".
    """

    kind: str = ""
    detail: str = ""
    diagnostics: str = ""  # compiler messages about the focal file
    crash: str = ""  # last message of a program that its language's runtime aborted
    crashed: str = "exception"  # kind of the crash, one of FAILURES
    cpu_s: float = 0.0  # compiler and program together
    wall_s: float = 0.0  # of the program


@runtime_checkable
class ProgramServer(Protocol):
    """Compiles and runs programs of one language that answer calls in the sandbox."""

    def serve(self, suite: Suite, function: str, work: Callable[[Any], None]) -> ServedProgram:
        """Compile a suite with a server for one of its functions, and call `work` with the connection.

        Raises PrerequisiteError and SandboxError.
        """
        ...


@runtime_checkable
class ProjectToolchain(Protocol):
    """A suite runner whose toolchain can be set up ahead of time and can build a whole project."""

    def set_up(self) -> None:
        """Make and keep what all suites share, with the libraries that known data sets import.

        Raises PrerequisiteError and SandboxError.
        """
        ...

    def build_project(self, files: Mapping[str, bytes]) -> str:
        """Build a project from its files by path, in the sandbox: "yes", "no: REASON" or "not tried: WHY".

        Raises PrerequisiteError and SandboxError.
        """
        ...


class SuiteRunner(Protocol):
    """Executes suites of one language in the sandbox, isolation "tamper-evident"."""

    lang: str
    batch: int  # maximum number of suites that are worth executing together

    def versions(self) -> Mapping[str, str]:
        """Versions of the toolchain's parts. Raises PrerequisiteError with the installation command."""
        ...

    def prepare(self) -> None:
        """Prepare what all suites share, so that the first suite need not wait for it.

        Raises PrerequisiteError and SandboxError.
        """
        ...

    def run(
        self, suites: Iterable[tuple[int, Suite]], *, variation: Variation
    ) -> Iterator[tuple[int, SuiteReport]]:
        """Yield a report for each numbered suite, in any order; compiles in batches if that is cheaper."""
        ...

    def close(self) -> None:
        """Stop processes that were kept warm."""
        ...
