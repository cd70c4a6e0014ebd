"""Rows of HumanEval+ and MBPP+: typed inputs, and expected values computed by the canonical solution."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import msgspec

from benchwright.contracts import InputSet
from benchwright.display.escape import escaped_name
from benchwright.display.wording import counted
from benchwright.errors import DataError
from benchwright.records import Outcome, Task
from benchwright.sandbox.box import Sandbox
from benchwright.sandbox.claims import CallBatch, ReplyFrame
from benchwright.sandbox.codec import Unsendable, decode, encode
from benchwright.sandbox.jail import python_version
from benchwright.sandbox.limits import Limits
from benchwright.sandbox.untrusted import CpuTimeExceeded, processor_limit
from benchwright.sandbox.zygote import AnswerEnded, Job, RunningAnswer, cpu_time_exceeded
from benchwright.store.keys import content_key
from benchwright.store.user_cache import read_cached, user_cache, write_cached
from benchwright.tracks.python_source import MAX_SOURCE
from benchwright.tracks.rows import Fields, task_error

SETS = ("base", "plus")
MAX_INPUTS = 20_000
_OWN = frozenset({"task_id", "prompt", "base_input", "plus_input"})
_QUOTES = '"""'


def read_task(fields: Fields) -> Task:
    """Read a task from a row. Raises DataError with file, line, field and hint."""
    task_id = fields.identity("task_id")
    fields = fields.named(task_id)
    prompt = fields.text("prompt", limit=MAX_SOURCE)
    solution = fields.text("canonical_solution", limit=MAX_SOURCE)
    entry_point = fields.identifier("entry_point")
    for name in SETS:
        read_calls(fields, name)
    atol = _atol(fields)
    sentence, asserts = ("", "") if "assertion" not in fields.data else split_prompt(prompt)
    return Task(
        task_id=task_id,
        instruction="",
        inputs={"function": prompt, "task": sentence, "tests": asserts, **_inputs(fields)},
        outputs=None,
        meta={**{key: value for key, value in fields.data.items() if key not in _OWN}, "atol": atol},
        revision=content_key("evalplus", prompt, solution, entry_point, _digest(fields), atol),
        origin=f"{fields.path}:{fields.line}",
    )


def calls_of(task: Task) -> dict[str, bytes]:
    """Encoded calls of each input set of a loaded task."""
    fields = Fields(task.inputs, task.origin, 0, task.task_id)
    return {name: read_calls(fields, name) for name in SETS}


def read_calls(fields: Fields, name: str) -> bytes:
    """Encode the calls of one input set for the sandbox. Raises DataError."""
    field = f"{name}_input"
    if field not in fields.data:
        hint = "rows of HumanEval+ and MBPP+ have it; use the tracks `humaneval` and `mbpp` for other rows"
        raise fields.error("the field is missing", field=field, hint=hint)
    value = fields.data[field]
    if value == {}:  # Mbpp/793 has no plus inputs; the field is {}
        value = []
    if (
        not isinstance(value, list)
        or len(value) > MAX_INPUTS
        or not all(isinstance(each, list) for each in value)
    ):
        hint = f'write it as "{field}": [[1, 2], [3, 4]], a list of arguments for each call'
        raise fields.error(
            f"must be a list of at most {MAX_INPUTS:,} lists of arguments", field=field, hint=hint
        )
    try:
        return encode([(typed(fields.task_id, each), {}) for each in value])
    except (ValueError, TypeError, LookupError, AttributeError, Unsendable) as error:
        raise _not_arguments(fields, field, error) from None


def _not_arguments(fields: Fields, field: str, error: Exception) -> DataError:
    hint = f"use the published file: the arguments of {fields.task_id} have special types"
    return fields.error(f"an input does not fit this task: {error}", field=field, hint=hint)


def _inputs(fields: Fields) -> dict[str, Any]:
    return {f"{name}_input": fields.data[f"{name}_input"] for name in SETS}


def _digest(fields: Fields) -> str:
    """Key of all inputs as JSON, because the order of strings in sets varies by process."""
    return hashlib.sha256(json.dumps(_inputs(fields)).encode()).hexdigest()


def _atol(fields: Fields) -> float:
    value = fields.data.get("atol", 0)
    if (
        not isinstance(value, int | float)
        or isinstance(value, bool)
        or not (value >= 0 and math.isfinite(value))
    ):
        raise fields.error("must be a number of at least 0", field="atol", hint='write it as "atol": 1e-06')
    return float(value)


def split_prompt(prompt: str) -> tuple[str, str]:
    """Sentence and assert from MBPP+'s prompt, a docstring with both."""
    lines = prompt.strip().removeprefix(_QUOTES).removesuffix(_QUOTES).strip().splitlines()
    first = next((at for at, line in enumerate(lines) if line.startswith("assert ")), len(lines))
    return "\n".join(lines[:first]).strip(), "\n".join(lines[first:]).strip()


Arguments = list[Any]


def _each(args: Arguments) -> Arguments:
    """Every argument is a tuple."""
    return [tuple(each) for each in args]


def _inside(args: Arguments) -> Arguments:
    """Every argument is a list of tuples."""
    return [[tuple(item) for item in each] for each in args]


def _first_inside(args: Arguments) -> Arguments:
    """The first argument is a list of tuples."""
    return [[tuple(item) for item in args[0]], *args[1:]]


def _first(args: Arguments) -> Arguments:
    """The first argument is a tuple."""
    return [tuple(args[0]), *args[1:]]


def _second(args: Arguments) -> Arguments:
    """The second argument is a tuple."""
    return [args[0], tuple(args[1])]


def _each_inside(args: Arguments) -> Arguments:
    """Every argument is a tuple of tuples."""
    return [tuple(tuple(item) for item in each) for each in args]


def _items(args: Arguments) -> Arguments:
    """The only argument is a tuple, and so are its items that are lists."""
    return [tuple(tuple(item) if isinstance(item, list) else item for item in args[0])]


def _deep(args: Arguments) -> Arguments:
    """Every list, at any depth, is a tuple."""
    return [_tuples(each) for each in args]


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def _sets(args: Arguments) -> Arguments:
    """The only argument is a list of sets; an empty list, or another value, in it is an empty dict."""
    return [[set(item) if isinstance(item, list) and item else {} for item in args[0]]]


def _float_complex(args: Arguments) -> Arguments:
    return [float(args[0]), complex(args[1])]


def _complex(args: Arguments) -> Arguments:
    return [complex(args[0])]


def _dict_of_tuples(args: Arguments) -> Arguments:
    """The first argument is a dict of tuples."""
    return [{key: tuple(value) for key, value in args[0].items()}, *args[1:]]


_GROUPS: list[tuple[Callable[[Arguments], Arguments], str]] = [
    (_each, "2 116 132 143 222 261 273 394 399 421 424 429 470 560 579 596 616 630 726 740 744 809"),
    (_inside, "63 64 70 94 120 237 272 299 400 409 417 438 473 614 780"),
    (_first_inside, "75 413 444 753"),
    (_first, "250 307 405 446 617 720 763 808"),
    (_second, "106 750"),
    (_each_inside, "259 401 445"),
    (_items, "278"),
    (_deep, "580 615 791"),
    (_sets, "115"),
    (_float_complex, "124"),
    (_complex, "252"),
    (_dict_of_tuples, "722"),
]
_BY_TASK = {f"Mbpp/{number}": converter for converter, numbers in _GROUPS for number in numbers.split()}


def typed(task_id: object, args: Arguments) -> tuple[Any, ...]:
    """Typed arguments of a call. Raises ValueError, TypeError or LookupError for invalid arguments."""
    converter = _BY_TASK.get(str(task_id))
    return tuple(args if converter is None else converter(args))


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
                body = read_cached(_place(task), most=MAX_KEPT)
            except DataError:  # damaged or not ours: compute it again
                body = None
            if body is not None:
                self._known[task.revision] = _DECODER.decode(body)
        return task.revision in self._known

    def _learn(self, task: Task, sets: Sets) -> None:
        self._known[task.revision] = sets
        write_cached(_place(task), msgspec.msgpack.encode(sets), files=KEPT_FILES)


def _place(task: Task) -> Path:
    key = content_key("evalplus-expected", task.revision, python_version(), COLLECTING)
    return user_cache() / "expected" / key


def collect(task: Task, box: Sandbox) -> Sets:
    """Input sets with results of the canonical solution. Raises DataError, SandboxError."""
    return {name: _collect_inputs(task, name, calls, box) for name, calls in calls_of(task).items()}


def _collect_inputs(task: Task, name: str, calls: bytes, box: Sandbox) -> InputSet:
    """One input set. Only the digest of a large value is kept: some tasks return hundreds of megabytes."""
    expected, digests = list[bytes](), dict[int, bytes]()
    ended: list[AnswerEnded] = []
    not_none = oracle_of(task) == NOT_NONE

    def work(running: RunningAnswer) -> None:
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
        except CpuTimeExceeded:
            ended.append(cpu_time_exceeded(CPU_S))

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
    detail = f"{ended.outcome.value}: {escaped_name(ended.detail, 200)}"
    message = f"its canonical solution returns no values: {detail}"
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
