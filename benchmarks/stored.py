"""Results in `benchmarks/results`, each with where, when and beside which load it was measured."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from benchmarks import environment
from benchmarks.dataset import REPOSITORY
from benchmarks.environment import Machine
from benchmarks.measure import own_cpu_s
from benchwright.errors import DataError
from benchwright.store.atomic_files import replacing
from benchwright.version import VERSION

CODE = ("src", "packages", "benchmarks", ":!benchmarks/results")
BUSY = 0.1  # share of the cores that other processes may use before ratios are withheld
_BUSY_FIELDS = (1, 2, 3, 6, 7, 8)  # user, nice, system, irq, softirq, steal: proc(5), /proc/stat


class StoredResult(msgspec.Struct, frozen=True, kw_only=True):
    """A section's result. `absent`: why it cannot be measured on that machine; then `result` is null.

    `other_cores`: how many cores all other processes used on average, processor seconds by wall seconds.
    `accepted`: ratios are printed although the machine was busy, and marked.
    """

    version: str
    revision: str
    date: str
    machine: Machine
    rounds: int = 0
    seconds: float = 0.0
    other_cores: float = 0.0
    accepted: bool = False
    absent: str = ""
    result: msgspec.Raw = msgspec.Raw(b"null")

    @property
    def busy(self) -> bool:
        """Whether other work was too much for ratios."""
        return self.other_cores > BUSY * self.machine.cores

    @property
    def old(self) -> bool:
        """Whether it was measured for an earlier release than this one."""
        return _numbers(self.version) < _numbers(VERSION)

    @property
    def stamp(self) -> str:
        """One line: date, version, load, rounds."""
        return (
            f"Measured on {self.date} with Benchwright {self.version} (revision {self.revision}), rounds: "
            f"{self.rounds}, {self.seconds:.0f} s; load {self.machine.load} at the start, {self.beside}."
        )

    @property
    def beside(self) -> str:
        """What other processes used."""
        return f"other processes used {self.other_cores:.2f} of {self.machine.cores} cores"


def read(path: Path) -> StoredResult | None:
    """The stored result; None if there is no file. Raises DataError for any other content."""
    if not path.is_file():
        return None
    try:
        return msgspec.json.decode(path.read_bytes(), type=StoredResult)
    except msgspec.MsgspecError as error:
        hint = f"./run bench page --only {path.stem}"
        raise DataError(f"not a stored result: {error}", path=str(path), hint=hint) from error


def write(path: Path, stored: StoredResult) -> None:
    """Write a result, whole or not at all."""
    path.parent.mkdir(exist_ok=True)
    with replacing(path) as file:
        file.write(document(stored) + b"\n")


def document(result: msgspec.Struct) -> bytes:
    """A result as indented JSON."""
    return msgspec.json.format(msgspec.json.encode(result), indent=1)


def measured(measure: Callable[[], msgspec.Struct], *, rounds: int, version: str) -> StoredResult:
    """Measure here and now, and watch what else this machine does meanwhile."""
    machine, begun, before = environment.describe(), time.monotonic(), _others_cpu_s()
    result = measure()
    seconds = time.monotonic() - begun
    return StoredResult(
        version=version,
        revision=revision(),
        date=datetime.now(UTC).date().isoformat(),
        machine=machine,
        rounds=rounds,
        seconds=round(seconds, 1),
        other_cores=round(max(0.0, _others_cpu_s() - before) / seconds, 3),
        result=msgspec.Raw(msgspec.json.encode(result)),
    )


def not_measured(why: str, *, version: str) -> StoredResult:
    """Why this machine cannot measure it."""
    date = datetime.now(UTC).date().isoformat()
    return StoredResult(
        version=version, revision=revision(), date=date, machine=environment.describe(), absent=why
    )


def revision() -> str:
    """The newest commit that changed code, with "+" where files differ from it; "unknown" without git."""
    newest = _git("log", "-1", "--format=%h", "--abbrev=10", "--", *CODE)
    return newest + ("+" if _git("status", "--porcelain", "--", *CODE) else "") if newest else "unknown"


def _git(*words: str) -> str:
    try:
        done = subprocess.run(["git", *words], cwd=REPOSITORY, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return ""
    return done.stdout.strip()


def _others_cpu_s() -> float:
    """Processor seconds of all other processes since the machine was started."""
    fields = Path("/proc/stat").read_text().partition("\n")[0].split()
    return sum(int(fields[at]) for at in _BUSY_FIELDS) / os.sysconf("SC_CLK_TCK") - own_cpu_s()


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdecimal())
