"""The zygote's work before its first fork is invisible to answers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from benchwright.sandbox.box import Sandbox
from kit.needs import need_jail, need_sandbox

LOOKS = """
import gc, os, random, sys

FIRST = random.Random(0).random()

def look():
    descriptors = sorted(map(int, os.listdir("/proc/self/fd")))
    return {
        "module": sys.modules["solution"].__dict__.get("f"),
        "variable": os.environ.get("LD_BIND_NOW"),
        "descriptors": descriptors[:4] == [0, 1, 2, 3] and len(descriptors) <= 5,
        "chance": random.random() == FIRST,
        "frozen": gc.get_freeze_count() > 1000 and gc.isenabled(),
        "output": os.fstat(1).st_size,
    }
"""


@pytest.fixture(scope="module", params=["bubblewrap", "native"])
def box(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    """Return a sandbox of each jail."""
    need_sandbox()
    need_jail(request.param)
    with Sandbox(jail=request.param) as made:
        yield made


def test_nothing_of_it_is_left(box: Sandbox) -> None:
    """Its program, descriptors, output and variable are removed, and the random generator is reset."""
    (reply,) = box.run(LOOKS, "look", [((), {})]).replies
    expected = {
        "module": None,
        "variable": None,
        "descriptors": True,
        "chance": True,
        "frozen": True,
        "output": 0,
    }

    assert expected == reply.value


def test_its_program_is_unknown_to_an_answer(box: Sandbox) -> None:
    """The entry point of the rehearsal does not exist for an answer without one."""
    result = box.run("x = 1", "f", [((), {})])

    assert result.outcome.value == "no_entry_point"


def test_values_are_as_before(box: Sandbox) -> None:
    """Instructions specialised for lists and texts still work for other types."""
    source = "def f(a, b): return [a + b, a * 2, [a][::-1], str(a).upper(), {a: b}, a == b]"
    calls = [((1, 2), {}), ((1.5, 2), {}), (("a", "b"), {}), (((1,), (2,)), {}), ((True, 2**70), {})]
    replies = [reply.value for reply in box.run(source, "f", calls).replies]

    assert [[a + b, a * 2, [a][::-1], str(a).upper(), {a: b}, a == b] for (a, b), _ in calls] == replies  # type: ignore[operator]
