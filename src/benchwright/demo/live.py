"""Live model of the demo: the stub server with the answers of demo-strong as its script.

The demo thus includes prompts, requests, faults and retries on a machine without key or network, and has a
pair of models that differ only by chance.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from socket import socket

from benchwright.store.lines import read_rows
from benchwright.stub_server import Script, StubServer

NAME = "demo-live"
PORT = 28_461  # fixed, so that a second demo resumes the run of the first
# Occasional faults of a busy server; every request succeeds after a retry.
FAULTS = ("429:one_in=12,first=1,seconds=0.2", "500:one_in=20,first=1", "cut:one_in=30,first=1")


def live_server(folder: Path) -> StubServer:
    """Create the server for the demo's tasks and answers; the caller starts it."""
    return StubServer(script(folder), faults=FAULTS, models=[NAME], port=_port(), within="process")


def script(folder: Path) -> Script:
    """Ten answers of demo-strong per task, selected by the head of its function and by the seed."""
    answers: dict[int, list[str]] = defaultdict(list)
    for _, row in read_rows(folder / "demo-strong.jsonl"):
        answers[row["task_id"]].append(row["completion"])
    tasks = (row for _, row in read_rows(folder / "ruhumaneval.jsonl"))
    return Script.of({f"def {row['meta']['entry_point']}(": answers[row["meta"]["id"]] for row in tasks})


def _port() -> int:
    """PORT, or a free port (0) if PORT is in use."""
    with socket() as probe:
        return 0 if probe.connect_ex(("127.0.0.1", PORT)) == 0 else PORT
