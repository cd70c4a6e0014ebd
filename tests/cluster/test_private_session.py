"""A private Ray: what it has, where it listens, and that nothing of it outlives its driver."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import pytest

from attacks.fleet import place_for, users
from kit.examples import SCALE
from kit.needs import need_module, need_sandbox, need_that
from kit.processes import command_of, descendants, parents, wait_until

# Opens a session, places an actor that starts a process of its own, and waits to be killed.
DRIVER = """
import json, os, subprocess, sys

class Starter:
    def start(self):
        return os.getpid(), subprocess.Popen(["sleep", "1000"]).pid

from benchwright.cluster.node_table import probed_nodes
from benchwright.cluster.session import open_session

with open_session(None) as session:
    node, = session.nodes()
    actor = session.place(node, Starter)
    pids = actor.start.remote().future().result()
    (row,) = probed_nodes(session)
    token = os.environ["RAY_AUTH_TOKEN"]
    print(json.dumps({"cores": node.cores, "pids": pids, "row": row.state, "reason": row.reason,
        "user": row.facts and row.facts.user, "token": token}),
        flush=True)
    sys.stdin.read()
print(json.dumps({"variables": [name for name in os.environ if name.startswith("RAY_")]}))
"""

# As the next session does.
REMOVE = "from pathlib import Path; from benchwright.cluster.session_folder import remove_left as f; f(Path('/tmp'))"


class Driver(NamedTuple):
    """A driver of a private session, what it printed, and the processes below it."""

    process: subprocess.Popen[str]
    said: dict[str, Any]
    home: Path
    below: set[int]


@contextmanager
def _driver(home: Path, interpreter: str, path: str, user: int | None) -> Iterator[Driver]:
    process: subprocess.Popen[str] = subprocess.Popen(
        [interpreter, "-c", DRIVER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        **_run_as(path, home, user),
    )
    with process:
        try:
            assert process.stdout is not None
            said = json.loads(process.stdout.readline())
            yield Driver(process, said, home, descendants(process.pid))
        finally:
            process.kill()


def _run_as(path: str, home: Path, user: int | None) -> dict[str, Any]:
    variables = {"PATH": os.environ["PATH"], "PYTHONPATH": path, "HOME": str(home), "TMPDIR": "/tmp"}
    groups = [] if user is not None else None
    return {"env": variables, "cwd": "/", "user": user, "group": user, "extra_groups": groups}


# As root weekly; there test_ray_executor.py also judges in a private session.
@pytest.mark.parametrize("user", users() if SCALE > 1 else users()[-1:])
def test_a_private_session_is_local_and_ends_with_its_driver(user: str) -> None:
    need_sandbox()
    ray = need_module("ray")
    packages = str(Path(ray.__file__).parents[1])
    with place_for(user) as place, TemporaryDirectory() as home:  # tmp_path is closed to other users
        Path(home).chmod(0o777)
        need_that(not isinstance(place, str), str(place))
        assert not isinstance(place, str)
        path = os.pathsep.join((str(place.folder / "src"), packages))
        with _driver(Path(home), place.interpreter, path, place.user) as driver:
            assert (driver.said["row"], driver.said["reason"]) == ("ready", "")
            assert driver.said["cores"] == len(os.sched_getaffinity(0))
            assert driver.said["user"] == (os.geteuid() if place.user is None else place.user)
            assert set(driver.said["pids"]) <= driver.below
            addresses = _listening(driver.below)
            assert addresses
            assert addresses <= {"127.0.0.1", "::ffff:127.0.0.1"}
            assert not (driver.home / ".ray").exists()  # the token is in no file
            assert driver.said["token"] not in _commands(driver.below)
            folders = _session_folders(driver.below)
            assert {folder.stat().st_mode & 0o777 for folder in folders} == {0o700}
            supervisors = [pid for pid in driver.below if "cluster.supervisor" in _commands({pid})]
            assert len(supervisors) == 1
            os.kill(supervisors[0], signal.SIGKILL)
            driver.process.kill()
            driver.process.wait()
            subprocess.run(
                [place.interpreter, "-c", REMOVE], **_run_as(path, Path(home), place.user), check=True
            )
            assert wait_until(lambda: not driver.below & parents().keys())
            assert folders
            assert wait_until(lambda: not any(folder.exists() for folder in folders))


def _commands(pids: set[int]) -> str:
    return "".join(map(command_of, pids))


def _session_folders(pids: set[int]) -> set[Path]:
    return {Path(found) for found in re.findall(r"/tmp/bwray-\w+", _commands(pids))}


def _listening(pids: set[int]) -> set[str]:
    """The local addresses on which processes listen (/proc/PID/net/tcp and tcp6, see proc(5)).

    A process of the session may end at any time, and descriptors are closed: what is gone listens no more.
    """
    inodes = set()
    for pid in pids:
        with suppress(FileNotFoundError, ProcessLookupError):
            for entry in Path(f"/proc/{pid}/fd").iterdir():
                inodes.update(_socket(entry))
    found = set()
    for name in ("tcp", "tcp6"):
        for line in Path(f"/proc/self/net/{name}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and fields[9] in inodes:
                found.add(_address(fields[1].partition(":")[0]))
    return found


def _socket(descriptor: Path) -> list[str]:
    """The inode of a socket; nothing for another descriptor, or for one that was closed."""
    try:
        target = os.readlink(descriptor)
    except (FileNotFoundError, ProcessLookupError):
        return []
    return [target[8:-1]] if target.startswith("socket:[") else []


def _address(hexadecimal: str) -> str:
    words = [
        int.from_bytes(bytes.fromhex(hexadecimal[at : at + 8]), sys.byteorder)
        for at in range(0, len(hexadecimal), 8)
    ]
    last = ".".join(str(byte) for byte in words[-1].to_bytes(4, "big"))
    if len(words) == 1:
        return last
    return f"::ffff:{last}" if words[:3] == [0, 0, 0xFFFF] else f"{words}"
