"""What a soak judges: right and wrong answers of our own among hostile ones, drawn from a seed.

Every program is bounded by the sandbox that it is to test, and its outcome is known before it runs.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from textwrap import dedent
from typing import NamedTuple

from benchwright.contracts import BatchSpec, CallsSpec, Spec
from benchwright.sandbox.codec import encode
from benchwright.sandbox.limits import Limits

# A wall guard of seconds, so that what hangs is ended soon enough to be told from a worker that hangs.
LIMITS = Limits(cpu_s=0.5, wall_s=5.0, memory_mb=192, processes=100, tmp_mb=16)
COSTLY_CPU_S = 5.0  # for what must run out of something else first
SUMS = {(1, 2): 3, (40, 2): 42, (7, 8): 15}
_HEAD = "def add(x, y):\n"


class Answer(NamedTuple):
    """A program that is asked for `add(x, y)`, and how it may end."""

    name: str
    program: str
    spec: Spec
    outcomes: frozenset[str]


class _Kind(NamedTuple):
    weight: int
    outcomes: str
    source: Callable[[Random], str]
    cpu_s: float = LIMITS.cpu_s


def _always(source: str) -> Callable[[Random], str]:
    return lambda _: dedent(source)


def _good(random: Random) -> str:
    """No two alike, so that nothing which a zygote may keep of the last answer could serve the next."""
    number = random.randrange(1 << 30)
    filling = f"    kept = [{number}] * {random.randrange(1, 50_000)}\n" if random.random() < 0.3 else ""
    return f"import math, random\nK = {number}\n{_HEAD}{filling}    return x + y + K - {number}\n"


def _wrong(random: Random) -> str:
    return f"{_HEAD}    return x + y + {random.randrange(1, 1000)}\n"


_EXITS = _always("""
    import os
    def add(x, y):
        os._exit(7)
    """)
_EXITS_LOADING = _always("""
    import os
    os._exit(0)
    def add(x, y):
        return x + y
    """)
_CRASHES = _always("""
    import ctypes
    def add(x, y):
        return ctypes.string_at(8)
    """)
_CLOSES_ALL = _always("""
    import os
    def add(x, y):
        os.closerange(0, 64)
        return x + y
    """)
_STOPS_ITSELF = _always("""
    import os, signal
    def add(x, y):
        os.kill(0, signal.SIGSTOP)
        return x + y
    """)
_FLOODS_STDERR = _always("""
    import os
    def add(x, y):
        while True:
            os.write(2, b"x" * 9999)
    """)
_SENDS_GARBAGE = _always(r"""
    import os
    def add(x, y):
        os.write(3, b"\0\0\0\0?")
        return x + y
    """)
_ANNOUNCES_AND_WAITS = _always(r"""
    import os, time
    def add(x, y):
        os.write(3, b"\x10\0\0\0V")
        time.sleep(600)
    """)
_EATS_MEMORY = _always("""
    def add(x, y):
        kept = []
        while True:
            kept.append(bytearray(1 << 20))
    """)
_FEEDS_CHILDREN = _always("""
    import os, time
    def add(x, y):
        for _ in range(6):
            if os.fork() == 0:
                kept = [bytearray(b"x" * (1 << 20)) for _ in range(90)]
                time.sleep(0.5)
                os._exit(0)
        try:
            while True:
                os.wait()
        except ChildProcessError:
            return x + y
    """)
_FILLS_TMP = _always("""
    def add(x, y):
        try:
            for number in range(100):
                with open(f"/tmp/{number}", "wb") as file:
                    file.write(b"x" * (1 << 20))
        except OSError:
            return x + y
    """)
_FORKS = _always("""
    import os, time
    def add(x, y):
        for _ in range(300):
            try:
                if os.fork() == 0:
                    time.sleep(600)
            except OSError:
                break
        return x + y
    """)
_LEAVES_DAEMONS = _always("""
    import os, signal, time
    def add(x, y):
        if os.fork():
            return x + y
        os.setsid()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD):
            signal.signal(number, signal.SIG_IGN)
        for _ in range(20):
            if os.fork() == 0:
                break
        time.sleep(600)
    """)
_BURNS_IN_CHILDREN = _always("""
    import os
    def add(x, y):
        for _ in range(6):
            if os.fork() == 0:
                break
        while True:
            pass
    """)
_STARTS_THREADS = _always("""
    import threading, time
    for _ in range(5):
        threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
    def add(x, y):
        return x + y
    """)

# By weight a few of these take most of the time, and all of them come about twice a minute.
_KINDS = {
    "good": _Kind(60, "passed", _good),
    "wrong": _Kind(15, "wrong", _wrong),
    "raises": _Kind(5, "exception", _always(_HEAD + "    raise KeyError(x)\n")),
    "recurses": _Kind(3, "exception", _always(_HEAD + "    return add(x, y)\n")),
    "exits": _Kind(4, "exception", _EXITS),
    "exits while loading": _Kind(3, "exception", _EXITS_LOADING),
    "crashes": _Kind(3, "exception", _CRASHES),
    "closes all": _Kind(3, "exception", _CLOSES_ALL),
    "no entry point": _Kind(2, "no_entry_point", _always("def other(x, y):\n    return x + y\n")),
    "broken": _Kind(2, "syntax_error", _always("def add(x, y:\n    return x + y\n")),
    "loops": _Kind(4, "timed_out", _always(_HEAD + "    while True: x += y\n")),
    "loops while loading": _Kind(
        2, "timed_out", _always("while True: pass\n" + _HEAD + "    return x + y\n")
    ),
    "loops in C": _Kind(2, "timed_out", _always(_HEAD + "    return sum(range(10 ** 12))\n")),
    "sleeps": _Kind(1, "timed_out", _always("import time\n" + _HEAD + "    time.sleep(600)\n")),
    "stops itself": _Kind(1, "passed", _STOPS_ITSELF),
    "floods stdout": _Kind(3, "output_limit", _always(_HEAD + "    while True: print('x' * 9999)\n")),
    "floods stderr": _Kind(2, "output_limit", _FLOODS_STDERR),
    "returns too much": _Kind(
        2, "output_limit", _always(_HEAD + "    return 'x' * (20 << 20)\n"), COSTLY_CPU_S
    ),
    "sends garbage": _Kind(3, "tampered", _SENDS_GARBAGE),
    "announces and waits": _Kind(1, "timed_out", _ANNOUNCES_AND_WAITS),
    "eats memory": _Kind(2, "out_of_memory", _EATS_MEMORY, COSTLY_CPU_S),
    # The kernel chooses whom it kills: a child, the answer, or the zygote. Without groups the clock does.
    "feeds children": _Kind(1, "passed out_of_memory timed_out", _FEEDS_CHILDREN, COSTLY_CPU_S),
    "fills /tmp": _Kind(2, "passed", _FILLS_TMP),
    "forks": _Kind(3, "passed", _FORKS, COSTLY_CPU_S),
    "leaves daemons": _Kind(3, "passed", _LEAVES_DAEMONS),
    "burns in children": _Kind(1, "timed_out", _BURNS_IN_CHILDREN),
    "starts threads": _Kind(2, "passed", _STARTS_THREADS),
}


class Mix:
    """An endless supply of answers; the same seed gives the same ones in the same order."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        self._names = list(_KINDS)
        self._weights = [_KINDS[name].weight for name in self._names]

    def draw(self) -> Answer:
        """The next answer, in one of the two forms that a judge knows."""
        (name,) = self._random.choices(self._names, self._weights)
        kind = _KINDS[name]
        spec = _spec(self._random.choice(("batch", "calls")), kind.cpu_s)
        return Answer(name, kind.source(self._random), spec, frozenset(kind.outcomes.split()))


def _spec(form: str, cpu_s: float) -> Spec:
    if form == "calls":
        lines = [f"    assert candidate(*{pair}) == {value}" for pair, value in SUMS.items()]
        test = "\n".join(["def check(candidate):", *lines])
        return CallsSpec(entry_point="add", test=test, cpu_limit_s=cpu_s)
    return BatchSpec(
        entry_point="add",
        calls=encode([(pair, {}) for pair in SUMS]),
        expected=[encode(value) for value in SUMS.values()],
        cpu_limit_s=cpu_s,
    )
