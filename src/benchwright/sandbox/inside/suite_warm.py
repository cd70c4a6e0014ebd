"""Sets pytest up once before the first fork, for all suites.

Building pytest's Config and Session costs more than a small suite. No option or file of a suite is read, so a
suite cannot bring an ini file, a plugin or a command line.
"""

from __future__ import annotations

import os
import sys
import unittest
from collections.abc import Callable, Collection, Generator, Iterable
from typing import Any

import pytest
from _pytest import nodes, runner
from _pytest.config import Config, PytestPluginManager, _prepareconfig

from . import suite_checks, suite_late, suite_rewrite, suite_tests  # noqa: F401 (the last to be watched)
from .suite_watch import FunctionWatch

ROOT = "/tmp"
# Plugins that print, store files for a next run or watch the process; the others serve tests.
_OFF = (
    *("terminal", "junitxml", "doctest", "cacheprovider", "pastebin", "faulthandler", "stepwise"),
    *("setuponly", "setupplan", "threadexception", "unraisableexception"),
)
_ARGUMENTS = ["--assert=plain", "--capture=no", "-c", os.devnull]
_ARGUMENTS += [f"--rootdir={ROOT}", f"--confcutdir={ROOT}"]
# Modules whose functions decide how a test ends; the rest of pytest collects, prints and configures.
_DECIDING = {
    *("os", "posix", "marshal", "pytest", "unittest.case", "pluggy._hooks"),
    *("pluggy._caller", "pluggy._callers", "pluggy._execution", "pluggy._manager", "pluggy._result"),
    *("_pytest.runner", "_pytest.reports", "_pytest.python", "_pytest.python_api", "_pytest.raises"),
    *("_pytest.nodes", "_pytest.fixtures", "_pytest.skipping", "_pytest.unittest", "_pytest.subtests"),
    *("_pytest.outcomes", "_pytest.approx"),
}
_WARMING = "def test_a(x=1):\n    assert x == 1\n"


class OutcomePlugin:
    """The plugin that collects the reports and exceptions of tests and subtests."""

    def __init__(self) -> None:
        self.reports: list[pytest.TestReport] = []
        self.raised: dict[int, BaseException] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
        """Keep the exception; a report has only its text."""
        report = yield
        if call.excinfo is not None:
            self.raised[id(report)] = call.excinfo.value
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the report."""
        self.reports.append(report)


OUTCOMES = OutcomePlugin()


def _prepared() -> tuple[Config, pytest.Session]:
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    config = _prepareconfig(
        [*_ARGUMENTS, *(word for name in _OFF for word in ("-p", f"no:{name}"))], [OUTCOMES]
    )
    config._do_configure()
    session = pytest.Session.from_config(config)
    config.hook.pytest_sessionstart(session=session)
    return config, session


CONFIG, SESSION = _prepared()
suite_late.end()
# Plugins that run around each phase of each test for their fixtures, and words of these fixtures: a suite
# without the words does not need the plugins. The fixtures are defined elsewhere and stay.
_SERVING = {"logging-plugin": (b"log", b"cap"), "capturemanager": (b"cap",)}


class _SparePlugins:
    """Removes plugins, once for all forks, and puts back in a fork those that its suite needs: most suites
    need none, and removing copies more pages than most tests. Each hook calls them in pytest's order."""

    def __init__(self, plugins: PytestPluginManager, names: Iterable[str]) -> None:
        self._plugins, self._removed = plugins, {name: plugins.get_plugin(name) for name in names}
        found = (caller for each in self._removed.values() for caller in plugins.get_hookcallers(each) or ())
        callers = {caller.name: caller for caller in found}
        self._complete = [(caller, list(caller._hookimpls)) for caller in callers.values()]
        for name in self._removed:
            plugins.unregister(name=name)

    def put_back(self, names: Collection[str]) -> None:
        """Register these plugins again."""
        absent = self._removed.keys() - names
        for caller, complete in self._complete:
            caller._hookimpls[:] = [each for each in complete if each.plugin_name not in absent]
        self._plugins._name2plugin.update({name: self._removed[name] for name in names})


_SPARE = _SparePlugins(CONFIG.pluginmanager, _SERVING)


def serve_fixtures(texts: Iterable[bytes]) -> None:
    """Provide the plugins whose words occur in the files of a suite."""
    lowered = [text.lower() for text in texts]
    needed = [
        name for name, words in _SERVING.items() if any(word in text for word in words for text in lowered)
    ]
    if needed:
        _SPARE.put_back(needed)


# The text of a traceback costs more than the test; `OutcomePlugin` keeps the exception instead.
setattr(nodes.Item, "_repr_failure_py", lambda self, excinfo, style=None: "failed")  # noqa: B010 (not its type)
suite_checks.watch_unittest(unittest.TestCase)
suite_rewrite.rewritten(_WARMING, "warming", suite_rewrite.Canary(passing="a", failing="b"))
RUN_ITEM: Callable[..., list[Any]] = runner.runtestprotocol
WATCH = FunctionWatch(
    modules=[
        module
        for name, module in sorted(sys.modules.items())
        if name in _DECIDING or name.startswith("inside.")
    ]
)
