"""`./run bench rewards`: rate, processor time and memory of verdicts in a training loop with `bw.Judge`.

Answers are canonical solutions and wrong ones of three kinds, grouped by task as in training: some samples of
a prompt, then those of the next prompt. `--order mixed` shuffles them, the worst case for workers. The
processor time is that of this process and of all processes below it, taken from the kernel.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import NamedTuple

import benchwright as bw
from benchmarks import dataset
from benchmarks.measure import tree_memory
from benchwright.errors import UsageError
from benchwright.sandbox.proc import process_tree, read_stat

Pair = tuple[int | str, str]
WRONG = ("    return None\n", "    raise ValueError\n", "I cannot solve this.\n")
LOOKS = 5  # at memory


class RewardFigures(NamedTuple):
    """The figures of one loop: of the verdicts alone, and of the whole run with its start."""

    verdicts: int
    workers: int
    calls: str
    order: str
    start_s: float
    wall_s: float
    per_second: float
    whole_per_second: float
    cpu_ms: float  # per verdict: user and system, this process and its descendants
    own_cpu_ms: float  # per verdict, this process alone
    memory_mib: list[float]  # resident memory of this process at equal distances
    tree_mib: list[float]  # and of the whole tree, shared pages counted once
    outcomes: dict[str, int]


def answers(data: Path, count: int, *, group: int, order: str) -> list[Pair]:
    """Return pairs of a task id and a text: half of them correct, the others wrong, raising or without code.

    A comment makes each text differ from the others. No answer loops, so the figures are those of judging
    and not of waiting for limits.
    """
    rows = dataset.load(data)
    drawn = [
        (row.task_id, f"{(row.canonical_solution, WRONG[number // 2 % 3])[number % 2]}# {turn}.{number}\n")
        for turn in range(1 + count // (len(rows) * group))
        for row in rows
        for number in range(group)
    ]
    pairs = drawn[:count]
    if order == "mixed":
        Random(1).shuffle(pairs)
    return pairs


def judge_all(judge: bw.Judge, pairs: Sequence[Pair], calls: str, threads: int) -> Iterator[bw.Verdict]:
    """Yield the verdicts by one way of calling: an iterator, or threads that each wait for their verdict."""
    if calls == "many":
        yield from judge.judge_many(pairs)
        return
    with ThreadPoolExecutor(threads) as callers:
        yield from callers.map(lambda each: judge.judge(*each), pairs)


def measure_loop(data: Path, pairs: Sequence[Pair], *, workers: int, calls: str, order: str) -> RewardFigures:
    """Judge all pairs once, and return the figures."""
    begun = time.monotonic()
    with bw.Judge(data, workers=workers) as judge:
        ready, cpu_s, own_s = time.monotonic(), tree_cpu_s(), time.process_time()
        memory, tree, outcomes = list[float](), list[float](), Counter[str]()
        for number, verdict in enumerate(judge_all(judge, pairs, calls, 16 * workers), 1):
            outcomes[verdict.outcome.value] += 1
            if number % max(1, len(pairs) // LOOKS) == 0:
                memory.append(round(tree_memory([os.getpid()]).mib, 1))
                tree.append(round(tree_memory(process_tree(os.getpid())).mib, 1))
        wall_s = time.monotonic() - ready
        cpu_s, own_s = tree_cpu_s() - cpu_s, time.process_time() - own_s
    whole_s = time.monotonic() - begun
    return RewardFigures(
        verdicts=len(pairs),
        workers=workers,
        calls=calls,
        order=order,
        start_s=round(ready - begun, 2),
        wall_s=round(wall_s, 2),
        per_second=round(len(pairs) / wall_s, 1),
        whole_per_second=round(len(pairs) / whole_s, 1),
        cpu_ms=round(1000 * cpu_s / len(pairs), 3),
        own_cpu_ms=round(1000 * own_s / len(pairs), 3),
        memory_mib=memory,
        tree_mib=tree,
        outcomes=dict(outcomes),
    )


def tree_cpu_s() -> float:
    """Return the processor seconds of this process, its descendants, and those of them that have ended."""
    ticks = sum(sum(map(int, read_stat(pid)[1][11:15])) for pid in process_tree(os.getpid()))
    return ticks / os.sysconf("SC_CLK_TCK")


def main(words: Sequence[str]) -> int:
    """The command; its exit code. Prints one JSON document."""
    chosen = parser().parse_args(words)
    if min(chosen.verdicts, chosen.workers, chosen.group) < 1:
        raise UsageError("--verdicts, --workers and --group must be at least 1")
    pairs = answers(chosen.data, chosen.verdicts, group=chosen.group, order=chosen.order)
    found = measure_loop(chosen.data, pairs, workers=chosen.workers, calls=chosen.calls, order=chosen.order)
    print(json.dumps(found._asdict()))
    return 0


def parser() -> argparse.ArgumentParser:
    """The options of `./run bench rewards`."""
    parser = argparse.ArgumentParser(
        prog="./run bench rewards", description="Verdicts per second, processor time and memory of bw.Judge."
    )
    parser.add_argument("--verdicts", type=int, default=10_000, metavar="N", help="verdicts (10000)")
    parser.add_argument("--workers", type=int, default=2, metavar="N", help="worker processes (2)")
    parser.add_argument("--group", type=int, default=8, metavar="N", help="samples of a prompt (8)")
    parser.add_argument("--order", choices=("grouped", "mixed"), default="grouped")
    parser.add_argument("--calls", choices=("many", "threads"), default="many")
    parser.add_argument("--data", type=Path, default=dataset.DEFAULT_DATA, help="HumanEval.jsonl[.gz]")
    return parser
