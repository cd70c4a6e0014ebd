"""Runs the tests in N processes (`--processes N`), which are forked after one process has collected all tests.

With pytest-xdist each process collects all tests itself, which takes 15 CPU-s and 0.7 GB. A process requests one file
at a time, so fixtures of a file are set up once. If a process ends during a test, that test fails, and a new process
runs the rest of the file.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
import traceback
from collections import deque
from contextlib import ExitStack
from itertools import groupby
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from typing import Any, NoReturn

import pytest
from _pytest import runner

from kit.seconds import control_group, file_of


def add_options(parser: pytest.Parser) -> None:
    """Add the option for the number of processes."""
    parser.addoption("--processes", type=int, metavar="N", help="share the tests among N processes")


def register(config: pytest.Config) -> None:
    """Register the plugin if it was requested."""
    if number := config.getoption("--processes"):
        config.pluginmanager.register(SharedRun(number), "shared-run")


class _Worker:
    """A forked process, and the indices of the tests that it received and has not reported."""

    def __init__(self, session: pytest.Session, number: int, others: list[_Worker]) -> None:
        self.link, theirs = Pipe()
        self.given: deque[int] = deque()
        sys.stdout.flush()
        self.pid = os.fork()
        if self.pid == 0:
            for worker in (self, *others):
                worker.link.close()
            _work(session, number, theirs)
        theirs.close()
        self.ended = os.pidfd_open(self.pid)

    def close(self) -> int:
        """Wait for its end. Return the exit code, or the negative number of the signal."""
        self.link.close()
        os.close(self.ended)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


class SharedRun:
    """The plugin of the main process: sends files to the processes, and reports their results."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._forked = 0
        self._files: deque[list[int]] = deque()
        self._workers: list[_Worker] = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> object:
        """Run all tests, in the cases in which pytest itself would run them."""
        if session.testsfailed or session.config.option.collectonly:
            return None
        places = groupby(range(len(session.items)), lambda place: file_of(session.items[place].nodeid))
        self._files.extend(list(file) for _, file in places)
        session.config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]
        try:
            while self._files or self._workers:
                while self._files and len(self._workers) < self._number:
                    self._forked += 1
                    self._workers.append(_Worker(session, self._forked, self._workers))
                self._serve(session)
                if session.shouldfail:
                    raise session.Failed(session.shouldfail)
                if session.shouldstop:
                    raise session.Interrupted(session.shouldstop)
        finally:
            for worker in self._workers:
                os.kill(worker.pid, signal.SIGINT)
                worker.close()
        return True

    def _serve(self, session: pytest.Session) -> None:
        """Wait until at least one process sends a message or ends."""
        ready = wait([each for worker in self._workers for each in (worker.link, worker.ended)])
        for worker in [each for each in self._workers if each.link in ready or each.ended in ready]:
            try:
                if worker.link.poll():
                    self._answer(session, worker, worker.link.recv())
                elif worker.ended in ready:
                    self._end(session, worker)
            except (EOFError, ConnectionError):
                self._end(session, worker)

    def _answer(self, session: pytest.Session, worker: _Worker, reports: list[Any] | None) -> None:
        """Handle a message: the reports of a test, or None to request a file."""
        if reports is None:
            file = self._files.popleft() if self._files else []
            worker.given.extend(file)
            worker.link.send(file)
            return
        item, hook = session.items[worker.given.popleft()], session.config.hook
        hook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        for report in reports:
            made = hook.pytest_report_from_serializable(config=session.config, data=report)
            hook.pytest_runtest_logreport(report=made)
        hook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)

    def _end(self, session: pytest.Session, worker: _Worker) -> None:
        """Remove a process that has ended, fail the test that it was running, and requeue the rest of its file."""
        self._workers.remove(worker)
        code = worker.close()
        if not worker.given and code:
            raise session.Failed(f"a process of tests ended with {code} after its last test")
        if worker.given:
            item = session.items[worker.given.popleft()]
            said = f"the process of this test ended with {code}"
            report = pytest.TestReport(item.nodeid, item.location, {}, "failed", said, "call")
            session.config.hook.pytest_runtest_logreport(report=report)
            self._files.extendleft([list(worker.given)] if worker.given else [])


class _Reports:
    """Collects the reports of a test in a forked process."""

    def __init__(self) -> None:
        self.made: list[pytest.TestReport] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add the report of a phase."""
        self.made.append(report)


def _work(session: pytest.Session, number: int, link: Connection) -> NoReturn:
    """Run tests in a forked process until no file is left, and exit."""
    code = 1
    try:
        _begin(session.config, number)
        with ExitStack() as at_end:
            at_end.callback(atexit._run_exitfuncs)
            at_end.callback(runner.pytest_sessionfinish, session)  # tears down fixtures after an interrupt
            _run_tests(session, link)
        code = 0
    except BaseException:  # noqa: BLE001 (nothing may return into the code of the other process)
        traceback.print_exc()
    finally:
        os._exit(code)


def _begin(config: pytest.Config, number: int) -> None:
    """Give a forked process its own output, folder for temporary files, control group and exit handlers."""
    atexit._clear()
    control_group.cache_clear()
    plugins = config.pluginmanager
    plugins.unregister(name="terminalreporter")
    capture: Any = plugins.getplugin("capturemanager")
    capture.stop_global_capturing()
    with open(os.devnull, "w") as nothing:
        os.dup2(nothing.fileno(), 1)
    capture.start_global_capturing()
    capture.suspend_global_capture()
    factory = config._tmp_path_factory  # type: ignore[attr-defined]
    factory._basetemp = factory.mktemp(f"process-{number}", numbered=False)


def _run_tests(session: pytest.Session, link: Connection) -> None:
    """Run one file after another. The next file is requested before the last test of the current one, because pytest
    tears down fixtures according to the next test."""
    hook, reports, given = session.config.hook, _Reports(), deque[int]()
    session.config.pluginmanager.register(reports)
    link.send(None)
    given.extend(link.recv())
    while given:
        item = session.items[given.popleft()]
        if not given:
            link.send(None)
            given.extend(link.recv())
        hook.pytest_runtest_protocol(item=item, nextitem=session.items[given[0]] if given else None)
        to_send = [
            hook.pytest_report_to_serializable(config=session.config, report=each) for each in reports.made
        ]
        link.send(to_send)
        reports.made.clear()
