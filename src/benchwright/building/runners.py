"""The runner of each language, opened when first needed; a missing toolchain is a fact, not an error."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from importlib import import_module
from types import TracebackType

from benchwright.contracts import SuiteRunner
from benchwright.errors import PrerequisiteError
from benchwright.records import Record

RUNNERS: Mapping[str, str] = {
    "Python": "benchwright.judges.suites.python:PythonSuites",
    "Java": "benchwright.judges.suites.java:JavaSuites",
    "Go": "benchwright.judges.suites.go:GoSuites",
}


class Absent(Record, frozen=True, kw_only=True):
    """A language whose suites cannot be executed on this machine: why, and what to do."""

    lang: str
    why: str
    hint: str = ""


class Opened(Record, frozen=True, kw_only=True):
    """A language that can be executed: its runner and the versions of its toolchain."""

    runner: SuiteRunner
    versions: dict[str, str]


def runner_for(lang: str) -> SuiteRunner:
    """A new runner of a language. Raises PrerequisiteError where it cannot be had."""
    place, _, name = RUNNERS.get(lang, ":").partition(":")
    try:
        module = import_module(place) if place else None
    except ModuleNotFoundError as error:
        if error.name != place:
            raise
        module = None
    if module is None:
        raise PrerequisiteError(f"this version of Benchwright does not execute {lang} test suites")
    runner: SuiteRunner = getattr(module, name)()
    return runner


class Runners:
    """The runners of one command; `make` is replaced in tests."""

    def __init__(self, make: Callable[[str], SuiteRunner] = runner_for) -> None:
        self._make, self._stack = make, ExitStack()
        self._known: dict[str, Opened | Absent] = {}

    def get(self, lang: str) -> Opened | Absent:
        """The runner with its versions, or why there is none. Found out once."""
        if lang not in self._known:
            self._known[lang] = self._open(lang)
        return self._known[lang]

    @property
    def absent(self) -> list[Absent]:
        """The languages that were asked for in vain."""
        return [each for each in self._known.values() if isinstance(each, Absent)]

    @property
    def versions(self) -> dict[str, dict[str, str]]:
        """The toolchains that were opened, by language."""
        return {lang: each.versions for lang, each in self._known.items() if isinstance(each, Opened)}

    def _open(self, lang: str) -> Opened | Absent:
        try:
            runner = self._make(lang)
            self._stack.callback(runner.close)
            return Opened(runner=runner, versions=dict(runner.versions()))
        except PrerequisiteError as error:
            return Absent(lang=lang, why=error.message, hint=error.hint or "")

    def __enter__(self) -> Runners:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()
