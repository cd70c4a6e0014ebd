"""Build of the interpreter that runs answers, and search for a faster one on this machine.

Profile-guided optimization saves 5 to 15 % of the cost of an execution. Distributions use it; builds by hand
or by tools need an option.
"""

from __future__ import annotations

import os
import subprocess
import sysconfig
from collections.abc import Iterator
from pathlib import Path

from benchwright.sandbox.environments import interpreter
from benchwright.sandbox.probes import Probe

ASKED = "--enable-optimizations"
SYSTEM = Path("/usr/bin")
CLEARLY = 0.95  # ratio of times below which another interpreter counts as faster
ROUNDS, LOOKED_AT, HANG_S = 3, 4, 20.0
_NAMES = tuple(f"python3.{minor}" for minor in range(15, 10, -1))
# Typical work of answers: calls, integers, dicts, texts. The minimum of several times is the least disturbed.
_WORK = """
import time
def work(n):
    found = {}
    for i in range(n):
        found[i % 97] = found.get(i % 97, 0) + len(str(i * i))
    return sorted(found.items(), key=lambda item: item[1])
times = []
for _ in range(3):
    began = time.process_time()
    work(40_000)
    times.append(time.process_time() - began)
print(min(times))
"""


def optimized_build() -> str:
    """Return how the interpreter was optimized; empty if it was not, as far as is known."""
    if ASKED in str(sysconfig.get_config_var("CONFIG_ARGS")):
        return "with profile-guided optimization"
    # A distribution builds several interpreters from one source: stored arguments may be of another one.
    return "the system's own build" if interpreter().parent == SYSTEM else ""


def probe_build() -> Probe:
    """Probe whether the interpreter was built with optimization; if not, measure others."""
    own = interpreter()
    if build := optimized_build():
        return Probe(layer="interpreter build", holds=True, seen=f"{own}, {build}")
    seen = f"{own} was built without profile-guided optimization ({ASKED})"
    found = fastest(own, list(others(own)))
    hint = f"build it with {ASKED}, which makes executions 5 to 15 % cheaper"
    if found is not None:
        path, share = found
        seen += f"; {path} takes {100 * share:.0f} % of its time"
        hint = f"{path} -m venv .venv, and install this program there"
    return Probe(layer="interpreter build", holds=False, seen=seen, needed=False, hint=hint)


def others(own: Path) -> Iterator[Path]:
    """Yield a few other interpreters of supported versions on PATH, each file once."""
    known = {own}
    for folder in dict.fromkeys(os.get_exec_path()):
        for name in _NAMES:
            path = Path(os.path.realpath(os.path.join(folder, name)))
            if path not in known and path.is_file() and os.access(path, os.X_OK) and len(known) <= LOOKED_AT:
                known.add(path)
                yield path


def fastest(own: Path, candidates: list[Path]) -> tuple[Path, float] | None:
    """Return the fastest candidate and its time relative to `own`; None if none is clearly faster."""
    times: dict[Path, float] = {}
    for _ in range(ROUNDS):  # interleaved, because the speed of a machine varies
        for path in (own, *candidates):
            if (taken := _time(path)) is not None:
                times[path] = min(taken, times.get(path, taken))
    if own not in times:
        return None
    path = min(times, key=times.__getitem__)
    share = times[path] / times[own]
    return (path, share) if share < CLEARLY else None


def _time(path: Path) -> float | None:
    """Measure the CPU seconds of the work; None if the interpreter cannot do it."""
    command = [str(path), "-I", "-S", "-c", _WORK]
    try:
        done = subprocess.run(
            command, capture_output=True, stdin=subprocess.DEVNULL, timeout=HANG_S, check=False, cwd="/"
        )
        return float(done.stdout)
    except (OSError, subprocess.TimeoutExpired, ValueError):
        return None
