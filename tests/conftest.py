"""For all tests: the `jail` fixture, what each folder takes, what may be skipped where all is required."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Generator
from typing import Any

import pytest
from hypothesis import settings

from kit import two_passes
from kit.examples import SCALE, USUAL, examples
from kit.needs import DATA_VARIABLE, need_sandbox
from kit.seconds import Seconds
from kit.sharing import dearest_first

# A busy machine is slow, and that says nothing of the code: what a test may cost is counted in processor time.
# Each run tries the same examples, so that it says the same of the same code; with BENCHWRIGHT_EXAMPLES new ones.
settings.register_profile("benchwright", deadline=None, max_examples=examples(USUAL), derandomize=SCALE <= 1)
settings.load_profile("benchwright")
# What a terminal is like decides what is drawn on it, so the tests have one of their own and not the user's.
os.environ["TERM"] = "xterm-256color"
for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES"):
    os.environ.pop(name, None)
# Hints fit where they are printed, and the tests are told of one place: the installed command, and pip.
os.environ["BENCHWRIGHT_COMMAND"] = "benchwright"
# What an earlier run of the tests proved is not taken from its user's cache, but where a test says so.
os.environ["BENCHWRIGHT_SELF_CHECK"] = "full"
# What an earlier test has asked is asked again, but where a test says so.
os.environ["BENCHWRIGHT_NO_CACHE"] = "1"
# A shell starts its background jobs deaf to Ctrl-C, and so would be all that the tests of Ctrl-C start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Reasons that stay skips under BENCHWRIGHT_REQUIRE_ALL=1: no installation could change them.
ALLOWED = (
    DATA_VARIABLE,  # data sets that are not ours to ship
    "beside the repository",  # the same, for the card of one
    "a clone of https://github.com/",  # a history of others, with the recorded replies in it
    "is not there",  # the kernel's headers, and code of others that only the integration tests run
    "the superuser may read everything",  # a test of permissions, run by root
    "only root can do this",  # the reverse
    "no small file system can be made here",  # mounting is forbidden even to root in a container
    "needs control groups",  # a kernel's offer, not a tool's
    "uv sync --group trackers",  # clients of 60 MB for two commands
    "only the weekly check",  # what takes long, and is covered by cheaper tests otherwise
    "by the grammar since 3.12",  # what only an older Python is slow at
)
# One more, unless BENCHWRIGHT_REQUIRE_PROFILES=1: up to 1.2 GB from an index, which may not answer.
PROFILES = "no program of the profile"


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of the passes of `.ci/run`."""
    two_passes.add_options(parser)


def pytest_configure(config: pytest.Config) -> None:
    """Every run ends with a table of what the tests of each folder took."""
    two_passes.register(config)
    config.pluginmanager.register(Seconds(config), "seconds-by-folder")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is collected stays to the end: to look again and again which of it is dead takes a quarter of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Where several processes share the run, what takes longest is given out first."""
    if hasattr(config, "workerinput"):
        dearest_first(items)


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Bytes are not spelt out in a test's name: what packs them may write the time of day into them."""
    return argname if isinstance(val, bytes) else None


@pytest.fixture(scope="session")
def jail() -> None:
    """The test runs answers: skipped where the sandbox cannot be built."""
    need_sandbox()


@pytest.fixture(scope="module", autouse=True)
def no_parser_stays() -> Generator[None]:
    """The parser of Java and Go ends with the file that used it: others count the processes of this one."""
    yield
    if parser := sys.modules.get("benchwright.lang.parser"):
        parser.PARSER.close()


def _allowed() -> list[str]:
    """The words of reasons that stay skips."""
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
    """Judge each test's skip."""
    report = yield
    _required(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, Any, Any]:
    """Judge the skip of a whole file."""
    report = yield
    _required(report)
    return report
