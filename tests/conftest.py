"""Fixtures and hooks for all tests: the `jail` fixture, the table of costs by folder, and the skips that are
allowed."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Generator
from typing import Any

import pytest
from hypothesis import settings

from kit import forked_tests, two_passes
from kit.examples import SCALE, USUAL, examples
from kit.needs import DATA_VARIABLE, need_sandbox
from kit.seconds import Seconds
from kit.sharing import longest_first

# Tests have no deadlines: a busy machine is slow, so the cost of a test is measured in processor time. Every
# run tries the same examples, so its result is reproducible; BENCHWRIGHT_EXAMPLES adds new ones.
settings.register_profile("benchwright", deadline=None, max_examples=examples(USUAL), derandomize=SCALE <= 1)
settings.load_profile("benchwright")
# Output depends on the terminal, so the tests use a fixed one instead of the user's.
os.environ["TERM"] = "xterm-256color"
for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES"):
    os.environ.pop(name, None)
# Hints depend on how Benchwright was installed. The tests use one form: the installed command, and pip.
os.environ["BENCHWRIGHT_COMMAND"] = "benchwright"
# Do not read self-check results from the user's cache, unless a test asks for it.
os.environ["BENCHWRIGHT_SELF_CHECK"] = "full"
# Do not read answers of earlier tests from the cache, unless a test asks for it.
os.environ["BENCHWRIGHT_NO_CACHE"] = "1"
# A shell starts background jobs with SIGINT ignored, and every process that they start inherits this.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Reasons for skips that are allowed under BENCHWRIGHT_REQUIRE_ALL=1: no installation could remove them.
ALLOWED = (
    DATA_VARIABLE,  # data sets that may not be distributed with this project
    "beside the repository",  # the same, for a published card
    "a clone of https://github.com/",  # a third party's repository, with the recorded replies in it
    "is not there",  # the kernel's headers, and third-party code that only the integration tests run
    "the superuser may read everything",  # a test of permissions, run by root
    "only root can do this",  # the reverse
    "no small file system can be made here",  # mounting is forbidden even to root in a container
    "needs control groups",  # a feature of the kernel
    "uv sync --group trackers",  # clients of 60 MB for two commands
    "only the weekly check",  # slow tests, which cheaper tests cover otherwise
    "by the grammar since 3.12",  # slow only on older Python versions
)
# Allowed unless BENCHWRIGHT_REQUIRE_PROFILES=1: packages of up to 1.2 GB from an index that may not answer.
PROFILES = "no program of the profile"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the passes of `.ci/run`."""
    two_passes.add_options(parser)
    forked_tests.add_options(parser)


def pytest_configure(config: pytest.Config) -> None:
    """Register the passes, and the table of the cost of each folder's tests at the end of a run."""
    two_passes.register(config)
    forked_tests.register(config)
    config.pluginmanager.register(Seconds(config), "seconds-by-folder")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect without the garbage collector: collected tests live to the end, and scanning them takes a
    quarter of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        _end_parser()  # which would be that of another process in those that are forked to run the tests
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """With several processes, start the most expensive files first."""
    if config.getoption("--processes") or hasattr(config, "workerinput"):
        longest_first(items)


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Name bytes by their argument: archives contain the time of day, so their bytes are not a stable name."""
    return argname if isinstance(val, bytes) else None


@pytest.fixture(scope="session")
def jail() -> None:
    """Skip tests that execute answers if the sandbox cannot be built."""
    need_sandbox()


@pytest.fixture(scope="module", autouse=True)
def no_parser_stays() -> Generator[None]:
    """End the parser of Java and Go after the file that used it: other tests count the child processes of
    this one."""
    yield
    _end_parser()


def _end_parser() -> None:
    if parser := sys.modules.get("benchwright.lang.parser"):
        parser.PARSER.close()


def _allowed() -> list[str]:
    """Return words that occur in the reasons of allowed skips."""
    return [*ALLOWED, *([PROFILES] if os.environ.get("BENCHWRIGHT_REQUIRE_PROFILES") != "1" else [])]


def _required(report: Any) -> None:
    """Turn the skip of a missing tool into a failure."""
    if os.environ.get("BENCHWRIGHT_REQUIRE_ALL") != "1" or not report.skipped or hasattr(report, "wasxfail"):
        return
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    if not any(words in reason for words in _allowed()):
        report.outcome = "failed"
        report.longrepr = f"{report.nodeid} may not be skipped here (BENCHWRIGHT_REQUIRE_ALL=1): {reason}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, Any, Any]:
    """Check the skip of a test."""
    report = yield
    _required(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, Any, Any]:
    """Check the skip of a whole file."""
    report = yield
    _required(report)
    return report
