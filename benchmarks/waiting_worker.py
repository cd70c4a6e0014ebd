"""A worker that executes nothing: it lets the time of each execution pass, and says that the answer passed.

It reads and writes what a worker does, over the same pipes. How long an execution takes stands in
`execution_ms.json`: processor time of the canonical solutions of HumanEval in their order, recorded once.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

from benchwright.contracts import Judgement
from benchwright.executing import wire
from benchwright.records import Outcome

RECORDED = Path(__file__).resolve().parent / "execution_ms.json"
# A worker looks for modules neither here nor where it was started.
PROGRAM = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parents[1])!r})
from benchmarks.waiting_worker import main
main()
"""


class Numbered(msgspec.Struct):
    """Of a job, what decides how long it takes. The rest is not read: the runner needs the cores."""

    number: int


def recorded_s() -> list[float]:
    """Seconds of each execution, in the order of the tasks."""
    return [each / 1000 for each in json.loads(RECORDED.read_bytes())]


def main() -> None:
    """Serve until stdin ends."""
    inbox = wire.Inbox(0)
    bodies = inbox.take()[1:]  # the first says how to set up, and there is nothing to set up
    seconds, free_at = recorded_s(), 0.0
    decoder = msgspec.msgpack.Decoder(Numbered)
    while bodies := bodies or inbox.take():
        came = time.monotonic()
        for body in bodies:
            number = decoder.decode(body).number
            # From when it was free, not from when it woke up: a late timer is not the runner's doing.
            free_at = max(free_at, came) + _cost_s(number, seconds)
            time.sleep(max(0.0, free_at - time.monotonic()))
            wire.send(1, wire.WorkerResult(number=number, judgement=passed(seconds[number % len(seconds)])))
        bodies = []
    os.close(1)


def _cost_s(number: int, seconds: Sequence[float]) -> float:
    return seconds[number % len(seconds)]


def passed(spent_s: float) -> Judgement:
    """What is said of every answer."""
    return Judgement(outcome=Outcome.passed, cpu_s=spent_s, wall_s=spent_s, rule="body")
