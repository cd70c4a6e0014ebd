"""Kills a suite while one of its requests hangs, so that the test knows what the kill interrupts."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchwright.stub_server import Script, StubServer
from kit.processes import HANG_S, wait_until


def kill_at_request(
    number: int,
    script: Script,
    write: Callable[[StubServer], Path],
    *,
    stored: Callable[[], int],
    cwd: Path,
    **environment: str,
) -> list[dict[str, Any]]:
    """Run the suite that `write` returns, and kill it at its request with this number. Return the answered
    requests.

    The suite asks one request at a time. The request hangs, and `stored` counts answers on disk: the kill
    follows when all earlier replies are stored, however slow the machine is.
    """
    before = stored()
    with StubServer(script, faults=[f"slow:seconds=3600,every={number}"]) as server:
        line = [sys.executable, "-m", "benchwright", "suite", str(write(server)), "--quiet", "--no-report"]
        process = subprocess.Popen(line, cwd=cwd, start_new_session=True, env={**os.environ, **environment})

        def hangs() -> bool:
            return bool(server.stats()["requests"] == number and stored() == before + len(server.requests()))

        try:
            assert wait_until(lambda: process.poll() is not None or hangs())
            assert process.poll() is None, "it ended before it could be killed"
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(HANG_S)
        return server.requests()
