"""The cost of `benchwright report`: a page of five tracks, and a page of 164,000 answers.

    python -m benchmarks.report --data HumanEval.jsonl.gz [--samples 200] [--rounds 3] [--keep FOLDER]

Each page is written by one complete process, measured from outside: processor seconds of the process and
of its children, and its peak resident memory. The page of five tracks has 16 runs of 40 tasks with ten
answers, as in the tests. The large page has five runs with `--samples` answers to each task of the data;
each answer is the canonical solution with a comment of its own, so no two texts or programs are equal.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
OUTCOMES = ("passed", "wrong", "exception", "timed_out")
RUNS = 5
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


class Cost(NamedTuple):
    """The cost of one process with its children."""

    cpu_s: float
    wall_s: float
    peak_mb: float


def process_cost(command: Sequence[str]) -> Cost:
    """Run a command to its end and return its cost. Raises RuntimeError if it fails."""
    begun = time.perf_counter()
    quiet = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    pid = os.posix_spawnp(command[0], command, os.environ, file_actions=quiet)
    _, status, used = os.wait4(pid, 0)
    if status:
        raise RuntimeError(f"{' '.join(command)} ended with status {status}")
    return Cost(used.ru_utime + used.ru_stime, time.perf_counter() - begun, used.ru_maxrss / 1024)


def write_large_runs(data: Path, folder: Path, samples: int) -> list[Path]:
    """Five runs on the data with different models."""
    sys.path.insert(0, str(ROOT / "tests"))
    from kit.made_runs import finished_run  # noqa: PLC0415 (the tests' own runs)

    with gzip.open(data, "rt", encoding="utf-8") as lines:
        tasks = [json.loads(line) for line in lines]
    return [
        finished_run(
            folder / f"model-{number}",
            data,
            {task["task_id"]: list(_answers(task, number, samples)) for task in tasks},
            model=f"openai:model-{number}",
        )
        for number in range(RUNS)
    ]


def _answers(task: dict[str, Any], model: int, samples: int) -> Iterator[tuple[str, str]]:
    for sample in range(samples):
        dice = random.Random(f"{task['task_id']} {model} {sample}")
        words = " ".join("".join(dice.choices(_LETTERS, k=dice.randint(2, 9))) for _ in range(50))
        program = f"{task['prompt']}    # {words}\n{task['canonical_solution']}"
        text = f"Here is the function:\n```python\n{program}```\n"
        yield text, "passed" if dice.random() < 0.9 - model / 10 else dice.choice(OUTCOMES)


def measure(title: str, runs: Sequence[Path], out: Path, rounds: int) -> dict[str, Any]:
    """The cost of the page of these runs; the least processor time of all rounds, and all of them."""
    command = [sys.executable, "-m", "benchwright", "report", *map(str, runs), "--out", str(out)]
    costs = [process_cost(command) for _ in range(rounds)]
    return {
        "page": title,
        "cpu_s": [round(each.cpu_s, 2) for each in costs],
        "wall_s": [round(each.wall_s, 2) for each in costs],
        "peak_mb": [round(each.peak_mb) for each in costs],
        "page_mb": round(out.stat().st_size / (1 << 20), 2),
        "sha256": hashlib.sha256(out.read_bytes()).hexdigest()[:16],
        "load": os.getloadavg()[0],
    }


def main() -> None:
    """Measure both pages, and print a document for each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, help="HumanEval.jsonl.gz; without it, one page only")
    parser.add_argument("--samples", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=3, help="of the page of five tracks")
    parser.add_argument("--keep", type=Path, help="write runs and pages to this folder, or use those in it")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = given.keep or Path(place)
        print(json.dumps(_small(folder, given.rounds)), flush=True)
        if given.data:
            print(json.dumps(_large(folder, given.data, given.samples)), flush=True)


def _small(folder: Path, rounds: int) -> dict[str, Any]:
    sys.path.insert(0, str(ROOT / "tests"))
    from kit.pages import many_runs  # noqa: PLC0415 (the tests' own runs)

    runs = sorted(path for path in (folder / "small").glob("*-*") if path.is_dir())
    if not runs:
        (folder / "small").mkdir(parents=True)
        runs = sorted(many_runs(folder / "small"))
    return measure("16 runs on five tracks", runs, folder / "small.html", rounds)


def _large(folder: Path, data: Path, samples: int) -> dict[str, Any]:
    runs = sorted((folder / "large").glob("model-*")) or write_large_runs(data, folder / "large", samples)
    return measure(f"{RUNS} runs, {samples} answers a task", runs, folder / "large.html", 1)


if __name__ == "__main__":
    main()
