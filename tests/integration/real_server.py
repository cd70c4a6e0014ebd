"""`transformers serve` as a real process on loopback, without any way to the network's hubs."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import httpx

from kit.ports import free_port

START_S = 180.0


def _healthy(url: str) -> bool:
    """Asked of /health: the list of models fails on this server where no cache folder is."""
    try:
        return httpx.get(url + "/health", trust_env=False, timeout=5).status_code == 200
    except httpx.HTTPError:
        return False


def _wait(process: subprocess.Popen[bytes], url: str, log: Path) -> None:
    deadline = time.monotonic() + START_S
    while not _healthy(url):
        if process.poll() is not None or time.monotonic() > deadline:
            raise AssertionError(f"the server did not start:\n{log.read_text()[-2000:]}")
        time.sleep(0.25)


@contextmanager
def serving(model: Path, scratch: Path) -> Generator[str]:
    """The base URL of a server for the model in a folder; it has ended when the block has."""
    port, log = free_port(), scratch / "serve.log"
    command = [Path(sys.executable).with_name("transformers"), "serve", model, "--host", "127.0.0.1"]
    # One thread: on a machine with work to do, many of them wait for each other at every token.
    environment = {"HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1", "HF_HOME": str(scratch / "no-cache")}
    with log.open("wb") as output:
        process = subprocess.Popen(
            [*map(str, command), "--port", str(port)],
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        try:
            _wait(process, f"http://127.0.0.1:{port}", log)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
