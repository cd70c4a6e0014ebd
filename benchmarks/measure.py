"""One run, measured from outside: CPU of the whole process tree, wall time, peak memory."""

from __future__ import annotations

import os
import re
import resource
import select
import signal
import subprocess
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from benchmarks.accounts import Account, end_all, open_account
from benchwright.errors import BenchwrightError

MIB = 1024**2
SAMPLE_S = 0.05
PAGE = resource.getpagesize()
_UNSEEN: list[float] = []  # CPU seconds of measured runs that wait4 does not report


class Usage(msgspec.Struct, frozen=True, kw_only=True):
    """What one run took. `peak_mib` is None when memory was not sampled."""

    account: str
    cpu_s: float
    wall_s: float
    waited_cpu_s: float
    survivors: int
    peak_mib: float | None = None


class Memory(msgspec.Struct, frozen=True, kw_only=True):
    """Resident memory of a process tree: `pss_mib`, plus plain RSS where PSS may not be read."""

    mib: float
    unreadable: int


def measure(command: Sequence[str], *, folder: Path, limit_s: float, memory: str = "not sampled") -> Usage:
    """Run a command to its end in `folder`; output goes to stdout.txt and stderr.txt there.

    memory: "sampled" sums the tree's PSS every 50 ms. That costs CPU of its own beside the run, so the
    runs that are timed leave it out.
    """
    with open_account() as account:
        started = time.monotonic()
        process = _start([*account.prefix(), *command], folder=folder)
        peak = _watch(process, account, limit_s=limit_s, memory=memory)
        _pid, status, spent = os.wait4(process.pid, 0)
        wall_s = time.monotonic() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        survivors = end_all(account.pids(process.pid))
        waited = spent.ru_utime + spent.ru_stime
        counted = account.cpu_s()
        label = account.label
    _require_success(process.returncode, command, folder=folder)
    _require_whole_account(counted, waited)
    _UNSEEN.append(0.0 if counted is None else counted - waited)
    return Usage(
        account=label,
        cpu_s=waited if counted is None else counted,
        wall_s=wall_s,
        waited_cpu_s=waited,
        survivors=survivors,
        peak_mib=peak,
    )


def _start(command: Sequence[str], *, folder: Path) -> subprocess.Popen[bytes]:
    environment = {"PATH": os.environ.get("PATH", os.defpath), "HOME": str(folder), "LANG": "C.UTF-8"}
    with (folder / "stdout.txt").open("wb") as out, (folder / "stderr.txt").open("wb") as err:
        return subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            start_new_session=True,
        )


def _watch(
    process: subprocess.Popen[bytes], account: Account, *, limit_s: float, memory: str
) -> float | None:
    """Wait until a process has ended, but do not reap it; the peak of its tree's memory if sampled."""
    deadline = time.monotonic() + limit_s
    peak = 0.0
    handle = os.pidfd_open(process.pid)
    try:
        poll = select.poll()
        poll.register(handle, select.POLLIN)
        while not poll.poll(SAMPLE_S * 1000 if memory == "sampled" else limit_s * 1000):
            if memory == "sampled":
                peak = max(peak, tree_memory(account.pids(process.pid)).mib)
            if time.monotonic() > deadline:
                _abandon(process, account)
                raise BenchwrightError(f"a measured run did not end within {limit_s:.0f} s")
    finally:
        os.close(handle)
    return peak if memory == "sampled" else None


def _abandon(process: subprocess.Popen[bytes], account: Account) -> None:
    members = account.pids(process.pid)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    end_all(members)


def tree_memory(pids: Iterable[int]) -> Memory:
    """Memory of these processes now, shared pages counted once; a process that just ended counts zero."""
    total, unreadable = 0.0, 0
    for pid in pids:
        try:
            total += _pss_mib(Path(f"/proc/{pid}"))
        except PermissionError:
            # Without root the kernel hides the PSS of another user namespace, but not its RSS.
            total += _rss_mib(Path(f"/proc/{pid}"))
            unreadable += 1
        except (FileNotFoundError, ProcessLookupError):
            continue
    return Memory(mib=total, unreadable=unreadable)


def own_cpu_s() -> float:
    """CPU seconds of this process, of those that it waited for, and of all that it measured, so far.

    Without control groups, orphans of measured runs are not in it.
    """
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used) + sum(_UNSEEN)


def peak_mib() -> float:
    """The greatest resident memory of this process so far.

    Not `ru_maxrss` of getrusage: that begins with the peak of the process that started this one.
    """
    found = re.search(r"^VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text(), re.MULTILINE)
    assert found is not None, "Linux has this field since 2.6"
    return int(found[1]) / 1024


def _pss_mib(process: Path) -> float:
    for line in (process / "smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) / 1024
    return 0.0


def _rss_mib(process: Path) -> float:
    try:
        return int((process / "statm").read_text().split()[1]) * PAGE / MIB
    except (FileNotFoundError, ProcessLookupError):
        return 0.0


def _require_success(code: int, command: Sequence[str], *, folder: Path) -> None:
    if code:
        said = (folder / "stderr.txt").read_text("utf-8", "replace").strip().splitlines()[-5:]
        name = Path(command[0]).name
        raise BenchwrightError(
            f"`{name}` ended with exit code {code} while it was measured:\n" + "\n".join(said)
        )


def _require_whole_account(counted: float | None, waited: float) -> None:
    """wait4 must not have seen more than the cgroup did, or part of the run went uncounted."""
    if counted is not None and waited > counted * 1.05 + 0.05:
        raise BenchwrightError(
            f"the cgroup counted {counted:.2f} CPU seconds but wait4 {waited:.2f}: "
            "processes moved out of the measured cgroup",
            hint="run the bench as an ordinary user, which measures with wait4",
        )
