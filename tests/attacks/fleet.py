"""Spreads the pack over worker processes, as root and as an ordinary user.

An ordinary user may not be able to enter the folders that hold this checkout or its interpreter. So
for that user the sources and the one compiled dependency are copied to a folder that anybody may read,
and an interpreter of the same version is looked for that this user can run.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import msgspec

from benchwright.sandbox.zygote_object import VARIABLE
from tests.attacks.arena import HANG_S, WAIT_S, Finding
from tests.attacks.pack import PACK, Attack

REPOSITORY = Path(__file__).parents[2]
NOBODY = 65534
LOOPS = ("compiled", "python")  # what may fork answers
BUSY_WORKERS, WAITING_WORKERS = 2, 4
_IDENTIFY = "import sys; print(*sys.version_info[:2])"


class Place(NamedTuple):
    """Where and as whom workers run: an interpreter, a folder to start in, a user (None: as we are)."""

    interpreter: str
    folder: Path
    user: int | None

    def start(self, *arguments: str, loop: str = "compiled") -> subprocess.Popen[str]:
        path = os.pathsep.join(map(str, (self.folder / "src", self.folder)))
        return subprocess.Popen(
            [self.interpreter, "-m", *arguments],
            cwd=self.folder,
            env={"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "PYTHONPATH": path, VARIABLE: loop},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            user=self.user,
            group=self.user,
            extra_groups=[] if self.user is not None else None,
        )


class Outcome(NamedTuple):
    """What a configuration gave: findings, and what its workers left behind or complained of."""

    findings: list[Finding]
    left: list[str]


def users() -> list[str]:
    """Whom the pack can run as here, by name."""
    return ["root", "ordinary"] if os.getuid() == 0 else ["ordinary"]


@contextmanager
def place_for(user: str) -> Iterator[Place | str]:
    """Where to run as "root" or "ordinary"; a text says why that cannot be."""
    if user == "root" and os.getuid() != 0:
        yield "only root can do this"
    elif user == "root" or os.getuid() != 0:
        yield Place(sys.executable, REPOSITORY, None)
    else:
        interpreter = _reachable_interpreter()
        if interpreter is None:
            yield f"no Python {sys.version_info[0]}.{sys.version_info[1]} that user {NOBODY} can run"
            return
        with tempfile.TemporaryDirectory(prefix="bw-stage-") as folder:
            _stage(Path(folder))
            yield Place(interpreter, Path(folder), NOBODY)


def _reachable_interpreter() -> str | None:
    """One of the same minor version, for which the compiled dependency was built."""
    version = "{}.{}".format(*sys.version_info[:2])
    names = [
        sys.executable,
        f"/usr/bin/python{version}",
        "/usr/bin/python3",
        f"/usr/local/bin/python{version}",
    ]
    for name in names:
        try:
            done = subprocess.run(
                [name, "-c", _IDENTIFY],
                capture_output=True,
                text=True,
                user=NOBODY,
                group=NOBODY,
                cwd="/",
                check=True,
            )
        except (OSError, subprocess.CalledProcessError):
            continue
        if done.stdout.split() == version.split("."):
            return name
    return None


def _stage(folder: Path) -> None:
    """Bytecode goes along: that user can write none, and each of his processes would compile what it imports."""
    shutil.copytree(REPOSITORY / "src", folder / "src")
    shutil.copytree(Path(__file__).parent, folder / "tests/attacks")
    shutil.copytree(Path(msgspec.__file__).parent, folder / "src/msgspec")
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)


def chosen(*, only: str = "") -> list[tuple[Attack, str]]:
    """The programs whose names start with `only`, in each of their forms."""
    return [(attack, form) for attack in PACK if attack.name.startswith(only) for form in attack.outcomes]


def run(
    place: Place,
    jobs: list[tuple[Attack, str]],
    *,
    jail: str,
    loop: str = "compiled",
    busy_workers: int = BUSY_WORKERS,
) -> Outcome:
    """Run programs of the pack, each in the form beside it, in one jail; `loop` forks them."""
    secret = "bwsecret" + secrets.token_hex(12)
    waiting = [(attack.name, form) for attack, form in jobs if "waits" in attack.traits]
    busy = [(attack.name, form) for attack, form in jobs if "waits" not in attack.traits]
    shares = [(busy[number::busy_workers], HANG_S) for number in range(busy_workers)]
    shares += [(waiting[number::WAITING_WORKERS], WAIT_S) for number in range(WAITING_WORKERS)]
    workers = [
        place.start("tests.attacks.worker", json.dumps(_config(jail, secret, share, wall_s)), loop=loop)
        for share, wall_s in shares
        if share
    ]
    findings: list[Finding] = []
    left: list[str] = []
    for worker in workers:
        said, complaint = worker.communicate()
        *lines, last = said.splitlines() or [""]
        if worker.returncode != 0:
            left.append(f"a worker ended with status {worker.returncode}: {complaint[-2000:]}")
        else:
            findings += [msgspec.json.decode(line, type=Finding) for line in lines]
            left += json.loads(last)["left"]
    return Outcome(findings, left)


def _config(jail: str, secret: str, jobs: list[tuple[str, str]], wall_s: float) -> dict[str, object]:
    return {"jail": jail, "secret": secret, "jobs": jobs, "wall_s": wall_s}
