"""`view` at the command line: what it refuses, what it prints, how it ends."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from benchwright.web.view.board import run_key
from kit.command_line import called
from kit.growing_folder import GrowingFolder, answer
from kit.processes import HANG_S, all_gone, descendants
from kit.view_process import ViewProcess


def test_what_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each with why and a hint, before anything listens."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("x")
    (tmp_path / "runs here").mkdir()
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        refused = [
            ([], "folder not found: runs"),
            (["none"], "mkdir -p none"),
            ([""], "empty"),
            (["a\0b"], "folder not found"),
            (["x" * 5000], "folder not found"),
            (["file"], "is a file, not a folder"),
            (["runs here", "--port", port], "cannot listen on 127.0.0.1 port"),
            (["runs here", "--port", 65536], "65536"),
            (["runs here", "--port", "http"], "http"),
            (["runs here", "--host", "0.0.0.0"], "may be reached from other machines"),
            (["runs here", "--host", "::"], "may be reached from other machines"),
            (["runs here", "--host", "example.org"], "may be reached from other machines"),
            (["runs here", "--public"], "--public"),
            (["runs here", "more"], "more"),
        ]
        for words, said in refused:
            result = called("view", *words)
            assert (result.code, said in result.err) == (2, True), (words, result.err)
            assert "hint:" in result.err
            assert result.out == ""


def test_without_the_extra_it_says_what_to_install(tmp_path: Path) -> None:
    """Exit code 3 and the command that installs it; --help needs nothing."""
    hide = "import sys; sys.modules['litestar'] = None; from benchwright.cli.main import main; sys.argv = {}; main()"

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        code = hide.format(json.dumps(["benchwright", *words]))
        return subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, timeout=HANG_S, check=False
        )

    absent, told = run("view", str(tmp_path)), run("view", "--help")

    assert absent.returncode == 3
    assert "hint: pip install 'benchwright[web]'" in absent.stderr
    assert (told.returncode, "--no-open" in told.stdout) == (0, True)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_a_folder_without_runs_is_served_until_a_signal(tmp_path: Path, how: signal.Signals) -> None:
    """An open stream does not delay the end, and no child process is left."""
    with (
        ViewProcess(tmp_path) as view,
        httpx.Client(base_url=view.address, trust_env=False, timeout=HANG_S) as client,
        client.stream("GET", "/stream") as stream,
    ):
        lines = stream.iter_lines()
        first = next(line for line in lines if line.startswith("data:"))
        code, err = view.end(how)
        rest = [line for line in lines if line.startswith("data:")]

    assert json.loads(first[5:]) == {"rows": [], "gone": [], "more": False}
    assert (code, err, rest) == (0, "", [])
    assert view.process.returncode is not None


def test_no_child_is_left(tmp_path: Path) -> None:
    """Ctrl-C reaches the view and the process that packs answers: both end, and neither complains."""
    growing = GrowingFolder(tmp_path / "mine")
    growing.answers(answer("a"))
    growing.end()
    with (
        ViewProcess(tmp_path) as view,
        httpx.Client(base_url=view.address, trust_env=False, timeout=HANG_S) as client,
    ):
        reply = client.get(f"/api/runs/{run_key(tmp_path / 'mine', tmp_path)}/answers", params={"task": "a"})
        children = descendants(view.process.pid)
        for child in children:
            os.kill(child, signal.SIGINT)
        code, err = view.end(signal.SIGINT)
        ended = all_gone(children)

    assert reply.status_code == 200
    assert len(children) == 1
    assert (code, err, ended) == (0, "", True)
