"""The demo's live model: a script for every task, and a server that is the same each time."""

from __future__ import annotations

import json
import socket
from importlib import resources
from pathlib import Path

import pytest

from benchwright.demo import live
from benchwright.demo.live import FAULTS, NAME, live_server, script
from benchwright.stub_server import Fault
from benchwright.stub_server.behaviour import read_faults

FOLDER = Path(str(resources.files("benchwright.demo")))


def test_every_task_has_its_ten_answers() -> None:
    """A task's own prompt, and no other task's, finds the ten answers of the strong model."""
    rows = [json.loads(line) for line in (FOLDER / "ruhumaneval.jsonl").read_text("utf-8").splitlines()]
    found = script(FOLDER).rows
    fits = [sum(row.contains in task["inputs"]["function"] for row in found) for task in rows]

    assert ([1] * 24, {10}) == (fits, {len(row.completions) for row in found})


def test_each_fault_is_got_over() -> None:
    """The faults show once a question, so a second try succeeds and the demo ends."""
    assert [fault.first for fault in read_faults(FAULTS)] == [1] * len(FAULTS)
    assert all(isinstance(fault, Fault) and fault.one_in for fault in read_faults(FAULTS))


def test_the_server_has_a_port_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its address is part of what a run is, so a second demo must find it again; a taken one is evaded."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        monkeypatch.setattr(live, "PORT", taken.getsockname()[1])
        with live_server(FOLDER) as server:
            evaded = server.base_url

    assert (f":{live.PORT}/" in evaded, evaded.endswith("/v1"), NAME) == (False, True, "demo-live")
