"""A live model for the demo: the stub server, with demo-strong's answers as its script.

So the demo goes the whole way, prompts, requests, faults, retries, on a machine without key or network,
and has a pair of models that differ by nothing but chance.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from socket import socket

from benchwright.store.lines import read_rows
from benchwright.stub_server import Script, StubServer

NAME = "demo-live"
PORT = 28_461  # a fixed one, so that a second demo is the same run and goes on from the first
# What a busy server does now and then; each question is answered at a later try.
FAULTS = ("429:one_in=12,first=1,seconds=0.2", "500:one_in=20,first=1", "cut:one_in=30,first=1")


def live_server(folder: Path) -> StubServer:
    """The server, not yet started, for the tasks and answers in the demo's folder."""
    return StubServer(script(folder), faults=FAULTS, models=[NAME], port=_port(), within="process")


def script(folder: Path) -> Script:
    """The ten answers of demo-strong to each task, found by the head of its function; the seed chooses."""
    answers: dict[int, list[str]] = defaultdict(list)
    for _, row in read_rows(folder / "demo-strong.jsonl"):
        answers[row["task_id"]].append(row["completion"])
    tasks = (row for _, row in read_rows(folder / "ruhumaneval.jsonl"))
    return Script.of({f"def {row['meta']['entry_point']}(": answers[row["meta"]["id"]] for row in tasks})


def _port() -> int:
    """The demo's own port, or any free one where somebody else listens on it."""
    with socket() as probe:
        return 0 if probe.connect_ex(("127.0.0.1", PORT)) == 0 else PORT
