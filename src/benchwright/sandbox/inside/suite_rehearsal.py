"""Runs a built-in suite before the first fork, to warm up pytest and the interpreter.

The interpreter caches instructions and look-ups when it first meets them; in a fork each such write copies a
page. The state that pytest keeps of a run is restored. The test file has the path /dev/null, the only file in
every jail: no file can be written before a suite has its own /tmp.
"""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable
from typing import Any

from . import suite_probes, suite_warm
from .suite import SuiteJob, SuiteSession
from .suite_import import Importer
from .suite_rewrite import Canary
from .suite_watch import FunctionWatch

_HOME, _FILE = "/dev", "null"
_TEST = b"""
import unittest

import pytest


@pytest.fixture
def rehearsed_thing():
    return {}


@pytest.mark.parametrize("value", [1, 2])
def test_value(value):
    assert value in (1, 2)


def test_fixture(rehearsed_thing):
    rehearsed_thing["a"] = [1]
    assert rehearsed_thing == {"a": [1]}


class TestClass:
    def test_error(self):
        with pytest.raises(KeyError, match="a"):
            {}["a"]


class TestCase(unittest.TestCase):
    def test_equal(self):
        self.assertEqual("a", "a")
        with self.assertRaises(KeyError):
            {}["a"]
"""
_SPEC = SuiteJob(
    _FILE,
    "",
    "p",
    "f",
    "",
    order_seed=None,
    clock_shift_s=0,
    timezone="UTC",
    traced=False,
    pressed=0,
    switch_s=0.0,
    one_core=False,
)


def rehearse() -> None:
    """Run the suite once and restore the state of pytest. More runs gain no more than they cost."""
    put_back = _state_restorer()
    _run()
    put_back()


def _run() -> None:
    importer = Importer(_FILE, {_FILE: _TEST}, Canary("test_p", "test_f"), added="", home=_HOME)
    sys.meta_path.insert(0, importer)
    importer.lay_out_canaries()
    verdict = SuiteSession(_SPEC, importer, _unsent, watch=FunctionWatch(modules=[])).run(
        [f"{_HOME}/{_FILE}"]
    )
    if any(verdict):
        sys.exit(f"pytest cannot be driven: {verdict.detail}")


def _unsent(kind: bytes, payload: bytes) -> None:
    """Discard a frame of the suite."""


def _state_restorer() -> Callable[[], None]:
    """Copy the state that a run changes; the returned function restores it."""
    session = suite_warm.SESSION
    owners = [session.__dict__, session._fixturemanager.__dict__, suite_warm.OUTCOMES.__dict__]
    containers = [value for owner in owners for value in owner.values() if type(value) in (dict, list, set)]
    containers += [
        *owners,
        suite_probes._own,
        suite_probes._numbers,
        suite_probes._tolerant,
        sys.meta_path,
        sys.path,
        sys.path_importer_cache,
    ]
    copies = [copy.copy(each) for each in containers]

    def put_back() -> None:
        for each, before in zip(containers, copies, strict=True):
            _refill(each, before)
        del sys.modules[_FILE]  # only this one: pytest may have imported others

    return put_back


def _refill(each: Any, before: Any) -> None:
    if type(each) is list:
        each[:] = before
        return
    for added in [key for key in each if key not in before]:
        each.pop(added) if type(each) is dict else each.discard(added)
    each.update(before)


rehearse()
