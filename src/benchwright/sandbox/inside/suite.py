"""Executes the test suite of a job and reports the outcome of each test.

After the first import of the suite, hostile code can change everything here, this module included: its
reports are claims. `benchwright.judges.suites.report_verification` decides which claims are accepted.

Frames sent: L version of pytest · C (name, state, kind, detail) of a finished test · T (lines) executed lines
of the focal file, if requested · Z (nonce, kind, detail) of the whole suite, last.
"""

from __future__ import annotations

import inspect
import marshal
import os
import random
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from _pytest import runner
from _pytest.outcomes import Failed

from . import cores, suite_checks, suite_clock, suite_pressing, suite_warm, wire
from .suite_import import HOME, Importer, TestFailure
from .suite_lines import ExecutedLines
from .suite_rewrite import Canary
from .suite_tests import WrittenTests, listener
from .suite_watch import FunctionWatch

TEXT = 600
_PACKAGE = __name__.partition(".")[0]
_OWN_MODULES = [
    _PACKAGE,
    *(f"{_PACKAGE}.{name.partition('.')[0]}" for name in os.listdir(os.path.dirname(__file__))),
]
Send = Callable[[bytes, bytes], None]


class SuiteJob(NamedTuple):
    """The fields of a job, in the order of the message."""

    test: str
    focal: str
    passing: str
    failing: str
    nonce: str
    order_seed: int | None
    clock_shift_s: int
    timezone: str
    traced: bool
    pressed: int  # 0: normal scheduling of threads
    switch_s: float
    one_core: bool


def serve(job: bytes, files: bytes, send: Send) -> None:
    """Write the files, run their tests, report each."""
    spec = SuiteJob(*marshal.loads(job))
    texts: dict[str, bytes] = marshal.loads(files)
    _lay_out(texts)
    _set_clock(spec)
    _press(spec)
    importer = Importer(
        spec.test, texts, Canary(f"test_{spec.passing}", f"test_{spec.failing}"), added=spec.nonce
    )
    canary_file = importer.lay_out_canaries()
    sys.meta_path.insert(0, importer)
    sys.path[:0] = importer.search_path()
    _hide()
    os.chdir(HOME)
    suite_warm.serve_fixtures(texts.values())
    send(b"L", pytest.__version__.encode())
    lines = ExecutedLines(f"{HOME}/{spec.focal}") if spec.traced else None
    whole = SuiteSession(spec, importer, send, lines=lines).run([f"{HOME}/{spec.test}", *canary_file])
    for message in lines.messages() if lines else ():
        send(b"T", wire.encode((message,)))
    send(b"Z", wire.encode((spec.nonce, whole.kind, whole.detail[:TEXT])))


def _lay_out(files: Mapping[str, bytes]) -> None:
    os.mkdir(HOME)
    for path, content in files.items():
        place = f"{HOME}/{path}"
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "wb") as file:
            file.write(content)


def _set_clock(spec: SuiteJob) -> None:
    os.environ["TZ"] = spec.timezone
    time.tzset()
    if spec.clock_shift_s:
        suite_clock.shift(spec.clock_shift_s)


def _press(spec: SuiteJob) -> None:
    if spec.pressed:
        suite_pressing.press(spec.switch_s, spec.pressed)
    if spec.one_core:
        cores.hold_on_one_core()


def _hide() -> None:
    """Remove this package from sys.modules. Code that finds it another way searched for it on purpose.

    The names come from the folder: iterating over all modules would copy two hundred pages.
    """
    for name in _OWN_MODULES:
        sys.modules.pop(name, None)


class SuiteSession:
    """Collects and runs with pytest's own nodes and phases, in a session that was set up before the fork."""

    def __init__(
        self,
        spec: SuiteJob,
        importer: Importer,
        send: Send,
        *,
        watch: FunctionWatch = suite_warm.WATCH,
        lines: ExecutedLines | None = None,
    ) -> None:
        self._spec, self._importer, self._send, self._lines = spec, importer, send, lines
        self._session, self._outcomes = suite_warm.SESSION, suite_warm.OUTCOMES
        self._watch, self._run_item = watch, suite_warm.RUN_ITEM
        self._canaries = {f"test_{spec.passing}", f"test_{spec.failing}"}
        self._whole = TestFailure("", "")
        self._tests: WrittenTests | None = None
        self._asks_places = importer.mentions(b"location")
        self._watch.also(self.__dict__, "_send")

    def run(self, paths: list[str]) -> TestFailure:
        """Return why the suite could not run; empty if it ran."""
        try:
            whole = self._all(paths)
        except _Stopped as stopped:
            whole = stopped.verdict
        except BaseException as error:  # noqa: BLE001 (SystemExit too ends only the run)
            whole = self._importer.verdict(error)
        sign = self._sign()
        return TestFailure("tampered", sign) if sign else whole

    def _all(self, paths: list[str]) -> TestFailure:
        items = self._collected(paths)
        self._tests = self._importer.tests(items)
        if self._lines is not None:  # starts here: every test executes the lines of the import
            self._lines.begin()
        if name := self._tests.foreign():
            raise _Stopped(
                TestFailure("tampered", f"{name} is not the test that the file has under this name")
            )
        for item, following in zip(items, [*items[1:], None], strict=True):
            if sign := self._sign(item):  # after the import and each test; `run` checks after the last
                raise _Stopped(TestFailure("tampered", sign))
            self._one(item, following)
        return self._whole

    def _sign(self, item: pytest.Item | None = None) -> str:
        """Name a part of the runner or of the tests that was replaced, or a trace function; empty if none."""
        if name := self._watch.changed():
            return f"{name} of the test runner was replaced"
        if name := self._tests.changed(item) if self._tests is not None else "":
            return f"{name} of the test file was replaced"
        return "" if self._lines is not None else listener()

    def _collected(self, paths: list[str]) -> list[pytest.Item]:
        items = [item for node in self._modules(paths) for item in self._items(node)]
        self._session.items = items
        self._session.config.hook.pytest_collection_modifyitems(
            session=self._session, config=self._session.config, items=items
        )
        return self._ordered(items)

    def _modules(self, paths: list[str]) -> Sequence[Any]:
        """Collect the modules. Only a conftest.py needs pytest's walk over folders, which is slow."""
        if self._importer.has_conftest:
            return self._session.perform_collect(paths, genitems=False)
        return [pytest.Module.from_parent(self._session, path=Path(path)) for path in paths]

    def _items(self, node: Any) -> Iterator[pytest.Item]:
        if isinstance(node, pytest.Item):
            yield node
            return
        report = runner.collect_one_node(node)
        if report.skipped:
            raise _Stopped(
                TestFailure("environment", f"the test file skips itself: {_reason(report.longrepr)}")
            )
        if report.failed:
            raise _Stopped(self._importer.collection_verdict(str(report.longrepr)))
        for below in report.result:
            yield from self._items(below)

    def _ordered(self, items: list[pytest.Item]) -> list[pytest.Item]:
        """Put the canaries last, so that they detect changes by the tests; shuffle the others by class."""
        last = [item for item in items if item.name in self._canaries]
        others = [item for item in items if item.name not in self._canaries]
        if self._spec.order_seed is None:
            return others + last
        draw = random.Random(self._spec.order_seed)
        groups: dict[Any, list[pytest.Item]] = {}
        for item in others:
            groups.setdefault(item.parent, []).append(item)
        shuffled = list(groups.values())
        draw.shuffle(shuffled)
        for group in shuffled:
            draw.shuffle(group)
        return [item for group in shuffled for item in group] + last

    def _one(self, item: pytest.Item, following: pytest.Item | None) -> None:
        self._outcomes.reports.clear()
        if not self._asks_places:  # pytest would compute it for three reports that are not used
            item.__dict__["location"] = (self._spec.test, None, item.name)
        self._run_item(item, log=True, nextitem=following)
        name = item.nodeid.partition("::")[2]
        state, kind, detail = self._test_end(item, name)
        if doubt := suite_checks.forged():
            state, kind, detail = "failed", "tampered", doubt
        self._send(b"C", wire.encode((name, state, kind, detail[:TEXT])))

    def _test_end(self, item: pytest.Item, name: str) -> tuple[str, str, str]:
        state, detail = "skipped", ""
        for report in list(self._own_reports(item, name)):
            error = self._outcomes.raised.get(id(report))
            if report.failed:
                return "failed", *self._failed(item, report, error)
            if report.skipped and self._is_raised_by_focal(error):
                return "failed", "tampered", "the code under test ended its test as one to skip"
            if hasattr(report, "wasxfail"):
                state, detail = ("xfailed" if report.skipped else "passed"), str(report.wasxfail)
            elif report.skipped:
                state, detail = "skipped", _reason(report.longrepr)
            elif report.when == "call" and type(report) is pytest.TestReport:
                state = "passed"
        return state, "", detail

    def _own_reports(self, item: pytest.Item, name: str) -> Iterator[pytest.TestReport]:
        """Yield the reports of a test. The teardown of shared fixtures is reported for the last test, a
        canary; its failure is one of the whole suite."""
        for report in self._outcomes.reports:
            if name in self._canaries and report.when == "teardown":
                if report.failed:
                    verdict = self._failed(item, report, self._outcomes.raised.get(id(report)))
                    self._whole = TestFailure(verdict.kind, f"after the last test: {verdict.detail}")
            else:
                yield report

    def _is_raised_by_focal(self, error: BaseException | None) -> bool:
        trace = error.__traceback__ if error is not None else None
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == f"{HOME}/{self._spec.focal}":
                return True
            trace = trace.tb_next
        return False

    def _failed(
        self, item: pytest.Item, report: pytest.TestReport, error: BaseException | None
    ) -> TestFailure:
        if error is None:
            return TestFailure("assertion", str(report.longrepr))
        if isinstance(error, Failed) and inspect.iscoroutinefunction(getattr(item, "obj", None)):
            return TestFailure("environment", "an async test, and no plugin that runs one")
        return self._importer.verdict(error)


class _Stopped(Exception):
    def __init__(self, verdict: TestFailure) -> None:
        super().__init__(verdict.detail)
        self.verdict = verdict


def _reason(longrepr: Any) -> str:
    return str(longrepr[2] if isinstance(longrepr, tuple) else longrepr).removeprefix("Skipped: ")
