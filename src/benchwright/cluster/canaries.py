"""Canaries of a batch: programs whose outcome is known, among the jobs of a node.

A node whose sandbox passes everything, fails everything or accepts a forged result is found by them before a
judgement of its batch counts. Names and values are drawn for each batch.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import SystemRandom
from typing import NamedTuple

from benchwright.contracts import BatchSpec, Criterion, Job, Judgement, LabelSpec, ProgramSpec, Spec
from benchwright.records import Outcome
from benchwright.sandbox.codec import encode

_RANDOM = SystemRandom()  # draws must not be predictable

# Equal to everything that it is compared with, in the process that runs the program.
_FORGED = """
class Agreeable(int):
    def __eq__(self, other): return True
    def __hash__(self): return {wrong}

def {name}(number): return Agreeable({wrong})
"""


class _Canary(NamedTuple):
    job: Job
    outcome: Outcome


def _programs(spec: ProgramSpec) -> list[_Canary]:
    """A right, a wrong and a forging program, for the interpreter that the spec uses."""
    name, given, added = (
        f"f{_RANDOM.getrandbits(40):x}",
        _RANDOM.randrange(10**6),
        _RANDOM.randrange(1, 10**6),
    )
    criterion = Criterion(
        BatchSpec(
            entry_point=name,
            environment=spec.environment,
            variation=spec.variation,
            calls=encode([((given,), {})]),
            expected=[encode(given + added)],
        )
    )
    texts = {
        f"def {name}(number): return number + {added}\n": Outcome.passed,
        f"def {name}(number): return number - {added}\n": Outcome.wrong,
        _FORGED.format(name=name, wrong=given): Outcome.wrong,
    }
    return [_Canary(Job(0, text, criterion), outcome) for text, outcome in texts.items()]


def _labels() -> list[_Canary]:
    right, wrong = f"{_RANDOM.getrandbits(40):x}", f"-{_RANDOM.getrandbits(40):x}"
    criterion = Criterion(LabelSpec(expected=right))
    return [
        _Canary(Job(0, right, criterion), Outcome.passed),
        _Canary(Job(0, wrong, criterion), Outcome.wrong),
    ]


def _canaries_for(spec: Spec) -> list[_Canary]:
    if isinstance(spec, ProgramSpec):
        return _programs(spec)
    return _programs(ProgramSpec(entry_point="")) if spec.executes else _labels()


class ProvedBatch:
    """Jobs of one batch with canaries among them, all numbered from 0."""

    def __init__(self, jobs: Sequence[Job]) -> None:
        canaries = _canaries_for(jobs[0].criterion.spec)
        places = set(_RANDOM.sample(range(len(jobs) + len(canaries)), len(canaries)))
        _RANDOM.shuffle(canaries)
        ordinary, planted = iter(jobs), iter(canaries)
        self.jobs: list[Job] = []  # to send
        self._own: dict[int, int] = {}  # numbers of the jobs, by the number sent
        self._outcomes: dict[int, Outcome] = {}  # of the canaries
        for number in range(len(jobs) + len(canaries)):
            if number in places:
                job, self._outcomes[number] = next(planted)
            else:
                job = next(ordinary)
                self._own[number] = job.number
            self.jobs.append(Job(number, job.given, job.criterion, job.settled))

    def read(self, judgements: Sequence[tuple[int, Judgement]]) -> tuple[list[tuple[int, Judgement]], str]:
        """Return the judgements of the jobs, and why they do not count; empty if they do."""
        by_number = dict(judgements)
        if len(judgements) != len(self.jobs) or by_number.keys() != set(range(len(self.jobs))):
            return [], f"returned {len(judgements)} judgements of {len(self.jobs)}"
        for number, expected in self._outcomes.items():
            ended = by_number[number]
            if ended.outcome is not expected:
                why = f": {ended.detail}" if ended.detail else ""
                return [], f"self-check canary ended {ended.outcome}, expected {expected}{why}"
        return [(own, by_number[number]) for number, own in self._own.items()], ""
