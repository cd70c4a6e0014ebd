"""The two passes of `.ci/run`: the second leaves out what passed where everything optional was hidden.

The first pass writes the ids of the tests that passed and of those that were skipped (`--passed-to FILE`). The
second runs all but the former (`--all-but FILE`), and does not even collect files of which nothing was skipped.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

# These run in both passes: a sandbox is built by bubblewrap where it is installed, and the first pass hides it.
IN_BOTH = ("tests/sandbox/",)


class PassedTests:
    """Collects how each test ended and writes it when the run is over; with xdist, in the main process only."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.passed: set[str] = set()
        self.skipped: set[str] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """A phase of a test; a test that is expected to fail and does counts as passed."""
        if report.skipped and not hasattr(report, "wasxfail"):
            self.skipped.add(report.nodeid)
        elif report.when == "call" and not report.failed:
            self.passed.add(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        """Write the file."""
        record = {"passed": sorted(self.passed), "skipped": sorted(self.skipped)}
        self._path.write_text(json.dumps(record, indent=0))


class RemainingTests:
    """Leaves out the tests that an earlier pass recorded as passed."""

    def __init__(self, path: Path, root: Path) -> None:
        record = json.loads(path.read_text())
        self._root = root
        self.passed = {each for each in record["passed"] if not each.startswith(IN_BOTH)}
        files = {_file(each) for each in self.passed} - {_file(each) for each in record["skipped"]}
        self.done_files = {root / each for each in files}

    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        """Files of which every test passed are not imported."""
        return True if collection_path in self.done_files else None

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Leave out what passed."""
        items[:] = [item for item in items if item.nodeid not in self.passed]


def add_options(parser: pytest.Parser) -> None:
    """The options of the two passes."""
    parser.addoption("--passed-to", metavar="FILE", help="write which tests passed and which were skipped")
    parser.addoption(
        "--all-but", metavar="FILE", help="leave out the tests that passed according to this file"
    )


def register(config: pytest.Config) -> None:
    """Use what the options ask for."""
    if (path := config.getoption("--passed-to")) and not hasattr(config, "workerinput"):
        config.pluginmanager.register(PassedTests(Path(path)), "passed-tests")
    if path := config.getoption("--all-but"):
        config.pluginmanager.register(RemainingTests(Path(path), config.rootpath), "remaining-tests")


def _file(nodeid: str) -> str:
    """The path of a test's file."""
    return nodeid.partition("::")[0]
