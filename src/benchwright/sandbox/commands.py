"""Commands in the sandbox, such as a compiler or a test runner, with input files and collected files.

    with Sandbox(environment=JAVA, limits=Limits(tmp_mb=256)) as box:
        ran = run_command(box, Command(argv=("/usr/bin/true",), files={"a.txt": b"…"}, collect=("out",)))

All results are claims: a hostile program can print, write and exit at will.
"""

from __future__ import annotations

import marshal
import os
from collections.abc import Callable
from pathlib import PurePosixPath
from typing import NamedTuple

from benchwright.errors import UsageError
from benchwright.records import Outcome, Record
from benchwright.sandbox.box import Sandbox
from benchwright.sandbox.claims import tampered_end
from benchwright.sandbox.codec import CodecError, decode
from benchwright.sandbox.environments import Environment
from benchwright.sandbox.inside.command import MAX_FILES
from benchwright.sandbox.inside.wire import FORMAT
from benchwright.sandbox.untrusted import UntrustedBytes, default_limit
from benchwright.sandbox.zygote import AnswerEnded, AnswerUsage, Job, RunningAnswer, cpu_time_exceeded

MAX_COLLECTED = 64 << 20
KEPT_OUTPUT = 256 << 10


class Command(Record, frozen=True, kw_only=True):
    """A command with its inputs. Paths of `files` and `collect` are relative to its work folder.

    With a `stdin`, its standard output comes back apart from what it writes to standard error. Both standard
    streams are regular files, and the input counts against `Limits.output_bytes` and `tmp_mb`.
    """

    argv: tuple[str, ...]  # argv[0] is a path in the jail
    files: dict[str, bytes] = {}
    env: dict[str, str] = {}
    one_core: bool = False  # it and its threads share one
    collect: tuple[str, ...] = ()  # files or folders to bring back
    collect_bytes: int = MAX_COLLECTED  # in all; what is beyond is left
    stdin: bytes | None = None  # None: empty, and both outputs are one


class CommandResult(NamedTuple):
    """Result of a command. `outcome` is passed for exit status 0.

    `status` is the exit code, the negative signal number, or None if a limit was exceeded.
    """

    outcome: Outcome
    detail: str
    status: int | None
    files: dict[str, bytes]
    output: bytes  # stdout and stderr, as printed, the first KEPT_OUTPUT bytes
    usage: AnswerUsage
    stdout: bytes = b""  # of a command with a `stdin`, whole; then `output` is its stderr


def run_command(
    box: Sandbox, command: Command, *, environment: Environment | None = None, cpu_s: float | None = None
) -> CommandResult:
    """Run a command in a sandbox. Raises UsageError for a path outside of its folder, and SandboxError."""
    for path in (*command.files, *command.collect):
        _check_path(path)
    outcome, detail, status = Outcome.passed, "", None
    files: dict[str, bytes] = {}
    printed: list[bytes] = []

    def work(running: RunningAnswer) -> None:
        nonlocal outcome, detail, status
        files.clear()
        printed.clear()
        running.kept = KEPT_OUTPUT
        try:
            with default_limit():
                status = _follow(running, files, printed, command.collect_bytes)
            outcome, detail = _outcome_of_status(status)
        except AnswerEnded as ended:
            outcome, detail, status = ended.outcome, ended.detail, None

    usage = box.execute(_job(command), work, environment=environment, cpu_s=cpu_s)
    most_s = box.limits.cpu_s if cpu_s is None else cpu_s
    if status and usage.cpu_s > most_s:  # the kernel's limit ended it before a look at the clock did
        ended = cpu_time_exceeded(most_s)
        outcome, detail, status = ended.outcome, ended.detail, None
    return CommandResult(outcome, detail, status, files, usage.stdout, usage, b"".join(printed))


def converse(
    box: Sandbox,
    command: Command,
    work: Callable[[RunningAnswer], None],
    *,
    channel: int,
    cpu_s: float | None = None,
) -> AnswerUsage:
    """Let `work` communicate with a program that sends frames itself, over the descriptor `channel`.

    No files are collected. Raises UsageError and SandboxError as `run_command` does.
    """
    for path in command.files:
        _check_path(path)
    spec = marshal.dumps((list(command.argv), command.env, channel), FORMAT)
    job: Job = ("program", "", spec, marshal.dumps(command.files, FORMAT))

    def followed(running: RunningAnswer) -> None:
        running.kept = KEPT_OUTPUT
        work(running)

    return box.execute(job, followed, cpu_s=cpu_s)


def _job(command: Command) -> Job:
    spec = (
        *(list(command.argv), command.env, list(command.collect), command.collect_bytes),
        *(command.one_core, command.stdin),
    )
    return "command", "", marshal.dumps(spec, FORMAT), marshal.dumps(command.files, FORMAT)


def _check_path(path: str) -> None:
    parts = PurePosixPath(path).parts
    if not path or path.startswith("/") or ".." in parts or "\0" in path:
        raise UsageError(f"{path!r} does not lie in the command's folder", hint="use a relative path")


def _follow(running: RunningAnswer, files: dict[str, bytes], printed: list[bytes], limit: int) -> int:
    """Collect the files and the standard output of the command, and return its exit code."""
    kind, payload = running.read()
    if kind != b"L" or payload:
        raise tampered_end("a frame before it was begun")
    while len(files) <= MAX_FILES:
        kind, payload = running.read()
        if kind == b"S" and len(payload) < 20 and (number := payload.reveal()).isdigit():
            return os.waitstatus_to_exitcode(int(number) & 0xFFFF)
        if kind == b"O" and not printed:
            printed.append(payload.reveal())
            continue
        if kind != b"V":
            raise tampered_end(f"a frame {kind!r} instead of a file")
        path, content = _file(payload)
        limit -= len(content)
        if limit < 0:
            raise AnswerEnded(Outcome.output_limit, "its files are larger than the limit")
        files[path] = content
    raise AnswerEnded(Outcome.output_limit, f"it made more than {MAX_FILES} files")


def _file(payload: UntrustedBytes) -> tuple[str, bytes]:
    try:
        path, content = decode(payload)
        if type(path) is not str or type(content) is not bytes:
            raise ValueError("not a path and its content")
        _check_path(path)
    except (CodecError, TypeError, ValueError, UsageError) as error:
        raise tampered_end(f"a malformed file ({error})") from None
    return path, content


def _outcome_of_status(status: int) -> tuple[Outcome, str]:
    if status == 0:
        return Outcome.passed, ""
    how = f"was ended by signal {-status}" if status < 0 else f"exited with status {status}"
    return Outcome.exception, f"the command {how}"
