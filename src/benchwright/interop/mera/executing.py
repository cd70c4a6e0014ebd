"""Results of tests for a submission: each program runs again in the sandbox, by MERA's rules.

A run stores verdicts but no values, which may take megabytes; a submission contains values but no code. The
values are produced here, by the code that judges the profile `mera-code`.
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
    """A program with its encoded calls, and their number."""

    source: str
    entry_point: str
    calls: bytes
    tests: int


class Given(NamedTuple):
    """Output of a program: a text or None per call, or MERA's "timed out". `fault` reports truncation."""

    values: Values
    fault: str = ""


def program_of(task: Task, source: str) -> Program:
    """Make a program with its task's calls. Expected outputs are not needed, so private tasks work too."""
    calls = [((), call) for call in parse_literal(task.inputs["tests"], max_bytes=MAX_TESTS)]
    return Program(source, task.meta["entry_point"], encoded(task, calls, field="inputs.tests"), len(calls))


def run_programs(programs: Sequence[Program], executor: Executor, watch: Watcher) -> list[Given]:
    """Yield the output of each program in order. Raises SandboxError if one cannot be run."""
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
