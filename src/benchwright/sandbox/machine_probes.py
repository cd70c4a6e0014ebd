"""Probes for `benchwright doctor`: the jails, the profiles, and the build of the Python interpreter."""

from __future__ import annotations

import os
import platform
import shutil
import socket
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from benchwright.errors import BenchwrightError, PrerequisiteError, install_command
from benchwright.records import Outcome, Record
from benchwright.sandbox.box import Sandbox
from benchwright.sandbox.cgroups import open_group
from benchwright.sandbox.environments import interpreter
from benchwright.sandbox.inside import linux
from benchwright.sandbox.limits import Limits
from benchwright.sandbox.profiles import NAMED, installed_packages
from benchwright.sandbox.zygote_object import find_object

LIMITS = Limits(cpu_s=0.5, wall_s=3.0, memory_mb=256, processes=16)

_USERNS_HINT = (
    "allow unprivileged user namespaces: sysctl -w kernel.apparmor_restrict_unprivileged_userns=0 "
    "(Ubuntu), sysctl -w kernel.unprivileged_userns_clone=1 (old Debian), or, in a container, "
    "--security-opt seccomp=unconfined --security-opt systempaths=unconfined"
)
_LARGE_HINT = "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled"
_GROUP_HINT = (
    "run as root with cgroup v1, or in a delegated scope: "
    "systemd-run --user --scope -p Delegate=yes benchwright …"
)


class Probe(Record, frozen=True, kw_only=True):
    """A layer: whether it holds, the evidence, and a hint if it does not."""

    layer: str
    holds: bool
    seen: str
    needed: bool = True  # False: something weaker but stated takes its place
    hint: str = ""


def probe_machine() -> Iterator[Probe]:
    """Probe the machine: platform, Python, bubblewrap, control groups."""
    yield Probe(
        layer="platform",
        holds=linux.supported(),
        seen=f"{platform.system()} {platform.release()} {platform.machine()}",
        hint="Linux on x86-64 or AArch64; elsewhere run in a Linux virtual machine or container",
    )
    yield Probe(
        layer="python",
        holds=sys.version_info >= (3, 11),
        seen=platform.python_version(),
        hint="apt-get install python3",
    )
    yield Probe(
        layer="bubblewrap",
        holds=shutil.which("bwrap") is not None,
        seen=shutil.which("bwrap") or "not installed; the native jail takes its place",
        needed=False,
        hint="apt-get install bubblewrap",
    )
    yield probe_group()


def probe_jails() -> Iterator[tuple[str, list[Probe]]]:
    """Probe the layers of each jail that can be started."""
    for jail in ("bubblewrap", "native"):
        if jail == "native" or shutil.which("bwrap"):
            yield jail, list(probe_jail(jail))


def probe_profiles() -> Iterator[Probe]:
    """Probe dependency profiles and extras."""
    for package, what in (
        ("numpy", "profile numpy"),
        ("duckdb", "Parquet files"),
        ("huggingface_hub", "the hub"),
    ):
        extra = {"duckdb": "parquet", "huggingface_hub": "hub"}.get(package, package)
        yield Probe(
            layer=what,
            holds=find_spec(package) is not None,
            seen=f"{package} is {'installed' if find_spec(package) else 'not installed'}",
            needed=False,
            hint=install_command(extra),
        )
    yield from map(_probe_packages, NAMED)


def _probe_packages(name: str) -> Probe:
    """Probe the packages of a profile with a lock file, and their versions."""
    try:
        found = installed_packages(name)
    except PrerequisiteError as error:
        hint = error.hint or ""
        return Probe(layer=f"profile {name}", holds=False, seen=error.message, needed=False, hint=hint)
    seen = ", ".join(f"{package} {found.packages[package]}" for package in NAMED[name])
    return Probe(layer=f"profile {name}", holds=True, seen=seen, needed=False)


def probe_group() -> Probe:
    """Probe whether control groups may be made; limits for each process replace them."""
    group = open_group(9999, memory_mb=64, processes=8)
    if group is None:
        seen = (
            "none may be made; limits are per process, and a watch sums the tree's memory ten times a second"
        )
        return Probe(layer="control groups", holds=False, seen=seen, needed=False, hint=_GROUP_HINT)
    seen = f"cgroup v{group.version}: memory, processes and processor time of a whole slot"
    group.close()
    return Probe(layer="control groups", holds=True, seen=seen)


def probe_jail(jail: str) -> Iterator[Probe]:
    """Probe the layers of a jail, by its name; only its start if it does not start."""
    try:
        with Sandbox(jail=jail, limits=LIMITS) as box:
            yield Probe(layer="start", holds=_adds(box), seen="a known answer gives its value")
            for name, probe in _PROBES.items():
                yield _try(name, probe, box)
            yield _probe_proc(box)
            yield _probe_loop(box)
            yield _probe_large_pages(box)
    except BenchwrightError as error:
        yield Probe(layer="start", holds=False, seen=error.message, hint=_USERNS_HINT)


def _try(name: str, probe: Callable[[Sandbox], str], box: Sandbox) -> Probe:
    try:
        complaint = probe(box)
    except BenchwrightError as error:
        complaint = error.message
    return Probe(layer=name, holds=not complaint, seen=complaint or _EVIDENCE[name], hint=_USERNS_HINT)


def _adds(box: Sandbox) -> bool:
    result = box.run("def add(x, y): return x + y", "add", [((1, 2), {})])
    return result.outcome is Outcome.passed and result.replies[0].value == 3


def _ask(box: Sandbox, body: str) -> Any:
    """Run code in the jail, and return its value, or the text of its exception."""
    result = box.run(f"import os, sys\ndef f():\n    {body}\n", "f", [((), {})])
    if result.outcome is Outcome.passed:
        return result.replies[0].value
    return f"{result.outcome.value}: {result.detail}"


def _network(box: Sandbox) -> str:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)
        port = server.getsockname()[1]
        answer = _ask(
            box, f"import socket; socket.create_connection(('127.0.0.1', {port}), 1); return 'connected'"
        )
        try:
            server.accept()[0].close()
        except TimeoutError:
            return "" if answer != "connected" else "a program connected to something"
    return "a program connected to a server on this machine"


def _files(box: Sandbox) -> str:
    with tempfile.TemporaryDirectory() as folder:
        secret = Path(folder) / "secret"
        secret.write_text("x")
        if _ask(box, f"return os.path.exists({str(secret)!r})") is not False:
            return "a file of this machine can be seen"
        marker = Path(folder) / "marker"
        _ask(box, f"open({str(marker)!r}, 'w').close()")
        return "a file was written on this machine" if marker.exists() else ""


def _read_only(box: Sandbox) -> str:
    answer = _ask(box, "open(os.__file__, 'a').close(); return 'written'")
    return "" if answer != "written" else "the standard library can be written"


def _fresh(box: Sandbox) -> str:
    _ask(box, "open('/tmp/left', 'w').close(); open('/dev/shm/left', 'w').close()")
    answer = _ask(box, "return os.path.exists('/tmp/left') or os.path.exists('/dev/shm/left')")
    return "" if answer is False else "an answer sees files of the one before"


def _processes(box: Sandbox) -> str:
    answer = _ask(box, "return sorted(int(name) for name in os.listdir('/proc') if name.isdigit())")
    return "" if answer == [1] else f"an answer sees processes {answer}"


def _environment(box: Sandbox) -> str:
    names = _ask(box, "return sorted(os.environ)")
    mine = (
        set(os.environ)
        - {"PATH", "HOME", "LANG", "TZ", "PWD"}
        - {name for name in os.environ if "PYTHON" in name}
    )
    leaked = [name for name in names if name in mine and not name.endswith("_NUM_THREADS")]
    return f"variables of this process are seen: {leaked}" if leaked else ""


def _probe_proc(box: Sandbox) -> Probe:
    """Probe the kernel files in /proc. Older kernels are acceptable: there, files are covered."""
    answer = _ask(box, "return sorted(name for name in os.listdir('/proc') if not name.isdigit())")
    layer = "no kernel files"
    if answer == ["self", "thread-self"]:
        return Probe(layer=layer, holds=True, seen="/proc has an answer's own processes and nothing else")
    addresses = _ask(box, "return open('/proc/kallsyms').read(1)")
    if isinstance(answer, list) and (addresses == "" or "Error" in addresses):
        seen = f"this kernel shows {len(answer)} names in /proc; those about other processes are covered"
        return Probe(layer=layer, holds=True, seen=seen)
    return Probe(layer=layer, holds=False, seen=f"an answer sees {answer}", hint="Linux 5.8 or later")


def _probe_loop(box: Sandbox) -> Probe:
    """Probe whether machine code forks answers. Not a layer: Python enforces the same at a higher cost."""
    why = box.why_python()
    seen = f"{why}; Python takes its place" if why else "answers are forked and set up by the compiled loop"
    return Probe(layer="machine code", holds=not why, seen=seen, needed=False, hint=find_object().hint)


def _probe_large_pages(box: Sandbox) -> Probe:
    """Probe whether the interpreter's code is in large pages, as the kernel reports to an answer."""
    lines = _ask(box, "return [x.split()[1] for x in open('/proc/self/smaps_rollup') if 'AnonHuge' in x]")
    size = int(lines[0]) >> 10 if isinstance(lines, list) and lines else 0
    seen = f"{size} MiB of the interpreter's code" if size else "none for the interpreter's code"
    is_requested = linux.LARGE_PAGES and not box.why_python()  # a zygote that forks in Python uses none
    hint = _LARGE_HINT if is_requested else ""
    return Probe(layer="large pages", holds=size > 0, seen=seen, needed=False, hint=hint)


def _calls(box: Sandbox) -> str:
    answer = _ask(
        box,
        "import ctypes; libc = ctypes.CDLL(None); "
        f"return [libc.unshare({linux.CLONE_NEWUSER}), libc.ptrace(0, 0, 0, 0), libc.inotify_init1(0), "
        "libc.bind(0, None, 0), libc.syncfs(0)]",
    )
    return "" if answer == [-1] * 5 else f"forbidden system calls answered {answer}"


def _privileges(box: Sandbox) -> str:
    status = _ask(box, "return open('/proc/self/status').read()")
    fields = dict(line.split(":\t", 1) for line in str(status).splitlines() if ":\t" in line)
    wrong = [name for name in ("CapEff", "CapPrm", "CapInh") if fields.get(name, "?").strip("0 ")]
    wrong += [name for name, value in (("NoNewPrivs", "1"), ("Seccomp", "2")) if fields.get(name) != value]
    return f"not as it should be: {', '.join(wrong)}" if wrong else ""


def _memory(box: Sandbox) -> str:
    result = box.run("def f():\n    return len(bytearray(1 << 30))", "f", [((), {})])
    return "" if result.outcome is Outcome.exception else f"1 GiB was given: {result.outcome.value}"


def _forks(box: Sandbox) -> str:
    answer = str(_ask(box, "while os.fork(): pass\n    __import__('time').sleep(9)"))
    return "" if "unavailable" in answer else f"forking had no end: {answer}"


def _processor(box: Sandbox) -> str:
    started = time.monotonic()
    result = box.run("def f():\n    while True: pass", "f", [((), {})])
    if result.outcome is not Outcome.timed_out:
        return f"a loop ended as {result.outcome.value}"
    return "" if time.monotonic() - started < 60 else "a loop was ended late"


_PROBES: dict[str, Callable[[Sandbox], str]] = {
    "no network": _network,
    "no files of yours": _files,
    "read-only system": _read_only,
    "fresh /tmp": _fresh,
    "no other processes": _processes,
    "empty environment": _environment,
    "no capabilities": _privileges,
    "system call filter": _calls,
    "memory limit": _memory,
    "process limit": _forks,
    "processor clock": _processor,
}
_EVIDENCE = {
    "no network": "a connection to a server on this machine was refused",
    "no files of yours": "a file here could be neither seen nor written",
    "read-only system": "the standard library could not be written",
    "fresh /tmp": "files of one answer were not visible to the next",
    "no other processes": "an answer sees itself alone",
    "empty environment": "no variable of this process is seen",
    "no capabilities": "none effective, permitted or to be gained",
    "system call filter": "unshare, ptrace, inotify, bind and syncfs were refused",
    "memory limit": f"1 GiB was refused at a limit of {LIMITS.memory_mb} MiB",
    "process limit": f"forking ended at {LIMITS.processes} processes",
    "processor clock": f"a loop was ended after {LIMITS.cpu_s:g} s of processor time",
}


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
    """Return how the interpreter was optimized; empty if it was not, or if that is unknown."""
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
    found = fastest(own, list(other_interpreters(own)))
    hint = f"build it with {ASKED}, which makes executions 5 to 15 % cheaper"
    if found is not None:
        path, share = found
        seen += f"; {path} takes {100 * share:.0f} % of its time"
        hint = f"{path} -m venv .venv, and install this program there"
    return Probe(layer="interpreter build", holds=False, seen=seen, needed=False, hint=hint)


def other_interpreters(own: Path) -> Iterator[Path]:
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
            if (seconds := _time(path)) is not None:
                times[path] = min(seconds, times.get(path, seconds))
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
