"""What the tests of each folder take: a table at the end of every run, and the same in pytest's cache.

The cache also has the seconds of each file, by which `./run quick` chooses what fits into its time.

Seconds of processor time count here, children that were waited for included, beside seconds on the wall; the
latter say much of the machine. A fixture of a module or of the session counts for the test that needs it first.
"""

from __future__ import annotations

import resource
from collections.abc import Callable, Generator
from typing import Any

import pytest

# What else accounts for processor seconds: processes that are no children of this one.
ACCOUNTS: list[Callable[[], float]] = []
CACHED = "benchwright/seconds_by_folder"
CACHED_FILES = "benchwright/seconds_by_file"


class Row:
    """What was measured of one folder."""

    def __init__(self) -> None:
        self.cpu_s = self.wall_s = 0.0
        self.tests = 0


class Seconds:
    """Collects what each test took, in this process or in xdist's workers, and writes it in the end."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._began = cpu_s()
        self.folders: dict[str, Row] = {}
        self.files: dict[str, Row] = {}

    def pytest_runtest_logstart(self) -> None:
        """A test begins."""
        self._began = cpu_s()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
        """The last report of a test says what all of it took; it is this process that knows."""
        report = yield
        if call.when == "teardown":
            report.cpu_s = cpu_s() - self._began
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add a phase of a test to its folder; with xdist the reports of all workers come by here."""
        for rows, name in ((self.folders, folder_of(report.nodeid)), (self.files, file_of(report.nodeid))):
            row = rows.setdefault(name, Row())
            row.wall_s += report.duration
            row.cpu_s += getattr(report, "cpu_s", 0.0)
            row.tests += report.when == "teardown"

    def table(self) -> list[tuple[str, float, float, int]]:
        """Folder, processor and wall seconds, and number of tests; the dearest first."""
        rows = [
            (name, round(row.cpu_s, 2), round(row.wall_s, 2), row.tests) for name, row in self.folders.items()
        ]
        return sorted(rows, key=lambda row: (-row[1], row[0]))

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Print the table and keep it."""
        table = self.table()
        if not table:
            return
        terminalreporter.section("seconds by folder")
        terminalreporter.write_line(f"{'CPU s':>9} {'wall s':>9} {'tests':>6}  folder")
        total = ("in all", *(sum(row[place] for row in table) for place in (1, 2, 3)))
        for name, cpu, wall, tests in (*table, total):
            terminalreporter.write_line(f"{cpu:9.1f} {wall:9.1f} {tests:6}  {name}")
        if cache := getattr(self._config, "cache", None):
            cache.set(CACHED, table)
            cache.set(CACHED_FILES, self.merged(cache.get(CACHED_FILES, {})))

    def merged(self, earlier: dict[str, list[float]]) -> dict[str, list[float]]:
        """Processor seconds and number of tests of each file, with those of earlier runs.

        A run of a part of a file replaces nothing.
        """
        now = {name: [round(row.cpu_s, 2), row.tests] for name, row in self.files.items()}
        whole = {name: row for name, row in now.items() if row[1] >= earlier.get(name, [0.0, 0])[1]}
        return dict(sorted({**earlier, **whole}.items()))


def cpu_s() -> float:
    """Processor seconds of this process, of its children that have ended, and of commands that were forked for it."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used) + sum(account() for account in ACCOUNTS)


def file_of(nodeid: str) -> str:
    """The file of a test."""
    return nodeid.partition("::")[0]


def folder_of(nodeid: str) -> str:
    """The folder of a test's file."""
    return file_of(nodeid).rpartition("/")[0] or "."
