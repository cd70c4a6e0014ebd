"""Runs the command line as users do: a process with an exit code and two separate streams."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, NoReturn
from unittest import mock

import click
from click.testing import CliRunner, Result

from benchwright.cli.main import cli, main
from kit import command_server
from kit.forked_commands import forked, forked_workers
from kit.processes import HANG_S

build, release = (cli.get_command(click.Context(cli), name) for name in ("build", "release"))
# -P: find modules as the installed program does
_COMMAND = [sys.executable, "-P", "-m", "benchwright.cli.main"]
# Runs a command, then reports its peak memory. The process is separate because a child's peak starts with the
# size of the process that it was forked from, and pytest is large.
_MEASURE = """
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:])
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(done.returncode)
"""
# Control characters that change a terminal: C0 and C1, except tabs and line ends.
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class Said(NamedTuple):
    """The exit code and the two streams of a command."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """Return the only JSON document on stdout; raise for any other byte there."""
        return json.loads(self.out)


def benchwright(*args: object, cwd: Path | None = None, **environment: str) -> Said:
    """Run a command in a separate process; `environment` is added to the current one.

    The process is forked from a server with imported third-party packages (`command_server`), if only its
    duration can differ from that of a started process.
    """
    whole = _environment(environment)
    if not command_server.fits(whole):
        return started(*args, cwd=cwd, **environment)
    code, out, err = forked(list(map(str, args)), cwd, whole)
    return Said(code, out.decode(), err.decode())


def started(*args: object, cwd: Path | None = None, **environment: str) -> Said:
    """Run a command in a process that is started as a user's is."""
    return _run([*_COMMAND, *map(str, args)], cwd, environment)


def called(*args: object, cwd: Path | None = None, **environment: str) -> Said:
    """Run a command in this process, through the same entry point but without its imports; for all but the
    first test of a file.

    Not for tests that need a process: signals, limits, names that `main` reads from the system, or packages
    next to Benchwright.
    """
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    with (
        mock.patch.object(sys, "argv", ["benchwright", *map(str, args)]),
        mock.patch.dict(os.environ, environment),
        contextlib.chdir(cwd or Path.cwd()),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        forked_workers(),
    ):
        code = _end_of(partial(main, own_process=False))
    return Said(code, *(stream.buffer.getvalue().decode() for stream in (out, err)))  # type: ignore[attr-defined]


def _end_of(program: Callable[[], NoReturn]) -> int:
    try:
        program()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 0


def measured(*args: object) -> tuple[Said, int]:
    """Run a command, and return its peak memory in MiB as well."""
    said = _run([sys.executable, "-c", _MEASURE, *_COMMAND, *map(str, args)], None, {})
    *out, kib = said.out.splitlines()
    return said._replace(out="\n".join(out)), int(kib) >> 10


def _run(command: list[str], cwd: Path | None, environment: dict[str, str]) -> Said:
    done = subprocess.run(
        command, cwd=cwd, env=_environment(environment), capture_output=True, timeout=HANG_S, check=False
    )
    return Said(done.returncode, done.stdout.decode(), done.stderr.decode())


def _environment(named: dict[str, str]) -> dict[str, str]:
    return {
        **{name: text for name, text in os.environ.items() if name not in ("FORCE_COLOR", "NO_COLOR")},
        **named,
    }


def inside(*args: object) -> Result:
    """Run a command in this process with click's runner: cheap, but errors are returned as exceptions of the
    result."""
    return CliRunner().invoke(cli, [str(arg) for arg in args])


def contents(folder: Path) -> dict[str, bytes]:
    """Return every file of a folder with its bytes."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}
