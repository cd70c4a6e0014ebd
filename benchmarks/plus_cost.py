"""What a whole run of HumanEval+ or MBPP+ costs beside EvalPlus 0.3.1: canonical solutions, paired rounds.

    python -m benchmarks plus-cost humaneval-plus mbpp-plus --rounds 5 --samples 1

Both judge the same programs with two workers, and both keep the expected values: a first round of each, which
is not counted, makes them. Ours proves itself by canaries among the answers, which is counted. EvalPlus's
processes run in bubblewrap; ours have their own sandbox.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from itertools import count
from pathlib import Path

import msgspec

from benchmarks import figures, jail
from benchmarks.beside_peer import peer_folders
from benchmarks.dataset import write_lines
from benchmarks.environment import DRIVERS, FOLDER, PYTHON
from benchmarks.figures import Spread
from benchmarks.measure import Usage, measure
from benchmarks.ours import WORKERS, tally
from benchwright.errors import BenchwrightError
from benchwright.records import Task
from benchwright.store.data_files import files
from benchwright.store.files import open_binary
from benchwright.tracks.evalplus.rows import gold_program
from benchwright.tracks.evalplus.track import TRACK

LIMIT_S = 3600.0


class PlusRound(msgspec.Struct, frozen=True, kw_only=True):
    """Both runs of a round, one after the other; which was first changes from round to round."""

    ours: Usage
    theirs: Usage


class PlusCost(msgspec.Struct, frozen=True, kw_only=True):
    """The comparison: `cpu` and `wall` are how many times more EvalPlus took, round by round."""

    data: str
    tasks: int
    samples: int
    passed: dict[str, int]
    cpu: Spread
    wall: Spread
    rounds: list[PlusRound]


class PlusGround(msgspec.Struct, frozen=True, kw_only=True):
    """The folder of a comparison: what is judged, and what each side keeps from its first round."""

    folder: Path
    data: Path
    samples: Path
    limit: Sequence[str]  # of tasks, as an option of ours
    executions: int  # of a round and a side
    n: int


def compare_cost(data: str, *, rounds: int, n: int, limit: int | None = None) -> PlusCost:
    """Measure both sides, `rounds` times after a first."""
    tasks = [task for task in list(TRACK.load(data))[:limit] if not TRACK.refusal(task)]
    with tempfile.TemporaryDirectory(prefix="benchmark-") as scratch:
        ground = laid_out(data, tasks, n, limit=limit, folder=Path(scratch))
        found = [_round(ground, number) for number in range(rounds + 1)]
    passed = [each[1] for each in found]
    if any(each != passed[0] for each in passed):
        raise BenchwrightError(f"the rounds do not agree on what passed: {passed}")
    counted = [each[0] for each in found[1:]]
    return PlusCost(
        data=data,
        tasks=len(tasks),
        samples=n,
        passed=passed[0],
        cpu=figures.spread(each.theirs.cpu_s / each.ours.cpu_s for each in counted),
        wall=figures.spread(each.theirs.wall_s / each.ours.wall_s for each in counted),
        rounds=counted,
    )


def laid_out(data: str, tasks: Sequence[Task], n: int, *, limit: int | None, folder: Path) -> PlusGround:
    """The files of both sides: the data set's own rows, and its canonical solutions as stored answers."""
    shown = peer_folders(folder).shown
    (folder / "cache").mkdir()
    rows, samples = shown / "data.jsonl", shown / "samples.jsonl"
    with open_binary(files(data)[0]) as file:
        rows.write_bytes(file.read())
    stored = [{"task_id": task.task_id, "completion": gold_program(task)} for task in tasks]
    write_lines(samples, [each for each in stored for _ in range(n)])
    given = [] if limit is None else ["--limit", str(limit)]
    return PlusGround(folder=folder, data=rows, samples=samples, limit=given, executions=n * len(tasks), n=n)


def _round(ground: PlusGround, number: int) -> tuple[PlusRound, dict[str, int]]:
    """One run of each side, and how many of its programs passed; odd rounds begin with EvalPlus."""
    sides = {"ours": _ours, "theirs": _theirs}
    done = {name: sides[name](ground) for name in sorted(sides, reverse=number % 2 == 1)}
    for name, (usage, _) in done.items():
        print(f"round {number}: {name}: {usage.cpu_s:.1f} CPU-s, {usage.wall_s:.1f} s", file=sys.stderr)
    usages = {name: usage for name, (usage, _) in done.items()}
    return PlusRound(**usages), {name: passed for name, (_, passed) in done.items()}


def _ours(ground: PlusGround) -> tuple[Usage, int]:
    folder = _fresh(ground)
    command = [
        *("env", f"XDG_CACHE_HOME={ground.folder / 'cache'}"),
        *(sys.executable, "-m", "benchwright", "run", "evalplus", "--json", "--workers", str(WORKERS)),
        *("--data", str(ground.data), "--model", f"replay:{ground.samples}", "--n", str(ground.n)),
        *("--out", str(folder / "run"), *ground.limit),
    ]
    usage = measure(command, folder=folder, limit_s=LIMIT_S)
    return usage, _whole(ground, tally(folder), "Benchwright")


def _theirs(ground: PlusGround) -> tuple[Usage, int]:
    folder, writable = _fresh(ground), ground.folder / "writable"
    out = writable / "results.jsonl"
    command = [
        *jail.jailed(writable, [str(FOLDER), str(DRIVERS), str(ground.data.parent)]),
        *(str(PYTHON), str(DRIVERS / "plus_cost_driver.py"), "--workers", str(WORKERS)),
        *("--data", str(ground.data), "--samples", str(ground.samples)),
        *("--kept", str(writable / "expected.pickle"), "--out", str(out)),
    ]
    usage = measure(command, folder=folder, limit_s=LIMIT_S)
    rows = [msgspec.json.decode(line) for line in out.read_bytes().splitlines()]
    return usage, _whole(ground, (len(rows), sum(row["passed"] for row in rows)), "EvalPlus")


def _whole(ground: PlusGround, tallied: tuple[int, int], name: str) -> int:
    """How many passed. Raises BenchwrightError where not every program was judged."""
    judged, passed = tallied
    if judged != ground.executions:
        raise BenchwrightError(f"{name} judged {judged} of {ground.executions} programs")
    return passed


_serial = count()


def _fresh(ground: PlusGround) -> Path:
    folder = ground.folder / f"run-{next(_serial)}"
    folder.mkdir()
    return folder


def parser() -> argparse.ArgumentParser:
    """The options of `./run bench plus-cost`."""
    made = argparse.ArgumentParser(
        prog="./run bench plus-cost", description=(__doc__ or "").partition("\n")[0]
    )
    made.add_argument(
        "data", nargs="+", metavar="DATA", help="humaneval-plus, mbpp-plus, or a file of either"
    )
    made.add_argument("--rounds", type=int, default=5, metavar="N", help="counted rounds (5)")
    made.add_argument("--samples", type=int, default=1, metavar="N", help="samples a task (1)")
    made.add_argument("--limit", type=int, metavar="N", help="only the first N tasks of each")
    return made
