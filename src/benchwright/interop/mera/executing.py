"""From answers to what their tests gave: each program runs once more in the sandbox, the way MERA runs it.

A run keeps verdicts and not values, since a value may take megabytes; a submission holds values and not code.
So the values are made here, by the same code that judges the profile `mera-code`.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import ExitStack
from queue import SimpleQueue
from typing import Any, NamedTuple

from benchwright.errors import SandboxError
from benchwright.judges.python import mera_answers
from benchwright.progress import Watcher, stage
from benchwright.records import Outcome, Task
from benchwright.sandbox.box import Sandbox
from benchwright.sandbox.limits import Limits
from benchwright.sandbox.zygote import Ended, Running
from benchwright.store.strict_json import replace_lone
from benchwright.text.literal import parse_literal
from benchwright.tracks.rows import encoded
from benchwright.tracks.ruhumaneval import MAX_TESTS, MERA_LIMIT_S

MAX_TEXT = 256 << 10  # characters of all values of one answer; no expected output comes near
_HEAD = 5  # bytes of a text beside its own: what is longer than all of them together has too many characters
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


def run_programs(programs: Sequence[Program], *, limits: Limits, workers: int, watch: Watcher) -> list[Given]:
    """What each program gives, in their order. Raises SandboxError when one could not be run at all.

    Threads suffice: each waits for a sandbox of its own, and what comes back is text that decides nothing.
    """
    given: dict[Future[Given], int] = {}
    results: list[Any] = [None] * len(programs)
    with ExitStack() as stack, stage(watch, "values", total=len(programs), done=0):
        boxes = [stack.enter_context(Sandbox(limits=limits)) for _ in range(min(workers, len(programs)))]
        free: SimpleQueue[Sandbox] = SimpleQueue()
        for box in boxes:
            free.put(box)
        executor = stack.enter_context(ThreadPoolExecutor(workers))
        stack.callback(executor.shutdown, wait=False, cancel_futures=True)
        for number, program in enumerate(programs):
            given[executor.submit(_run, free, program)] = number
        for future in as_completed(given):
            results[given[future]] = future.result()
            watch.tick(None)
    for text in [text for box in boxes for text in box.trouble]:
        watch.note(f"the sandbox was started anew: {text}")
    return results


def _run(free: SimpleQueue[Sandbox], program: Program) -> Given:
    sandbox = free.get()
    try:
        return values_of(sandbox, program)
    finally:
        free.put(sandbox)


def values_of(sandbox: Sandbox, program: Program) -> Given:
    """What one program gives."""
    ended: Ended | None = None
    answers: Values = []

    def work(running: Running) -> None:
        nonlocal answers, ended
        answers, ended = [], None
        try:
            answers = mera_answers(running, program.tests, kept=4 * MAX_TEXT + _HEAD * program.tests)
        except Ended as error:
            ended = error

    job = (FORM, program.entry_point, program.source, program.calls)
    sandbox.execute(job, work, cpu_s=MERA_LIMIT_S)
    if ended is not None and ended.outcome is Outcome.sandbox_error:
        raise SandboxError(ended.detail)
    if ended is not None:  # what MERA has no word for: it then counts as no result at all
        return Given([None] * program.tests, ended.outcome.value)
    return _plain(answers, program.tests)


def _plain(values: Values, count: int) -> Given:
    """Text that UTF-8 can hold."""
    if isinstance(values, str):
        return Given(values)
    if sum(len(value) for value in values if value) > MAX_TEXT:
        return Given([None] * count, Outcome.output_limit.value)
    return Given([value and replace_lone(value) for value in values])
