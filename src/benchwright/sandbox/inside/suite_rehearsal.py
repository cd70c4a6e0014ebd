"""Runs a suite of its own before the first fork, so that no suite is the first to go through pytest.

The interpreter notes each instruction and each look-up that it meets for the first time; in a fork every
note is a page copied. What pytest keeps of a run is put back as it was. The test file stands at /dev/null,
the one file that is in every jail: nothing can be written there before a suite has a /tmp of its own.
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
    """Run the suite and forget it. Once: a second and third time gain no more than they take."""
    put_back = _kept()
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
    """What a suite would say is for nobody here."""


def _kept() -> Callable[[], None]:
    """What a run leaves behind, as it is now: calling the result restores it."""
    session = suite_warm.SESSION
    owners = [session.__dict__, session._fixturemanager.__dict__, suite_warm.EAR.__dict__]
    held = [value for owner in owners for value in owner.values() if type(value) in (dict, list, set)]
    held += [
        *owners,
        suite_probes._own,
        suite_probes._numbers,
        suite_probes._tolerant,
        sys.meta_path,
        sys.path,
        sys.path_importer_cache,
    ]
    copies = [copy.copy(each) for each in held]

    def put_back() -> None:
        for each, before in zip(held, copies, strict=True):
            _refill(each, before)
        del sys.modules[_FILE]  # and no other, should pytest have imported something on the way

    return put_back


def _refill(each: Any, before: Any) -> None:
    if type(each) is list:
        each[:] = before
        return
    for added in [key for key in each if key not in before]:
        each.pop(added) if type(each) is dict else each.discard(added)
    each.update(before)


rehearse()
