"""`./run bench cluster`: how busy one driver keeps a cluster, by the number of its cores."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from pathlib import Path

import msgspec

from benchmarks import cluster
from benchmarks.cluster_page import page
from benchmarks.dataset import DEFAULT_DATA
from benchmarks.simulated_cluster import Trouble
from benchwright.errors import UsageError


def parser() -> argparse.ArgumentParser:
    """Return the options."""
    made = argparse.ArgumentParser(
        prog="./run bench cluster",
        description="How busy a driver keeps a simulated cluster. Measures executions and calls by Ray "
        "on this machine, compares the schedule with two real nodes, and replays the run with more cores.",
    )
    cores, scales = (" ".join(map(str, each)) for each in (cluster.CORES, cluster.SCALES))
    made.add_argument(
        "--cores", type=int, nargs="+", default=list(cluster.CORES), metavar="N", help=f"cores ({cores})"
    )
    made.add_argument(
        "--scale",
        type=float,
        nargs="+",
        default=list(cluster.SCALES),
        metavar="X",
        help=f"executions X times as long as measured ({scales})",
    )
    made.add_argument("--n", type=int, default=10, metavar="N", help="answers to a task (10)")
    made.add_argument(
        "--most", type=int, default=cluster.MOST, metavar="N", help=f"answers of a replay ({cluster.MOST})"
    )
    made.add_argument("--rounds", type=int, default=3, metavar="N", help="real runs on two nodes (3)")
    made.add_argument(
        "--losses",
        type=float,
        default=6.0,
        metavar="RATE",
        help="of each node in an hour, where nodes fail (6)",
    )
    made.add_argument(
        "--slow", type=float, default=0.05, metavar="SHARE", help="of nodes that are slow (0.05)"
    )
    made.add_argument(
        "--slow-factor", type=float, default=3.0, metavar="X", help="by which they are slow (3)"
    )
    made.add_argument("--seed", type=int, default=1, help="which nodes fail when, and which are slow (1)")
    made.add_argument("--data", type=Path, default=DEFAULT_DATA, help="HumanEval.jsonl[.gz]")
    made.add_argument("--json", action="store_true", help="one JSON document on stdout")
    return made


def command(words: Sequence[str]) -> int:
    """Measure, replay and print."""
    chosen = parser().parse_args(words)
    if min(chosen.n, chosen.most, chosen.rounds, *chosen.cores) < 1:
        raise UsageError("--cores, --n, --most and --rounds must be at least 1")
    if not (min(chosen.scale) > 0 and chosen.losses >= 0 and 0 <= chosen.slow <= 1 <= chosen.slow_factor):
        raise UsageError(
            "--scale must be positive, --losses at least 0, --slow a share, --slow-factor at least 1"
        )
    trouble = Trouble(
        losses_an_hour=chosen.losses,
        slow_share=chosen.slow,
        slow_factor=chosen.slow_factor,
        seed=chosen.seed,
    )
    with redirect_stdout(sys.stderr):  # Ray prints what its workers say
        inputs, checked = cluster.measure_inputs(chosen.data, chosen.n, rounds=chosen.rounds)
        report = cluster.bench(
            chosen.cores,
            chosen.scale,
            inputs=inputs,
            checked=checked,
            data=chosen.data,
            n=chosen.n,
            most=chosen.most,
            trouble=trouble,
        )
    print(
        msgspec.json.format(msgspec.json.encode(report), indent=1).decode() if chosen.json else page(report)
    )
    return 0
