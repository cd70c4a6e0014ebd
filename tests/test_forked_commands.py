"""Commands that are forked from a server are as those that are started, and end with whoever asked for them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from kit import command_server, forked_commands
from kit.command_line import benchwright, started
from kit.processes import parents, wait_until


@pytest.mark.parametrize(
    "words", [("compare", "nowhere", "\udcff"), ("list", "providers"), ("shw",)], ids=" ".join
)
def test_a_forked_command_says_what_a_started_one_says(tmp_path: Path, words: tuple[str, ...]) -> None:
    """Of either kind of server: the same code and the same two streams, in the same folder and environment."""
    there = {"COLUMNS": "90", "BENCHWRIGHT_COMMAND": "./mine"}

    assert benchwright(*words, cwd=tmp_path, **there) == started(*words, cwd=tmp_path, **there)


def test_which_environments_need_a_started_process(tmp_path: Path) -> None:
    """What the start of an interpreter reads, a package in place of one that is imported, and coverage."""
    for name in ("plugin", "block"):
        (tmp_path / name).mkdir()
    (tmp_path / "plugin/one_more.py").touch()
    (tmp_path / "block/numpy.py").touch()
    wanted = {
        ("COLUMNS", "80"): True,
        ("PYTHONPATH", str(tmp_path / "plugin")): True,
        ("PYTHONPATH", str(tmp_path / "block")): False,
        ("PYTHONIOENCODING", "ascii"): False,
        ("LC_ALL", "C"): False,
        ("COVERAGE_PROCESS_CONFIG", "x"): False,
    }
    here = {name: text for name, text in command_server.FIRST.items() if not name.startswith("COVERAGE_")}

    assert {each: command_server.fits({**here, **dict([each])}) for each in wanted} == wanted


def test_a_command_ends_with_its_client(tmp_path: Path) -> None:
    """The server ends what nobody waits for any more."""
    server = forked_commands.address("light")
    with (tmp_path / "said").open("w+b") as said, open(os.devnull, "rb") as nothing:
        files = (nothing.fileno(), said.fileno(), said.fileno())
        words = ("stub-server", "--port", "0")
        forked = command_server.CommandProcess(server, words, str(tmp_path), os.environ, files)
        assert wait_until(lambda: (tmp_path / "said").stat().st_size > 0)
        assert forked.pid in parents()
        forked.close()

    assert wait_until(lambda: forked.pid not in parents())


def test_a_server_ends_with_its_owner(tmp_path: Path) -> None:
    """With the end of its standard input, and what it has forked with it."""
    path = tmp_path / "socket"
    command = [sys.executable, "-P", command_server.__file__, "serve", "light", str(path)]
    server = subprocess.Popen(command, stdin=subprocess.PIPE)
    assert wait_until(path.exists)
    with open(os.devnull, "r+b") as nothing:
        forked = command_server.CommandProcess(
            str(path), ("stub-server", "--port", "0"), str(tmp_path), os.environ, [nothing.fileno()] * 3
        )
        server.communicate()

    assert (server.returncode, forked.pid in parents()) == (0, False)
    forked.close()
