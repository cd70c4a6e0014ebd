"""The values that EvalPlus's tasks expect: what the canonical solution gives, executed in the sandbox once.

They are kept for later runs, by all that decides them: the program, its inputs, and the Python it runs on.
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

CPU_S = 120.0  # of one set of inputs: the dearest of both data sets takes a few seconds
LEAST_S, MOST_S, TIMES = 5.0, 60.0, 10.0  # of an answer: ten times what the canonical solution took
LARGE = 64 << 10  # bytes of a value of which the digest alone is kept
KEPT_FILES = 2000  # both data sets have 542 tasks, on two Pythons
MAX_KEPT = 128 << 20
COLLECTING = 1  # raised whenever the same task may expect another value than before

Sets = dict[str, InputSet]
_DECODER = msgspec.msgpack.Decoder(Sets)


class ExpectedValues:
    """The input sets of tasks with their expected values, in memory, in the cache, or collected anew."""

    def __init__(self) -> None:
        self._known: dict[str, Sets] = {}

    def prepare(self, tasks: Iterable[Task], *, note: Callable[[str], object]) -> None:
        """Have the values of all of these; `note` is told before that takes a while."""
        lacking = [task for task in tasks if not self._is_known(task)]
        if not lacking:
            return
        note(f"executing the canonical solutions of {counted(len(lacking), 'task')} for the values they give")
        with Sandbox(limits=Limits(cpu_s=CPU_S)) as box:
            for task in lacking:
                self._learn(task, collect(task, box))

    def of(self, task: Task) -> Sets:
        """The input sets of a task. Raises DataError where its solution gives no values, and SandboxError."""
        if not self._is_known(task):
            self.prepare([task], note=lambda text: None)
        return self._known[task.revision]

    def _is_known(self, task: Task) -> bool:
        if task.revision not in self._known:
            try:
                body = read_kept(_place(task), most=MAX_KEPT)
            except DataError:  # damaged, or somebody else's: it is made anew
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
    """Each set of inputs with what the canonical solution gives for them. Raises DataError, SandboxError."""
    return {name: _collected(task, name, calls, box) for name, calls in calls_of(task).items()}


def _collected(task: Task, name: str, calls: bytes, box: Sandbox) -> InputSet:
    """One set of inputs. Of a large value the digest alone is held: some tasks give hundreds of megabytes."""
    expected, digests = list[bytes](), dict[int, bytes]()
    ended: list[AnswerEnded] = []
    not_none = oracle_of(task) == NOT_NONE

    def work(running: Running) -> None:
        for each in (expected, digests, ended):  # of an attempt that the sandbox failed in
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
    """The value of a reply, encoded. Raises AnswerEnded where there is none."""
    kind, payload, error, _ = reply
    if kind != "value":
        raise AnswerEnded(Outcome.exception, error or kind)
    return payload.reveal()


def _there_is_one(reply: ReplyFrame) -> bytes:
    """Whether there is a value, encoded: such as a match object, which cannot be sent."""
    return encode(reply[0] == "unsendable" or decode(_value(reply)) is not None)


def gold_program(task: Task) -> str:
    """The canonical solution as a whole program."""
    program: str = task.inputs["function"] + task.meta["canonical_solution"]
    return program


def _no_values(task: Task, name: str, ended: AnswerEnded) -> DataError:
    said = f"{ended.outcome.value}: {escaped_name(ended.detail, 200)}"
    message = f"its canonical solution gives no values: {said}"
    hint = f"leave the task out with --exclude {escaped_name(str(task.task_id))}"
    return task_error(task, message, field=f"{name}_input", hint=hint)


# Values that no answer may send: their tasks are left out of every run.

TOO_LARGE = {
    "Mbpp/255": "one of its inputs asks for a value of 54 MB, and an answer may send 16 MiB",
}


# Tasks with a comparison of their own: see `judges.evalplus`. By the functions' names, as EvalPlus has them.

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
    """The name of a task's own comparison; empty for nearly all."""
    own = _MBPP if str(task.task_id).startswith("Mbpp/") else _HUMANEVAL
    return own.get(task.meta["entry_point"], "")
