"""The two passes of `.ci/run`: the second one skips the tests that passed without the optional programs.

The first pass writes the ids of passed and of skipped tests to a file (`--passed-to FILE`). The second pass runs all
tests except the passed ones (`--all-but FILE`). It does not import test files in which no test was skipped.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kit.seconds import file_of

# The sandbox uses bubblewrap if it is installed, so these run with it (second pass) and without it (first pass).
IN_BOTH = ("tests/sandbox/",)


class PassedTests:
    """Record the result of each test and write it at the end; with xdist, in the main process only."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.passed: set[str] = set()
        self.skipped: set[str] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Record a phase of a test. An expected failure counts as passed."""
        if report.skipped and not hasattr(report, "wasxfail"):
            self.skipped.add(report.nodeid)
        elif report.when == "call" and not report.failed:
            self.passed.add(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        """Write the record."""
        record = {"passed": sorted(self.passed), "skipped": sorted(self.skipped)}
        self._path.write_text(json.dumps(record, indent=0))


class RemainingTests:
    """Deselect the tests that passed in an earlier pass."""

    def __init__(self, path: Path, root: Path) -> None:
        try:
            record = json.loads(path.read_text())
        except (OSError, ValueError) as error:
            raise pytest.UsageError(f"--all-but {path}: {error}") from error
        self._root = root
        self.passed = {each for each in record["passed"] if not each.startswith(IN_BOTH)}
        files = {file_of(each) for each in self.passed} - {file_of(each) for each in record["skipped"]}
        self.done_files = {root / each for each in files}

    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        """Ignore files in which every test passed."""
        return True if collection_path in self.done_files else None

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Deselect passed tests."""
        items[:] = [item for item in items if item.nodeid not in self.passed]


def add_options(parser: pytest.Parser) -> None:
    """Add the options of the two passes."""
    parser.addoption("--passed-to", metavar="FILE", help="write which tests passed and which were skipped")
    parser.addoption(
        "--all-but", metavar="FILE", help="leave out the tests that passed according to this file"
    )


def register(config: pytest.Config) -> None:
    """Register the plugins that the options request."""
    if (path := config.getoption("--passed-to")) and not hasattr(config, "workerinput"):
        config.pluginmanager.register(PassedTests(Path(path)), "passed-tests")
    if path := config.getoption("--all-but"):
        config.pluginmanager.register(RemainingTests(Path(path), config.rootpath), "remaining-tests")
