"""`./run python -m benchmarks.soak --minutes 5`: do workers stay sound, hour after hour, under bad answers?

Seeded mixes of right, wrong, looping, crashing, flooding and forking answers are judged by real workers,
while their zygotes are stopped and killed now and then. Told are: any worker that is silent for too long,
any outcome that is not the program's own, and any process, descriptor, control group or memory left.
"""

from __future__ import annotations

import argparse
import json
import selectors
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from random import Random
from typing import NamedTuple

from benchmarks import soak_sight as sight
from benchmarks.soak_mix import LIMITS, Answer, Mix
from benchwright.contracts import Criterion, Job
from benchwright.errors import BenchwrightError
from benchwright.executing import wire
from benchwright.executing.worker_process import DEPTH, Worker
from benchwright.sandbox.jail import JAILS, choose_jail

SILENT_S = 30.0
STOPPED_SILENT_S = 60.0  # a zygote that was stopped for good is given up after 30 s without an answer to it
BETWEEN_HARMS_S = 4.0  # on average, over all workers
REST_EVERY_S = 30.0  # between looks at workers with nothing to do
SETTLE_S = 5.0  # for what was killed to be gone
GROWTH_KIB = 24 << 10


class Harm(NamedTuple):
    """Something done to a zygote, and its chance. Stopped ones go on after `rest_s`; None: never."""

    name: str
    weight: int
    number: signal.Signals
    rest_s: tuple[float, float] | None = None


HARMS = (
    Harm("killed", 5, signal.SIGKILL),
    Harm("stopped for a moment", 4, signal.SIGSTOP, (0.05, 2.0)),
    Harm("stopped for good", 1, signal.SIGSTOP),
)


class Slot:
    """A worker with what is known of it."""

    def __init__(self, setup: wire.WorkerSetup) -> None:
        self.worker = Worker(setup)
        self.answers: dict[int, Answer] = {}
        self.heard = self.quiet_since = time.monotonic()
        self.stopped: sight.Process | None = None  # a zygote that is stopped until the worker gives it up
        self.told_silent = False
        self.harmed: set[int] = set()  # jobs: one that is harmed three times would rightly be given up
        self.first: sight.Vital | None = None

    @property
    def title(self) -> str:
        """How messages name it."""
        return f"worker {self.worker.pid}"

    def hear(self) -> None:
        """It has said something, or was given something to do."""
        self.heard = self.quiet_since = time.monotonic()
        self.told_silent = False

    def gave_up(self) -> bool:
        """Whether the worker has ended a zygote that was stopped for good; its silence counts from there."""
        return self.stopped is not None and not sight.lives(self.stopped)


class Soak:
    """Judges until the time is over; `faults` is what was wrong, each a sentence."""

    def __init__(self, *, workers: int, seed: int, jail: str) -> None:
        self._setup = wire.WorkerSetup(jail=choose_jail(jail), limits=LIMITS)
        self._mix, self._random = Mix(seed), Random(seed + 1)
        self._number = 0
        self._selector = selectors.DefaultSelector()
        self._resume: list[tuple[float, sight.Process]] = []
        self._next_harm = time.monotonic() + 5.0  # let all zygotes start first
        self.faults: list[str] = []
        self.outcomes: Counter[str] = Counter()
        self.harms: Counter[str] = Counter()
        self.trouble: Counter[str] = Counter()
        self.slowest_s = 0.0
        self._owners: set[int] = set()
        self._seen: set[sight.Process] = set()
        self._slots = [self._open() for _ in range(workers)]

    def run(self, seconds: float) -> None:
        """Work, with a rest now and then, for so long; then end all workers and look for what is left."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self._work(min(end, time.monotonic() + REST_EVERY_S))
            self._drain()
            self._look_at_rest()
        self._close()

    @property
    def judged(self) -> int:
        """How many answers have been judged."""
        return self.outcomes.total()

    def _open(self) -> Slot:
        slot = Slot(self._setup)
        self._selector.register(slot.worker.out, selectors.EVENT_READ, slot)
        self._owners.add(slot.worker.pid)
        return slot

    def _work(self, until: float) -> None:
        while time.monotonic() < until:
            for slot in self._slots:
                while len(slot.worker.jobs) < DEPTH:
                    self._give(slot)
            self._step()
            self._harm()

    def _drain(self) -> None:
        while any(slot.worker.jobs for slot in self._slots):
            self._step()

    def _give(self, slot: Slot) -> None:
        answer = self._mix.draw()
        if not slot.worker.jobs:
            slot.hear()
        slot.answers[self._number] = answer
        slot.worker.give(Job(self._number, answer.program, Criterion(answer.spec)))
        self._number += 1

    def _step(self) -> None:
        for key, _ in self._selector.select(timeout=0.2):
            slot: Slot = key.data
            messages = slot.worker.take()
            if messages is None:
                self._replace(slot, f"{slot.title} has died")
            else:
                self._receive(slot, messages)
        self._resume_stopped()
        for slot in list(self._slots):
            slot.worker.flush()
            self._check_silence(slot)

    def _receive(self, slot: Slot, messages: Iterator[wire.WorkerResult]) -> None:
        for done in messages:
            answer = slot.answers.pop(done.number)
            self.slowest_s = max(self.slowest_s, time.monotonic() - slot.heard)
            slot.hear()
            outcome, detail = done.judgement.outcome.value, done.judgement.detail
            self.outcomes[outcome] += 1
            if done.judgement.trouble:
                self.trouble[done.judgement.trouble] += 1
            if outcome not in answer.outcomes:
                expected = " or ".join(sorted(answer.outcomes))
                harmed = ", while its zygote was harmed" if done.number in slot.harmed else ""
                self.faults.append(
                    f"answer {done.number} ({answer.name}, {answer.spec.judge}) ended as {outcome} and not "
                    f"as {expected}{harmed}: {detail}"
                )

    def _check_silence(self, slot: Slot) -> None:
        if slot.gave_up():
            slot.stopped, slot.quiet_since = None, time.monotonic()
        silent_s = time.monotonic() - slot.quiet_since
        allowed_s = STOPPED_SILENT_S if slot.stopped else SILENT_S
        if not slot.worker.jobs or silent_s < allowed_s:
            return
        if not slot.told_silent:
            slot.told_silent = True
            where = "\n    ".join(sight.describe(slot.worker.pid))
            name = slot.answers[slot.worker.jobs[0].number].name
            self.faults.append(f"{slot.title} silent for {silent_s:.0f} s at {name}:\n    {where}")
        if time.monotonic() > slot.worker.deadline:
            self._replace(slot, f"{slot.title} did not answer for {silent_s:.0f} s")

    def _replace(self, slot: Slot, why: str) -> None:
        self.faults.append(why)
        self._selector.unregister(slot.worker.out)
        slot.worker.close(patience_s=0)
        self._slots[self._slots.index(slot)] = self._open()

    def _harm(self) -> None:
        if time.monotonic() < self._next_harm:
            return
        self._next_harm = time.monotonic() + self._random.expovariate(1 / BETWEEN_HARMS_S)
        slot = self._random.choice(self._slots)
        victims = sight.zygotes(slot.worker.pid)
        job = slot.worker.jobs[0].number if slot.worker.jobs else -1
        if not victims or job < 0 or job in slot.harmed:
            return
        (harm,) = self._random.choices(HARMS, [each.weight for each in HARMS])
        victim = self._random.choice(victims)
        self._seen.update(sight.below(slot.worker.pid))
        slot.harmed.update(each.number for each in list(slot.worker.jobs)[:2])  # it may end before the signal
        if not sight.send(victim, harm.number):
            return
        self.harms[harm.name] += 1
        if harm.rest_s is not None:
            self._resume.append((time.monotonic() + self._random.uniform(*harm.rest_s), victim))
        elif harm.number is signal.SIGSTOP:
            slot.stopped = victim

    def _resume_stopped(self) -> None:
        now = time.monotonic()
        for due, process in self._resume:
            if due <= now:
                sight.send(process, signal.SIGCONT)
        self._resume = [each for each in self._resume if each[0] > now]

    def _look_at_rest(self) -> None:
        """With nothing to do, a worker has a zygote in its jail and nothing else."""
        for slot in self._slots:
            now = self._settled(slot)
            slot.first = slot.first or now
            grown = now.resident_kib - slot.first.resident_kib
            if now.descriptors > slot.first.descriptors:
                self.faults.append(
                    f"{slot.title} has {now.descriptors} descriptors, {slot.first.descriptors} before"
                )
            if now.processes > 2:
                left = "\n    ".join(sight.describe(slot.worker.pid))
                self.faults.append(f"{slot.title} rests with {now.processes} processes:\n    {left}")
            if grown > GROWTH_KIB:
                self.faults.append(f"{slot.title} has grown by {grown >> 10} MiB")

    def _settled(self, slot: Slot) -> sight.Vital:
        """Its state when what was killed has gone: the kernel takes a moment for that."""
        deadline = time.monotonic() + SETTLE_S
        while (now := sight.vital(slot.worker.pid)).processes > 2 and time.monotonic() < deadline:
            self._selector.select(timeout=0.05)
        return now

    def _close(self) -> None:
        for slot in self._slots:
            self._seen.update(sight.below(slot.worker.pid))
            slot.worker.stop()
        for slot in self._slots:
            slot.worker.close()
        deadline = time.monotonic() + SETTLE_S
        while (left := [each for each in self._seen if sight.lives(each)]) and time.monotonic() < deadline:
            time.sleep(0.05)
        self.faults += [f"process {each.pid} has outlived its worker" for each in left]
        self.faults += [f"control group {path} was left" for path in sight.groups_of(self._owners)]


def main(arguments: Sequence[str] | None = None) -> int:
    """Soak and say what was seen; 1 when anything was wrong."""
    chosen = _parser().parse_args(arguments)
    try:
        soak = Soak(workers=chosen.workers, seed=chosen.seed, jail=chosen.jail)
        started = time.monotonic()
        soak.run(60 * chosen.minutes)
    except BenchwrightError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    wall_s = time.monotonic() - started
    document = {
        "seed": chosen.seed,
        "wall_s": round(wall_s, 1),
        "judged": soak.judged,
        "outcomes": dict(soak.outcomes.most_common()),
        "harms": dict(soak.harms.most_common()),
        "trouble": dict(soak.trouble.most_common()),
        "slowest_s": round(soak.slowest_s, 1),
        "faults": soak.faults,
    }
    if chosen.json:
        print(json.dumps(document, ensure_ascii=False))
    else:
        _tell(document)
    return 1 if soak.faults else 0


def _tell(document: dict[str, object]) -> None:
    for name, value in document.items():
        if isinstance(value, dict):
            print(f"{name}: " + (", ".join(f"{count} {key}" for key, count in value.items()) or "none"))
        elif isinstance(value, list):
            print(f"{name}: {len(value)}")
            for line in value:
                print(f"  {line}")
        else:
            print(f"{name}: {value}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="./run python -m benchmarks.soak", description="Judge bad answers for a while and look for harm."
    )
    parser.add_argument("--minutes", type=float, default=5.0, help="how long (5)")
    parser.add_argument("--workers", type=int, default=2, help="worker processes (2)")
    parser.add_argument("--seed", type=int, default=1, help="which answers and which harm (1)")
    parser.add_argument("--jail", choices=["auto", *JAILS], default="auto")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    return parser


if __name__ == "__main__":
    sys.exit(main())
