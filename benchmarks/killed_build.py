"""`./run python -m benchmarks.killed_build --from LIST --kills 20`: does a build that is killed end the same?

A build of CodeCorrectness is made once undisturbed. Then it is made again, killed with SIGKILL (its whole
process group) at moments drawn from a seed, and taken up until it ends. What both publish must be the same,
byte for byte. Where a build ends before all kills are spent, a new one is begun.
"""

from __future__ import annotations

import argparse
import math
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

import msgspec

from benchmarks import soak_sight as sight
from benchwright.errors import BenchwrightError, UsageError

PUBLISHED = (
    *("test.json", "shots.json", "codecorrectness.jsonl", "raw_dataset_meta.json"),
    *("README.md", "manifest.json", "funnel.json"),
)
FINENESS = 200  # parts of a build, of which the first is where the soonest kill falls
LIMIT_S = 6 * 3600.0  # of one build
GONE_S = 60.0  # for what was killed to be gone
Command = Callable[[Path], list[str]]


class Kill(msgspec.Struct, frozen=True, kw_only=True):
    """One kill: in which build, how long after its command had begun, and how far it was."""

    build: str
    after_s: float
    stage: str  # the newest file of its stages
    left: int = 0  # processes that outlived it


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """What was done, and the published files that differ, as "BUILD/NAME"."""

    seed: int
    undisturbed_s: float
    builds: list[str]
    kills: list[Kill]
    differing: list[str]

    @property
    def is_sound(self) -> bool:
        """No file differs, and nothing that was killed lives on."""
        return not self.differing and not any(each.left for each in self.kills)


def kill_and_compare(command: Command, folder: Path, *, kills: int, seed: int) -> Result:
    """Run the command undisturbed and killed, in folders of its own below `folder`. `command`: the words for
    a folder to build in. Raises BenchwrightError where a build that nobody killed fails."""
    begun = time.monotonic()
    _finish(command, folder / "undisturbed")
    whole_s = time.monotonic() - begun
    draw, done, builds = Random(seed), list[Kill](), list[str]()
    while len(done) < kills:
        name = f"killed-{len(builds) + 1}"
        builds.append(name)
        while len(done) < kills:
            killed = _killed(command, folder / name, moment(draw, whole_s))
            if killed is None:
                break
            done.append(killed)
        _finish(command, folder / name)
    differing = [each for name in builds for each in differences(folder / "undisturbed", folder / name)]
    return Result(seed=seed, undisturbed_s=round(whole_s, 2), builds=builds, kills=done, differing=differing)


def moment(draw: Random, whole_s: float) -> float:
    """Seconds after the command's begin, from a two-hundredth of the whole build up to all of it: as often in
    each order of size, so that starts are hit, and a long stage is not cut off again and again."""
    return whole_s * math.exp(draw.uniform(-math.log(FINENESS), 0))


def differences(one: Path, other: Path) -> list[str]:
    """The published files that are not the same in both folders, or that one of them lacks."""
    names = sorted({*PUBLISHED, *(path.name for path in one.glob("*.jsonl"))})
    return [f"{other.name}/{name}" for name in names if _bytes(one / name) != _bytes(other / name)]


def _bytes(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


def _finish(command: Command, out: Path) -> None:
    """The command to its end. Raises BenchwrightError with its last words where it fails."""
    done = subprocess.run(
        command(out),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        timeout=LIMIT_S,
        check=False,
    )
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace")[-800:]
        raise BenchwrightError(f"the build in {out} ended with status {done.returncode}:\n{said}")
    if lacking := [name for name in PUBLISHED if not (out / name).is_file()]:
        raise BenchwrightError(f"the build in {out} has ended without {', '.join(lacking)}")


def _killed(command: Command, out: Path, after_s: float) -> Kill | None:
    """Begin the command and kill its process group then; None where it has ended before."""
    process = subprocess.Popen(
        command(out),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        process.wait(timeout=after_s)
        return None
    except subprocess.TimeoutExpired:
        below = sight.below(process.pid)
    finally:
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    return Kill(build=out.name, after_s=round(after_s, 2), stage=_stage(out), left=_left(below))


def _left(processes: list[sight.Process]) -> int:
    """How many live on: those in jails have sessions of their own and end with their parent."""
    deadline = time.monotonic() + GONE_S
    while (left := sum(map(sight.lives, processes))) and time.monotonic() < deadline:
        time.sleep(0.02)
    return left


def _stage(out: Path) -> str:
    files = [path for path in (out / "stages").glob("*") if path.is_file()]
    return max(files, key=lambda path: path.stat().st_mtime_ns).name if files else "nothing yet"


def page(result: Result) -> str:
    """The result for people."""
    lines = [f"undisturbed: {result.undisturbed_s:.1f} s; seed {result.seed}"]
    for number, each in enumerate(result.kills, 1):
        left = f", {each.left} processes live on" if each.left else ""
        lines.append(f"{number:3} {each.build}: after {each.after_s:.2f} s, newest {each.stage}{left}")
    names = ", ".join(result.differing)
    told = f"{names} differ" if names else "all published files are the same, byte for byte"
    lines.append(f"{len(result.kills)} kills in {len(result.builds)} builds: {told}")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Kill and compare; 0 when all published files are the same."""
    chosen, further = _parser().parse_known_args(arguments)
    further = [word for word in further if word != "--"]
    try:
        if chosen.kills < 1:
            raise UsageError("--kills must be at least 1")
        with tempfile.TemporaryDirectory(prefix="killed-build-") as scratch:
            words = [sys.executable, "-m", "benchwright.cli.main", "build", "codecorrectness", *further]

            def command(out: Path) -> list[str]:
                return [*words, "--from", chosen.source, "--out", str(out)]

            folder = chosen.keep or Path(scratch)
            result = kill_and_compare(command, folder, kills=chosen.kills, seed=chosen.seed)
    except BenchwrightError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    print(msgspec.json.encode(result).decode() if chosen.json else page(result))
    return 0 if result.is_sound else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="./run python -m benchmarks.killed_build",
        description="Kill a build of CodeCorrectness at random moments, take it up, and compare what it "
        "publishes with an undisturbed one. Further options go to the build.",
        allow_abbrev=False,
    )
    parser.add_argument("--from", dest="source", required=True, metavar="LIST", help="as for the build")
    parser.add_argument("--kills", type=int, default=20, metavar="N", help="how often (20)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="which moments are drawn (1)")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="a new folder to leave all builds in")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
