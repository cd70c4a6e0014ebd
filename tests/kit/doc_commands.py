"""Finds the commands in the documentation, checks their options, and executes them as a reader would."""

from __future__ import annotations

import functools
import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import click

from benchwright.cli.commands import command_lines
from benchwright.cli.main import cli
from kit import command_server, forked_commands, plug_ins
from kit.processes import HANG_S

_BLOCK = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)
_ANY_BLOCK = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_HEREDOC = re.compile(r"<<'(\w+)'.*?^\1$", re.MULTILINE | re.DOTALL)
# The package under test is called instead, also for a clone's script.
_BENCHWRIGHT = '#!/bin/sh\nexec {} "$@"\n'
# Installs a package that a page has created; any other would come from the index.
_PIP = (
    f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {shlex.quote(plug_ins.__file__)} "${{0%/*}}/site" "$@"\n'
)
_RUN = '#!/bin/sh\nshift\nexec benchwright "$@"\n'
# Lines that are not executed here, by prefix, with the reason.
ELSEWHERE = {
    "python3 -m venv bench": "installs from the index: ./run bench first-day does it",
    "bench/bin/pip install": "installs from the index: ./run bench first-day does it",
    ". bench/bin/activate": "what was installed by the lines before it",
    "pip install benchwright": "installs from the index: ./run bench first-day does it",
    "pip install 'benchwright": "installs from the index: ./run bench first-day does it",
    "pip wheel": "downloads from the repository and the index",
    "pip install --no-index": "what was downloaded by the line before it",
    "git clone https://github.com/benchwright": "downloads the repository",
    "cd benchwright": "what was cloned by the line before it",
    "./run benchwright doctor": "./run of the clone: tests/cli/test_cli_run_script.py",
    "benchwright doctor": "examines the machine: tests/cli/test_cli_doctor.py",
    "uv tool install": "installs from the repository",
    "uvx ": "installs from the index: ./run bench first-day does it",
    "docker ": "needs a Docker daemon; the image's file is read by tests/action/test_action.py",
    "./run demo": "tests/cli/test_cli_demo.py, tests/cli/test_cli_run_script.py",
    "./run test": "this is it",
    "./run bench ": "takes long: tests/benchmarks/test_bench_commands.py",
    "./run python": "takes long: tests/attacks and tests/benchmarks",
    "sh tests/integration": "gigabytes from the index",
    "inspect view": "another tool, whose command never ends",
}


class Ended(NamedTuple):
    """The end of a block: its lines, its exit code and its output."""

    block: str
    code: int
    said: str


def blocks(page: Path) -> list[str]:
    """Return the blocks of a page that a reader pastes into a shell."""
    return _BLOCK.findall(page.read_text(encoding="utf-8"))


def lines(block: str) -> list[str]:
    """Return the commands of a block, without comments and here-documents; continued lines are joined."""
    text = _HEREDOC.sub("", block).replace("\\\n", " ")
    found = (" ".join(line.split()) for line in text.splitlines())
    return [line for line in found if line and not line.startswith("#")]


def spans(page: Path) -> list[str]:
    """Return commands in running text and tables: `benchwright …`, or a verb with its arguments."""
    prose = _ANY_BLOCK.sub("", page.read_text(encoding="utf-8"))
    found = [" ".join(span.split()) for span in re.findall(r"`([^`]+)`", prose)]
    return [
        span for span in found if _call(span) is not None or (span.split(" ")[0] in _verbs() and " -" in span)
    ]


@functools.cache
def _verbs() -> frozenset[str]:
    """Return the commands of the root. Cached, because every span of all pages needs them."""
    return frozenset(command_lines())


@functools.cache
def _below(group: click.Group, name: str) -> click.Command | None:
    return group.get_command(click.Context(group), name)


def _call(text: str) -> str | None:
    """Return the words after the program's name; None if the text does not call it."""
    found = re.match(r"(?:\./run |uvx (?:--from \S+ )?|[\w./-]+/)?benchwright(?:$|\s+)(.*)", text)
    return found[1] if found else None


def misunderstood(text: str) -> str:
    """Return the commands and options of a documented line that the command line does not know; empty if it
    knows all."""
    call = _call(text)
    words = _words(text if call is None else call)
    command, name = cli, "benchwright"
    while isinstance(command, click.Group) and words and not words[0].startswith(("-", "…", "<")):
        below = _below(command, words[0]) if words[0].islower() else None
        if below is None:
            return f"{name} has no command {words[0]!r}" if words[0].islower() else ""
        command, name = below, f"{name} {words.pop(0)}"
    if isinstance(command, click.Group) and words and words[0] == "…":  # any of its commands
        return ""
    options = {opt for param in command.params for opt in (*param.opts, *param.secondary_opts)}
    options |= {"--help", "-h"}
    unknown = [word for word in words if re.match(r"--?[a-z]", word) and word.split("=")[0] not in options]
    return f"{name} has no option {', '.join(unknown)}" if unknown else ""


def _words(text: str) -> list[str]:
    """Return the words of the first command of a line, as a shell reads them."""
    lexer = shlex.shlex(text, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    lexer.commenters = "#"
    words: list[str] = []
    try:
        for word in lexer:
            if set(word) <= set("();<>|&"):
                break
            words.append(word)
    except ValueError:  # prose with an apostrophe: split at spaces
        return text.split()
    return words


class Reader:
    """A reader who pastes blocks into a shell, one after the other, in a folder."""

    def __init__(self, folder: Path, *, address: str = "", port: int = 0) -> None:
        self.folder, self._address, self._port = folder, address, port
        tools = folder / ".tools"
        tools.mkdir()
        command = (sys.executable, "-m", "benchwright")
        if command_server.fits(os.environ):
            for kind in ("light", "heavy"):
                forked_commands.address(kind)
            command = (sys.executable, "-IS", command_server.__file__, str(forked_commands.folder()))
        made = {
            tools / "benchwright": _BENCHWRIGHT.format(shlex.join(command)),
            tools / "pip": _PIP,
            folder / "run": _RUN,
        }
        for path, text in made.items():
            path.write_text(text)
            path.chmod(0o755)
        self._environment = {
            **os.environ,
            "PATH": f"{tools}:{Path(sys.executable).parent}:{os.environ['PATH']}",
            "PYTHONPATH": os.pathsep.join(
                filter(None, [str(tools / "site"), os.environ.get("PYTHONPATH", "")])
            ),
            "NO_PROXY": "*",
        }
        self._started: list[subprocess.Popen[str]] = []

    def paste(self, block: str, left_out: tuple[str, ...] = ()) -> Ended:
        """Run a block without lines of these prefixes; the first failing command ends it."""
        text = self._here("\n".join(line for line in block.splitlines() if not line.startswith(left_out)))
        with (self.folder / ".said").open("w+", encoding="utf-8") as said:
            process = subprocess.Popen(
                ["sh", "-eu", "-c", text],
                cwd=self.folder,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=subprocess.STDOUT,
                text=True,
                start_new_session=True,
            )
            self._started.append(process)
            code = process.wait(timeout=HANG_S)
        return Ended(text, code, (self.folder / ".said").read_text(encoding="utf-8"))

    def _here(self, text: str) -> str:
        """Replace the addresses by those of this machine."""
        text = re.sub(r"http://localhost:8\d00/v1", self._address, text)
        return text.replace(":8100", f":{self._port}").replace("--port 8100", f"--port {self._port}")

    def close(self) -> None:
        """End background processes of the blocks."""
        for process in self._started:
            try:
                os.killpg(process.pid, signal.SIGTERM)
            except ProcessLookupError:
                continue


def pages(root: Path) -> Iterator[Path]:
    """Return every page whose commands must work today; the changelog describes earlier versions."""
    yield from (path for path in sorted(root.glob("*.md")) if path.name != "CHANGELOG.md")
    yield from sorted((root / "docs").rglob("*.md"))
