"""Machine code serves an answer as Python does: the same frames in the same order, for every value and end."""

from __future__ import annotations

import marshal
from typing import Any

import pytest

from benchwright.records import Outcome
from benchwright.sandbox.box import Sandbox
from benchwright.sandbox.codec import encode
from benchwright.sandbox.inside import linux
from benchwright.sandbox.zygote import AnswerEnded, RunningAnswer
from benchwright.sandbox.zygote_object import MACHINE, VARIABLE
from kit.needs import need_sandbox, need_that

need_that(linux.MACHINE == MACHINE, "no compiled zygote is shipped for it")
need_sandbox()
VALUES = """
import collections, fractions
deep, cyclic, shared = [], [], [1.5]
for _ in range(150):
    deep = [deep]
cyclic.append(cyclic)
class Text(str): pass
class Hostile(Exception):
    def __str__(self): raise SystemExit(3)
class Key:
    def __hash__(self): return 1
VALUES = [
    1, 2**70, True, None, 1.5, float("nan"), 2j, "text", "\\ud800", b"bytes", "", [], (), {}, [1, [2, ("a", {"b": None})]],
    {1: 2, "x": [{}], (1, 2): {3: (4,)}}, {1, 2}, frozenset("a"), [{3}], {"k": {5}}, collections.Counter("aab"),
    collections.deque([1]), bytearray(b"x"), range(3), fractions.Fraction(1, 3), deep, cyclic, [shared, shared],
    Text("x"), [Text("x")], {Key(): 1}, {1: Key()}, Key, Hostile(), 1 << 40000,
]
ERRORS = [ValueError("bad"), SystemExit(2), KeyboardInterrupt(), Hostile(), KeyError("f"), StopIteration(4), MemoryError()]
def f(number=None, *, error=None, depth=0, said=""):
    print(said, end="")
    if depth:
        return f(depth=depth - 1)
    if error is not None:
        raise ERRORS[error]
    return VALUES[number]
f.counts = (len(VALUES), len(ERRORS))
"""
COUNTS = 37, 7
CALLS: list[Any] = [
    *(((number,), {}) for number in range(COUNTS[0])),
    *(((), {"error": number}) for number in range(COUNTS[1])),
    ((0,), {"said": "no line end"}),
    ((), {"depth": 10**6}),
    ((), {"unknown": 1}),
    ((99,), {}),
]
ENDS = (
    *("def g(): pass", "raise KeyError('f')", "raise SystemExit", "1 / 0", "f = 1", "def f(x): yield x"),
    "import os\ndef f(x):\n    if os.fork() == 0: return 'child'\n    os.wait()\n    return x, __name__, __builtins__['len']([])",
    "import os\nprint('before', end='')\ndef f(x): os._exit(4)",
    "import sys\nsys.stdout = None\ndel sys.modules['solution']\ndef f(x): sys.modules.clear(); return x",
    "def f(x):\n    del globals()['f']\n    return f(x)",
    "import sys\ndef f(x): return sorted(globals()), vars(sys.modules['solution']) is globals()",
    "import sys\nm = sys.modules[__name__]\ndef f(x): return repr(m), m.__spec__, m.__doc__, type(__builtins__).__name__",
    "import gc\ndef f(x): return gc.isenabled(), [type(each).__name__ for each in (x,)]",
    # Only the module refers to the names, and only the list of calls to the arguments.
    "import sys\nfrom operator import neg as f\ndel sys.modules['solution'], sys",
    """import gc
def f(x):
    for each in gc.get_objects():
        if type(each) is list and each and type(each[0]) is tuple:
            each.clear()
    return x
""",
    # Each write is interrupted, and may be partial.
    """import signal
signal.signal(signal.SIGALRM, lambda *_: None)
signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
def f(x): return bytes(range(256)) * 4000
""",
)


def frames(box: Sandbox, source: str | bytes, calls: bytes) -> list[object]:
    """Return all frames of an answer, how it ended, and its output."""
    found: list[object] = []

    def work(running: RunningAnswer) -> None:
        found.clear()
        try:
            while (frame := running.read())[0] != b"D":
                found.append(frame)
        except AnswerEnded as ended:
            found.append((ended.outcome, ended.detail))

    usage = box.execute(("batch", "f", source, calls), work)
    return [*found, usage.stdout]


def test_both_send_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """For source and compiled programs; with calls at once, one by one, and with a value that marshal lacks."""
    given = {}
    for loop in ("python", "compiled"):
        monkeypatch.setenv(VARIABLE, loop)
        with Sandbox() as box:
            many = frames(box, _compiled(VALUES), encode(CALLS))
            assert frames(box, VALUES, encode(CALLS)) == many
            ends = [frames(box, _compiled(each), encode([((2,), {})] * 2)) for each in ENDS]
            marked = frames(box, _compiled("def f(x): return list(x)"), encode([((range(3),), {})]))
            with box.session("def f(x): x.append(1); return x", "f") as session:
                one_by_one = [session.call(([],), {}) for _ in range(2)]
            given[loop] = [*many, *ends, marked, one_by_one]
            assert bool(box.why_python()) == (loop == "python")

    for python, compiled in zip(given["python"], given["compiled"], strict=True):
        assert compiled == python
    kinds = [each[0] for each in many[:-1] if isinstance(each, tuple)]
    assert (kinds[0], len(kinds)) == (b"L", 1 + len(CALLS))
    assert {b"V", b"X", b"T"} < {*kinds}
    assert ends[0][0][0] == b"E"  # type: ignore[index]
    assert (Outcome.exception, "the process exited with status 4 before it had answered") in ends[7]
    assert (one_by_one, marked[1]) == ([[1], [1]], (b"V", encode([0, 1, 2])))


def _compiled(source: str) -> bytes:
    return marshal.dumps(compile(source, "<solution>", "exec", dont_inherit=True))
