"""Expected values of EvalPlus's tasks: results of the canonical solution, executed in the sandbox once.

They are cached for later runs under a key of the program, its inputs and the Python version.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec

from benchwright.contracts import InputSet
from benchwright.display.escape import escaped_name
from benchwright.display.wording import counted
from benchwright.errors import DataError
from benchwright.records import Outcome, Task
from benchwright.sandbox.bounds import TimeUsedUp, processor_limit
from benchwright.sandbox.box import Sandbox
from benchwright.sandbox.codec import decode, encode
from benchwright.sandbox.exchange import CallBatch, ReplyFrame
from benchwright.sandbox.jail import python_version
from benchwright.sandbox.limits import Limits
from benchwright.sandbox.zygote import AnswerEnded, Job, Running, over_time
from benchwright.store.keys import content_key
from benchwright.store.own_cache import own_cache, read_kept, write_kept
from benchwright.tracks.evalplus.rows import calls_of
from benchwright.tracks.rows import task_error

CPU_S = 120.0  # for one set of inputs; the slowest of both data sets takes a few seconds
LEAST_S, MOST_S, TIMES = 5.0, 60.0, 10.0  # limit of an answer: ten times the time of the canonical solution
LARGE = 64 << 10  # size of a value in bytes from which only its digest is kept
KEPT_FILES = 2000  # both data sets have 542 tasks, on two Pythons
MAX_KEPT = 128 << 20
COLLECTING = 1  # incremented whenever the expected value of a task may change

Sets = dict[str, InputSet]
_DECODER = msgspec.msgpack.Decoder(Sets)


class ExpectedValues:
    """Input sets of tasks with expected values, from memory, from the cache, or computed."""

    def __init__(self) -> None:
        self._known: dict[str, Sets] = {}

    def prepare(self, tasks: Iterable[Task], *, note: Callable[[str], object]) -> None:
        """Compute the missing values of tasks; `note` is called before a slow computation."""
        lacking = [task for task in tasks if not self._is_known(task)]
        if not lacking:
            return
        note(f"executing the canonical solutions of {counted(len(lacking), 'task')} for expected values")
        with Sandbox(limits=Limits(cpu_s=CPU_S)) as box:
            for task in lacking:
                self._learn(task, collect(task, box))

    def of(self, task: Task) -> Sets:
        """Input sets of a task. Raises DataError if its solution returns no values, and SandboxError."""
        if not self._is_known(task):
            self.prepare([task], note=lambda text: None)
        return self._known[task.revision]

    def _is_known(self, task: Task) -> bool:
        if task.revision not in self._known:
            try:
                body = read_kept(_place(task), most=MAX_KEPT)
            except DataError:  # damaged or not ours: compute it again
                body = None
            if body is not None:
                self._known[task.revision] = _DECODER.decode(body)
        return task.revision in self._known

    def _learn(self, task: Task, sets: Sets) -> None:
        self._known[task.revision] = sets
        write_kept(_place(task), msgspec.msgpack.encode(sets), files=KEPT_FILES)


def _place(task: Task) -> Path:
    key = content_key("evalplus-expected", task.revision, python_version(), COLLECTING)
    return own_cache() / "expected" / key


def collect(task: Task, box: Sandbox) -> Sets:
    """Input sets with results of the canonical solution. Raises DataError, SandboxError."""
    return {name: _collected(task, name, calls, box) for name, calls in calls_of(task).items()}


def _collected(task: Task, name: str, calls: bytes, box: Sandbox) -> InputSet:
    """One input set. Only the digest of a large value is kept: some tasks return hundreds of megabytes."""
    expected, digests = list[bytes](), dict[int, bytes]()
    ended: list[AnswerEnded] = []
    not_none = oracle_of(task) == NOT_NONE

    def work(running: Running) -> None:
        for each in (expected, digests, ended):  # after a sandbox failure
            each.clear()
        try:
            with processor_limit(CPU_S):
                for number, reply in enumerate(CallBatch(running, len(decode(calls))).replies()):
                    payload = _there_is_one(reply) if not_none else _value(reply)
                    if len(payload) > LARGE:
                        digests[number] = hashlib.sha256(payload).digest()
                    expected.append(b"" if number in digests else payload)
        except AnswerEnded as error:
            ended.append(error)
        except TimeUsedUp:
            ended.append(over_time(CPU_S))

    job: Job = ("batch", task.meta["entry_point"], gold_program(task), calls)
    usage = box.execute(job, work, cpu_s=CPU_S)
    if ended:
        raise _no_values(task, name, ended[0])
    limit = round(min(MOST_S, max(LEAST_S, TIMES * usage.cpu_s)), 3)
    return InputSet(calls=calls, expected=expected, digests=digests, cpu_limit_s=limit)


def _value(reply: ReplyFrame) -> bytes:
    """The encoded value of a reply. Raises AnswerEnded if there is none."""
    kind, payload, error, _ = reply
    if kind != "value":
        raise AnswerEnded(Outcome.exception, error or kind)
    return payload.reveal()


def _there_is_one(reply: ReplyFrame) -> bytes:
    """An encoded boolean for a value that cannot be sent, such as a match object: whether there is one."""
    return encode(reply[0] == "unsendable" or decode(_value(reply)) is not None)


def gold_program(task: Task) -> str:
    """The canonical solution as a whole program."""
    program: str = task.inputs["function"] + task.meta["canonical_solution"]
    return program


def _no_values(task: Task, name: str, ended: AnswerEnded) -> DataError:
    said = f"{ended.outcome.value}: {escaped_name(ended.detail, 200)}"
    message = f"its canonical solution returns no values: {said}"
    hint = f"exclude the task with --exclude {escaped_name(str(task.task_id))}"
    return task_error(task, message, field=f"{name}_input", hint=hint)


# Tasks with values over the limit of a reply: they are excluded from every run.

TOO_LARGE = {
    "Mbpp/255": "one of its inputs has a result of 54 MB; the limit of a reply is 16 MiB",
}


# Tasks with a special comparison (`judges.evalplus`), by function name as in EvalPlus.

NOT_NONE = "not_none"
_MBPP = {
    "are_equivalent": "anything",
    "sum_div": "or_zero",
    "surface_Area": "pyramid",
    "digit_distance_nums": "digit_distance",
    **dict.fromkeys(("check_str", "text_match_three", "text_starta_endb"), NOT_NONE),
    **dict.fromkeys(
        (
            "similar_elements", "find_char_long", "common_in_nested_lists", "extract_singly", "larg_nnum",
            "intersection_array", "find_dissimilar", "Diff",
        ),
        "same_set",
    ),
}  # fmt: skip
_HUMANEVAL = {"find_zero": "root"}


def oracle_of(task: Task) -> str:
    """Name of a task's special comparison; empty for nearly all tasks."""
    own = _MBPP if str(task.task_id).startswith("Mbpp/") else _HUMANEVAL
    return own.get(task.meta["entry_point"], "")
