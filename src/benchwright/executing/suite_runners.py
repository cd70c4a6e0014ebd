"""Runners of test suites: one for each language, executed on all cores, with the libraries that suites
import.

A missing toolchain is a fact, not an error.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from math import ceil
from pathlib import Path

import msgspec

from benchwright import registry
from benchwright.contracts import (
    Criterion,
    Executor,
    Job,
    Suite,
    SuiteReport,
    SuiteRunner,
    SuiteSpec,
    Variation,
)
from benchwright.errors import PrerequisiteError
from benchwright.executing.executors import ExecutorSetup, open_executor
from benchwright.judges.suites.libraries import GivenLibrary, check_libraries, list_libraries, packages
from benchwright.judges.suites.runners import open_runner
from benchwright.lang.languages import language
from benchwright.records import Record
from benchwright.sandbox.environments import find_environment, site_modules
from benchwright.sandbox.limits import Limits

EXECUTION_CPU_S = 20.0  # to compile and run one suite; determines the deadline of a worker

LEAST = 8  # fewest suites in a batch of a compiler, whose start costs as much as six suites

Numbered = tuple[int, Suite]


class UnavailableLanguage(Record, frozen=True, kw_only=True):
    """A language whose suites cannot be executed here: the reason and a hint."""

    lang: str
    why: str
    hint: str = ""


class AvailableLanguage(Record, frozen=True, kw_only=True):
    """A language that can be executed: its runner and the versions of its toolchain."""

    runner: SuiteRunner
    versions: dict[str, str]


def runner_for(lang: str, libraries: str = "") -> SuiteRunner:
    """Return a new runner of a language in this process. Raises PrerequisiteError where it is unavailable."""
    if lang not in registry.RUNNERS:
        raise PrerequisiteError(f"this version of Benchwright does not execute {lang} test suites")
    return open_runner(lang, libraries)


class PooledSuiteRunner:
    """A SuiteRunner that executes suites on the workers of an executor, in batches.

    A batch that ends its worker is executed suite by suite, so that one suite costs the others nothing.
    """

    def __init__(self, runner: SuiteRunner, executor: Executor, *, libraries: str = "") -> None:
        self.lang, self.batch = runner.lang, runner.batch
        self._runner, self._executor, self._libraries = runner, executor, libraries

    def versions(self) -> Mapping[str, str]:
        """Return the versions that the runner in this process finds."""
        return self._runner.versions()

    def prepare(self) -> None:
        """Prepare in this process. The workers use the cached result."""
        self._runner.prepare()

    def run(self, suites: Iterable[Numbered], *, variation: Variation) -> Iterator[tuple[int, SuiteReport]]:
        """Yield reports as the batches end; within a batch in the runner's order."""
        numbered = list(suites)
        size = min(self.batch, max(LEAST, ceil(len(numbered) / self._executor.size)))
        batches = [numbered[start : start + size] for start in range(0, len(numbered), size)]
        alone = yield from self._executed(batches, variation)
        yield from self._executed(alone, variation)

    def _executed(
        self, batches: Sequence[Sequence[Numbered]], variation: Variation
    ) -> Generator[tuple[int, SuiteReport], None, list[list[Numbered]]]:
        """Yield the reports. Returns the suites to execute alone."""
        alone: list[list[Numbered]] = []
        specs = (
            SuiteSpec(suites=[suite for _, suite in batch], variation=variation, libraries=self._libraries)
            for batch in batches
        )
        for place, judgement in self._executor.judge(
            Job(n, "", Criterion(spec)) for n, spec in enumerate(specs)
        ):
            batch = batches[place]
            if judgement.payload:
                reports = msgspec.msgpack.decode(judgement.payload, type=list[tuple[int, SuiteReport]])
                yield from ((batch[each][0], report) for each, report in reports)
            elif len(batch) == 1:
                yield batch[0][0], SuiteReport(state="sandbox_error", detail=judgement.detail)
            else:
                alone += ([each] for each in batch)
        return alone

    def close(self) -> None:
        """Close nothing: the executor belongs to the caller."""


class Runners:
    """The runners of one command, on one pool of workers. Tests replace `make`."""

    def __init__(
        self,
        make: Callable[[str], SuiteRunner] | None = None,
        *,
        workers: int | None = None,
        libraries: str = "",
    ) -> None:
        self._libraries = libraries
        self._make, self._workers, self._stack = make or self._spread, workers, ExitStack()
        self._known: dict[str, AvailableLanguage | UnavailableLanguage] = {}
        self._executor: Executor | None = None

    def _spread(self, lang: str) -> SuiteRunner:
        if self._executor is None:
            limits = Limits(cpu_s=EXECUTION_CPU_S)
            setup = ExecutorSetup(workers=self._workers, limits=limits, pinned=False)
            self._executor = self._stack.enter_context(open_executor(setup))
        return PooledSuiteRunner(runner_for(lang, self._libraries), self._executor, libraries=self._libraries)

    def get(self, lang: str) -> AvailableLanguage | UnavailableLanguage:
        """Return the runner with its versions, or the reason for its absence. Cached."""
        if lang not in self._known:
            self._known[lang] = self._open(lang)
        return self._known[lang]

    @property
    def absent(self) -> list[UnavailableLanguage]:
        """The requested languages that are unavailable."""
        return [each for each in self._known.values() if isinstance(each, UnavailableLanguage)]

    @property
    def versions(self) -> dict[str, dict[str, str]]:
        """The toolchains in use, by language."""
        return {
            lang: each.versions for lang, each in self._known.items() if isinstance(each, AvailableLanguage)
        }

    def _open(self, lang: str) -> AvailableLanguage | UnavailableLanguage:
        try:
            runner = self._make(lang)
            self._stack.callback(runner.close)
            return AvailableLanguage(runner=runner, versions=dict(runner.versions()))
        except PrerequisiteError as error:
            return UnavailableLanguage(lang=lang, why=error.message, hint=error.hint or "")

    def __enter__(self) -> Runners:
        return self

    def __exit__(self, *exc: object) -> None:
        self._stack.close()


class Libraries:
    """Packages outside the standard libraries: pytest and its dependencies, JUnit, and those of a folder.

    Raises UsageError for a folder without libraries.
    """

    def __init__(self, folder: str = "") -> None:
        self.folder = str(Path(folder).resolve()) if folder else ""
        self._profiles: dict[str, frozenset[str] | None] = {}
        if folder:
            check_libraries(Path(folder))

    def has(self, lang: str, name: str) -> bool:
        """Whether a suite can import a package, or a class of it; True if its profile is not installed."""
        rules = language(lang).library_rules
        provided = self._profile(rules.profile)
        if provided is None or name.startswith(rules.prefixes):
            return True
        known = provided | self._further(lang)
        return any(name == package or name.startswith(f"{package}.") for package in known)

    def listed(self) -> list[dict[str, str]]:
        """Return the folder's packages for JSON: language, name and SHA-256 of each."""
        found: tuple[GivenLibrary, ...] = list_libraries(Path(self.folder)) if self.folder else ()
        return [each._asdict() for each in found]

    def _further(self, lang: str) -> frozenset[str]:
        has = self.folder and language(lang).library_rules.folder
        return packages(Path(self.folder), lang) if has else frozenset()

    def _profile(self, name: str) -> frozenset[str] | None:
        """Top-level names of a dependency profile; None if it is not installed, so no suite can run."""
        if name not in self._profiles:
            self._profiles[name] = _modules(name)
        return self._profiles[name]


def _modules(profile: str) -> frozenset[str] | None:
    if not profile:
        return frozenset()
    try:
        found = site_modules(find_environment(profile))
    except PrerequisiteError:
        return None
    return frozenset(each.removesuffix(".py") for each in found)
