"""Cost of an answer for its slot when Python or the compiled loop forks it, in turn on one core.

Two warm sandboxes of each kind judge the same blocks of a small answer. Processor time is that of the slot's
control group: the zygote, the fork, the answer and its end. The second pair of sandboxes shows the variation
by chance.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from statistics import median, quantiles

import msgspec

from benchmarks import environment
from benchmarks.environment import Machine
from benchwright.errors import PrerequisiteError, UsageError
from benchwright.sandbox.box import RECYCLE_AFTER, Sandbox
from benchwright.sandbox.jail import JAILS, choose_jail
from benchwright.sandbox.zygote_object import VARIABLE

LOOPS = ("python", "compiled")
KINDS = tuple(f"{loop} {letter}" for letter in "ab" for loop in LOOPS)
WARM = 30
SOURCE = "def f(items, k=1):\n    return sorted(str(item * k) for item in items)"
CALLS = [(([number, number + 1, number + 2],), {}) for number in range(6)]


class Kind(msgspec.Struct, frozen=True, kw_only=True):
    """The slot's CPU time per answer, by blocks, and the difference from the first kind in the same round."""

    kind: str
    why_python: str
    lower_quartile_ms: float
    median_ms: float
    paired_ms: float  # median of the differences


class Forking(msgspec.Struct, frozen=True, kw_only=True):
    """The result of the command."""

    machine: Machine
    jail: str
    rounds: int
    answers: int  # of a block
    kinds: list[Kind]


def bench(*, rounds: int, answers: int, jail: str) -> Forking:
    """Measure all kinds in random order in each round. Raises PrerequisiteError without control groups."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})  # a slot's processes stay where this one is
    blocks: dict[str, list[float]] = {kind: [] for kind in KINDS}
    with ExitStack() as stack:
        boxes = {kind: stack.enter_context(_warm(kind.split()[0], jail)) for kind in KINDS}
        reasons = {kind: box.why_python() for kind, box in boxes.items()}
        for _ in range(rounds):
            for kind in random.sample(KINDS, len(KINDS)):
                blocks[kind].append(_block_ms(boxes[kind], answers))
    kinds = [_kind(kind, reasons[kind], values, blocks[KINDS[0]]) for kind, values in blocks.items()]
    return Forking(
        machine=environment.describe(), jail=choose_jail(jail), rounds=rounds, answers=answers, kinds=kinds
    )


@contextmanager
def _warm(loop: str, jail: str) -> Iterator[Sandbox]:
    before = os.environ.get(VARIABLE, "")
    os.environ[VARIABLE] = loop
    try:
        with Sandbox(jail=jail) as box:
            _block_ms(box, WARM)
            os.environ[VARIABLE] = before
            yield box
    finally:
        os.environ[VARIABLE] = before


def _block_ms(box: Sandbox, answers: int) -> float:
    before = _slot_s(box)
    for _ in range(answers):
        box.run(SOURCE, "f", CALLS)
    return 1000 * (_slot_s(box) - before) / answers


def _slot_s(box: Sandbox) -> float:
    used = box.slot_cpu_s()
    if used is None:
        raise PrerequisiteError(
            "processor time of a slot is counted by a control group, and none may be made here",
            hint="sudo ./run bench forking",
        )
    return used


def _kind(kind: str, why_python: str, values: Sequence[float], first: Sequence[float]) -> Kind:
    return Kind(
        kind=kind,
        why_python=why_python,
        lower_quartile_ms=quantiles(values, n=4, method="inclusive")[0],
        median_ms=median(values),
        paired_ms=median(own - other for own, other in zip(values, first, strict=True)),
    )


def page(found: Forking) -> str:
    """Return a table for people."""
    lines = [
        f"{found.rounds} rounds, blocks of {found.answers} answers, {found.jail} jail; CPU of the slot, "
        "ms an answer",
        "",
        f"| forked by | lower quartile | median | above {KINDS[0]}, paired |",
        "|---|---:|---:|---:|",
    ]
    for each in found.kinds:
        cells = f"{each.lower_quartile_ms:.3f} | {each.median_ms:.3f} | {each.paired_ms:+.3f}"
        lines.append(f"| {each.kind} | {cells} |")
    return "\n".join(lines)


def main(words: Sequence[str]) -> int:
    """Run `./run bench forking`; return the exit code."""
    parser = argparse.ArgumentParser(prog="./run bench forking", description="What a fork costs, by loop.")
    parser.add_argument("--repeats", type=int, default=60, metavar="N", help="rounds (60), at least 2")
    parser.add_argument("--answers", type=int, default=15, metavar="N", help="of a block (15)")
    parser.add_argument("--jail", choices=["auto", *JAILS], default="auto")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    chosen = parser.parse_args(words)
    if chosen.repeats < 2 or chosen.answers < 1:
        raise UsageError("--repeats must be at least 2, --answers at least 1")
    if chosen.repeats * (chosen.answers + 2) + 2 * WARM > RECYCLE_AFTER:
        raise UsageError(f"a zygote is measured for fewer than {RECYCLE_AFTER} answers, then it is replaced")
    found = bench(rounds=chosen.repeats, answers=chosen.answers, jail=chosen.jail)
    text = msgspec.json.encode(found).decode() if chosen.json else page(found)
    sys.stdout.write(text + "\n")
    return 0
