"""The command line as its users meet it: a process with an exit code and two separate streams."""

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
_COMMAND = [sys.executable, "-P", "-m", "benchwright.cli.main"]  # -P: as the installed program finds modules
# Runs a command, then says how much memory it took. A process of its own, because the peak of a child
# starts with the size of the process that it was forked from, and pytest is large.
_MEASURE = """
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:])
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(done.returncode)
"""
# What a terminal acts on: the C0 and C1 controls but for tabs and line ends.
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class Said(NamedTuple):
    """How a command ended and what it wrote where."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """The one JSON document on stdout; any other byte there makes this fail."""
        return json.loads(self.out)


def benchwright(*args: object, cwd: Path | None = None, **environment: str) -> Said:
    """Run a command in a process of its own; `environment` is set beside the present one.

    It is forked with the packages of others imported (`command_server`) where that differs in nothing but time.
    """
    whole = _environment(environment)
    if not command_server.fits(whole):
        return started(*args, cwd=cwd, **environment)
    code, out, err = forked(list(map(str, args)), cwd, whole)
    return Said(code, out.decode(), err.decode())


def started(*args: object, cwd: Path | None = None, **environment: str) -> Said:
    """The same in a process that starts as that of a user does."""
    return _run([*_COMMAND, *map(str, args)], cwd, environment)


def called(*args: object, cwd: Path | None = None, **environment: str) -> Said:
    """The same by the same front door in this process, which spares it the imports: for all but a file's first test.

    Not for what needs a process: a signal, a limit, a name that `main` reads of the system, a package beside ours.
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
    """The same, with the largest memory of the command in MiB."""
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
    """Run a command in this process: cheap, but errors come back as exceptions of the result."""
    return CliRunner().invoke(cli, [str(arg) for arg in args])


def contents(folder: Path) -> dict[str, bytes]:
    """Every file of a folder with its bytes."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}
