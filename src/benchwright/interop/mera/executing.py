"""From answers to what their tests gave: each program runs once more in the sandbox, the way MERA runs it.

A run keeps verdicts and not values, since a value may take megabytes; a submission holds values and not code.
So the values are made here, by the same code that judges the profile `mera-code`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec

from benchwright.contracts import Criterion, Executor, Job, Judgement, ValuesSpec
from benchwright.errors import SandboxError
from benchwright.progress import Watcher, stage
from benchwright.records import Outcome, Task
from benchwright.store.strict_json import replace_lone
from benchwright.text.literal import parse_literal
from benchwright.tracks.rows import encoded
from benchwright.tracks.ruhumaneval import MAX_TESTS, MERA_LIMIT_S

FORM = "mera-code"

Values = list[str | None] | str


class Program(NamedTuple):
    """A program to run, and the calls to make: encoded, and how many there are."""

    source: str
    entry_point: str
    calls: bytes
    tests: int


class Given(NamedTuple):
    """What a program gave: a text or None for each call, or MERA's "timed out". `fault` says what was cut."""

    values: Values
    fault: str = ""


def program_of(task: Task, source: str) -> Program:
    """The program with its task's calls. The expected outputs play no part, so a private task has one too."""
    calls = [((), call) for call in parse_literal(task.inputs["tests"], max_bytes=MAX_TESTS)]
    return Program(source, task.meta["entry_point"], encoded(task, calls, field="inputs.tests"), len(calls))


def run_programs(programs: Sequence[Program], executor: Executor, watch: Watcher) -> list[Given]:
    """What each program gives, in their order. Raises SandboxError when one could not be run at all."""
    given: dict[int, Given] = {}
    trouble: list[str] = []
    with stage(watch, "values", total=len(programs), done=0):
        for number, judgement in executor.judge(_jobs(programs)):
            given[number] = _given(judgement, programs[number].tests)
            trouble += filter(None, [judgement.trouble])
            watch.tick(None)
    for text in trouble:
        watch.note(f"sandbox restarted: {text}")
    return [given[number] for number in range(len(programs))]


def _jobs(programs: Sequence[Program]) -> Iterator[Job]:
    for number, (source, entry_point, calls, tests) in enumerate(programs):
        spec = ValuesSpec(entry_point=entry_point, calls=calls, count=tests, cpu_limit_s=MERA_LIMIT_S)
        yield Job(number, replace_lone(source), Criterion(spec))


def _given(judgement: Judgement, tests: int) -> Given:
    if judgement.outcome is Outcome.sandbox_error:
        raise SandboxError(judgement.detail)
    if judgement.outcome is not Outcome.passed:  # MERA has no word for it: no result at all
        return Given([None] * tests, judgement.outcome.value)
    return Given(msgspec.msgpack.decode(judgement.payload, type=Values))
