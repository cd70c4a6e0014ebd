"""Execute the tool calls of an agent in the sandbox, in a folder that lasts across the turns of one answer.

The folder exists only while a program of its answer runs. Its files are sent with the calls and returned with
the results, as bytes that the run folder stores. So a resumed run continues with the same files, and a
turn may be executed by any worker on any machine. No tool, and nothing that a model wrote, runs outside the
sandbox. Code of the model shares a process with the tools that run it, so it can falsify their results: that
changes what the model itself reads, and no verdict.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from benchwright.contracts import Criterion, Executor, Job, Judgement, RepliesSpec, ToolCall
from benchwright.errors import SandboxError
from benchwright.records import Outcome
from benchwright.sandbox.codec import CodecError, Unsendable, decode, encode
from benchwright.sandbox.input_files import check_paths
from benchwright.store.strict_json import replace_lone

MAX_RESULT = 2_400  # bytes of one result that a model is shown
MAX_CALLS = 6  # of one turn: their results fit into one value of the sandbox
CHUNK = 15 << 10  # bytes of one value that is kept whole, see `judges.python`
CHUNKS = 12
MAX_BYTES = CHUNK * CHUNKS  # of a workspace: paths and contents
MAX_HEAD = 24  # of the line with the lengths of a path and its file

Files = dict[str, bytes]

# Runs in the sandbox behind the tools. `_turn` is called with the calls, then for each chunk of the files.
_DRIVER = """
import os as _os

_packed = []

def _read_files():
    for folder, _, names in sorted(_os.walk("/tmp")):
        for path in (_os.path.join(folder, name) for name in sorted(names)):
            if _os.path.isfile(path) and not _os.path.islink(path):
                with open(path, "rb") as file:
                    content = file.read(LIMIT + 1)
                name = _os.fsencode(_os.path.relpath(path, "/tmp"))
                yield b"%d %d\\n" % (len(name), len(content)) + name + content

def _call(name, arguments):
    try:
        text = str(globals()[name](**arguments))
    except Exception as error:
        text = f"{type(error).__name__}: {error}"
    return text.encode("utf-8", "replace")[:RESULT]

def _turn(calls, number):
    if calls is not None:
        results = [_call(name, arguments) for name, arguments in calls]
        _packed.append(b"".join(_read_files()))
        return results
    if len(_packed[-1]) > LIMIT:
        return None
    return _packed[-1][number * CHUNK:][:CHUNK]
"""


class ToolTurn(NamedTuple):
    """The tool calls of one turn, and the files that they find."""

    calls: Sequence[ToolCall]
    files: Mapping[str, bytes]


class ToolResults(NamedTuple):
    """The calls with their results, and the files after them."""

    calls: list[ToolCall]
    files: Files


def execute_tools(
    turns: Iterable[ToolTurn], tools: Mapping[str, str], executor: Executor, *, environment: str = "bare"
) -> Iterator[tuple[int, ToolResults]]:
    """Yield the position and the results of each turn, in any order.

    A turn that the sandbox ended (time, memory, exit) has that as the result of all its calls, and leaves
    the files as they were. Raises SandboxError where the sandbox failed.
    """
    pending: dict[int, ToolTurn] = {}
    program = _program(tools)

    def jobs() -> Iterator[Job]:
        for number, turn in enumerate(turns):
            pending[number] = turn
            yield Job(number, program, Criterion(_spec(turn, tools, environment)))

    for number, judgement in executor.judge(jobs()):
        yield number, _results(pending.pop(number), judgement, tools)


def _program(tools: Mapping[str, str]) -> str:
    constants = f"LIMIT, CHUNK, RESULT = {MAX_BYTES}, {CHUNK}, {MAX_RESULT}\n"
    return "\n".join([*tools.values(), constants, _DRIVER])


def _spec(turn: ToolTurn, tools: Mapping[str, str], environment: str) -> RepliesSpec:
    requests = [(call.name, call.arguments) for call in turn.calls if _refusal(call, tools) == ""][:MAX_CALLS]
    chunks: Iterable[tuple[object, object]] = (((None, number), {}) for number in range(CHUNKS))
    return RepliesSpec(
        entry_point="_turn",
        environment=environment,
        calls=encode([((requests, 0), {}), *chunks]),
        count=1 + CHUNKS,
        files=dict(turn.files),
    )


def _refusal(call: ToolCall, tools: Mapping[str, str]) -> str:
    """Why a call is not executed; empty for one that is."""
    if call.name not in tools:
        return f"unknown tool {call.name!r}; the tools are: {', '.join(tools)}"
    try:
        encode(call.arguments)
    except (Unsendable, ValueError, RecursionError) as error:
        return f"bad arguments: {error}"
    return ""


def _results(turn: ToolTurn, judgement: Judgement, tools: Mapping[str, str]) -> ToolResults:
    """Read the replies of the sandbox. Nothing in them is trusted to have the right type."""
    if judgement.outcome is Outcome.sandbox_error:
        raise SandboxError(f"tools could not be executed: {judgement.detail}")
    replies: list[tuple[str, bytes]] = []
    if judgement.payload:
        replies = msgspec.msgpack.decode(judgement.payload, type=list[tuple[str, bytes]])
    texts, failure = _texts(replies, judgement)
    files = None if failure else _files(replies[1:])
    if files is None and not failure:
        failure = f"the files were not kept: more than {MAX_BYTES:,} bytes, or a name that is not allowed"
    results, calls = iter(texts), list[ToolCall]()
    for call in turn.calls:
        text = _refusal(call, tools) or failure or next(results, None)
        if text is None:
            text = f"not executed: at most {MAX_CALLS} calls a turn"
        calls.append(msgspec.structs.replace(call, result=text))
    return ToolResults(calls, dict(turn.files) if files is None else files)


def _texts(replies: Sequence[tuple[str, bytes]], judgement: Judgement) -> tuple[list[str], str]:
    """The results of the calls, or why there are none."""
    if not replies:
        return [], f"the tools were ended: {judgement.outcome.value}: {judgement.detail}"[:MAX_RESULT]
    kind, payload = replies[0]
    value = _value(payload) if kind == "value" else None
    if not isinstance(value, list) or not all(isinstance(each, bytes) for each in value):
        text = "bad results" if kind in ("value", "large") else payload.decode("utf-8", "replace")
        return [], f"the tools were ended: {text}"[:MAX_RESULT]
    return [replace_lone(each[:MAX_RESULT].decode("utf-8", "replace")) for each in value], ""


def _value(payload: bytes) -> Any:
    """The value in a reply of a few KiB, None for a malformed one."""
    try:
        return decode(payload)
    except CodecError:
        return None


def _files(chunks: Sequence[tuple[str, bytes]]) -> Files | None:
    """The files in the chunks; None for too many, too large ones, or paths that cannot be placed again."""
    values = [_value(payload) for kind, payload in chunks if kind == "value"]
    parts = [value for value in values if isinstance(value, bytes)]
    if len(parts) != CHUNKS:
        return None
    body, files = b"".join(parts), Files()
    start = 0
    try:
        while start < len(body):
            end = body.index(b"\n", start, start + MAX_HEAD)
            name, content = map(int, body[start:end].split())
            first = end + 1 + name
            start = first + content
            if name < 1 or content < 0 or start > len(body):
                return None
            files[body[end + 1 : first].decode()] = body[first:start]
        check_paths(list(files))
    except ValueError:
        return None
    return files
