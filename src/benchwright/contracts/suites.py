"""Test suites: a project to execute, how it is executed, and what came of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Protocol, runtime_checkable

from benchwright.records import Record


class Suite(Record, frozen=True, kw_only=True):
    """A focal file and its tests, laid out as a project that a test runner can run."""

    lang: str  # a name of `registry.RUNNERS`, as data sets write it
    framework: str  # "pytest", "unittest", "junit5", "junit4", "go", or "go-vet": what vet refuses fails
    files: dict[str, str]  # path in the project: text
    focal: str  # which of them is under test
    test: str  # which of them holds the tests
    cases: list[str]  # the test cases a complete report must hold, from a trusted parse: see `lang`


class Variation(Record, frozen=True, kw_only=True):
    """How one of several executions differs from the others, to bring out a test that is not steady."""

    number: int = 0
    hash_seed: int = 0
    order_seed: int | None = None  # None: the file's own order; in Java JUnit's own, which is fixed too
    clock_shift_s: int = 0
    timezone: str = "UTC"
    traced: bool = False  # the report tells executed lines of the focal file; it is no ground for a label
    pressed: int = 0  # from 1 on, threads are scheduled in unusual ways: see judges.suites.pressing


class CaseReport(Record, frozen=True, kw_only=True):
    """How one test case ended. `kind` is why it did not pass, one of FAILURES."""

    name: str
    state: str  # "passed", "failed" or "skipped"
    kind: str = ""
    detail: str = ""


FAILURES = ("compile", "import", "assertion", "exception", "timeout", "memory", "environment", "tampered")


class SuiteReport(Record, frozen=True, kw_only=True):
    """What the trusted side makes of an execution of a suite.

    state "success": every case passed, both canaries did what they must, and the report was complete.
    state "failed": the code is at fault, `kind` says how. state "tampered": somebody reached for the
    report. state "absent": the toolchain is not there, so nothing is known. state "sandbox_error":
    nothing is known either.
    """

    state: str
    kind: str = ""  # one of FAILURES when the state is "failed"
    cases: list[CaseReport] = []
    detail: str = ""
    cpu_s: float = 0.0
    wall_s: float = 0.0
    diagnostics: str = ""  # what the compiler said of the focal file, and of no other
    lines: list[int] = []  # of the focal file, as a traced execution claims to have come to them
    versions: dict[str, str] = {}  # of the toolchain: {"python": "3.11.7", "pytest": "8.4.1"}


class ServedProgram(Record, frozen=True, kw_only=True):
    """How a program that answers calls came about and ended, but for what was said over its channel.

    `kind`: why there was none, one of FAILURES or "sandbox_error"; else "".
    """

    kind: str = ""
    detail: str = ""
    diagnostics: str = ""  # what the compiler said of the focal file
    crash: str = ""  # the last words of a program that its language's runtime ended
    crashed: str = "exception"  # by which of FAILURES
    cpu_s: float = 0.0  # compiler and program together
    wall_s: float = 0.0  # of the program


@runtime_checkable
class ProgramServer(Protocol):
    """Compiles programs of one language that answer calls in the sandbox."""

    def serve(self, suite: Suite, function: str, work: Callable[[Any], None]) -> ServedProgram:
        """Compile a suite with a server for one of its functions, and let `work` talk to it.

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
    batch: int  # suites that are cheapest executed together, at most

    def versions(self) -> Mapping[str, str]:
        """The toolchain's parts and their versions. Raises PrerequisiteError with how to get them."""
        ...

    def prepare(self) -> None:
        """Make and keep what all its suites share, where there is anything: else the first one waits for it.

        Raises PrerequisiteError and SandboxError.
        """
        ...

    def run(
        self, suites: Iterable[tuple[int, Suite]], *, variation: Variation
    ) -> Iterator[tuple[int, SuiteReport]]:
        """A report for each numbered suite, in any order; compiles in batches where that is cheaper."""
        ...

    def close(self) -> None:
        """End what was kept warm."""
        ...
