"""Measures the cost of tests by folder: prints a table at the end of every run, and stores it in pytest's
cache.

The cache also has the seconds of each file, by which `./run quick` chooses files for its time budget.

The cost is processor time, including children that were waited for. Wall time is shown next to it, but
depends on the load of the machine. A fixture of a module or session counts for the first test that needs it.
"""

from __future__ import annotations

import atexit
import functools
import os
import resource
from collections.abc import Generator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

CACHED = "benchwright/seconds_by_folder"
CACHED_FILES = "benchwright/seconds_by_file"


class Row:
    """The measurements of one folder."""

    def __init__(self) -> None:
        self.cpu_s = self.wall_s = 0.0
        self.tests = 0


class Seconds:
    """Collects the cost of each test, in this process or in those that share the run, and writes it at the end."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._began = cpu_s()
        self.folders: dict[str, Row] = {}
        self.files: dict[str, Row] = {}

    def pytest_runtest_logstart(self) -> None:
        """Store the time at the start of a test."""
        self._began = cpu_s()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
        """Add the cost of the whole test to its last report. Only the process that ran the test can measure
        it."""
        report = yield
        if call.when == "teardown":
            report.cpu_s = cpu_s() - self._began
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add a phase of a test to its folder. The main process receives the reports of all processes."""
        for rows, name in ((self.folders, folder_of(report.nodeid)), (self.files, file_of(report.nodeid))):
            row = rows.setdefault(name, Row())
            row.wall_s += report.duration
            row.cpu_s += getattr(report, "cpu_s", 0.0)
            row.tests += report.when == "teardown"

    def table(self) -> list[tuple[str, float, float, int]]:
        """Return folder, processor and wall seconds, and number of tests; the most expensive folder first."""
        rows = [
            (name, round(row.cpu_s, 2), round(row.wall_s, 2), row.tests) for name, row in self.folders.items()
        ]
        return sorted(rows, key=lambda row: (-row[1], row[0]))

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Print the table and store it in the cache."""
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
        """Return processor seconds and number of tests of each file, merged with earlier runs.

        A run with fewer tests of a file than before does not replace its entry.
        """
        now = {name: [round(row.cpu_s, 2), row.tests] for name, row in self.files.items()}
        whole = {name: row for name, row in now.items() if row[1] >= earlier.get(name, [0.0, 0])[1]}
        return dict(sorted({**earlier, **whole}.items()))


@functools.cache
def control_group() -> Path | None:
    """Return the file with the nanoseconds of this process and all its descendants; None if it may not create
    a group.

    Processes whose parent ended first, such as those of sandboxes and of Ray, count only here.
    """
    members = [line.split(":", 2) for line in Path("/proc/self/cgroup").read_text().splitlines()]
    own = [path for _, controllers, path in members if "cpuacct" in controllers.split(",")]
    if not own or os.geteuid():
        return None
    parent = Path("/sys/fs/cgroup/cpuacct") / own[0].lstrip("/")
    folder = parent / f"tests-{os.getpid()}"
    try:
        for left in parent.glob("tests-*"):
            if not Path("/proc", left.name.removeprefix("tests-")).exists():
                _remove(left)
        folder.mkdir(exist_ok=True)
        (folder / "cgroup.procs").write_text(str(os.getpid()))
    except OSError:
        return None
    atexit.register(_leave, folder)
    return folder / "cpuacct.usage"


def _leave(folder: Path) -> None:
    (folder.parent / "cgroup.procs").write_text(str(os.getpid()))
    _remove(folder)


def _remove(folder: Path) -> None:
    with suppress(OSError):  # a process that a test started still runs
        folder.rmdir()


def cpu_s() -> float:
    """Return the processor seconds of this process and of all its descendants.

    Without a control group: of itself and its ended children.
    """
    if usage := control_group():
        return int(usage.read_bytes()) / 1e9
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def file_of(nodeid: str) -> str:
    """Return the file of a test."""
    return nodeid.partition("::")[0]


def folder_of(nodeid: str) -> str:
    """Return the folder of a test's file."""
    return file_of(nodeid).rpartition("/")[0] or "."
