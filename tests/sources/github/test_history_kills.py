"""A fetch is killed before each of its requests: the next one ends with the same events, and fetches nothing
twice."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event as Signal
from typing import NamedTuple

import pytest

from benchwright.records import Drop
from benchwright.sources.events import RepoEvent
from kit.examples import SCALE
from kit.history_fetching import TOKEN, T, fetch, fill
from kit.made_history import MadeHistory, serving_history
from kit.processes import HANG_S

STEP = 1 if SCALE > 1 else 2  # between two points


class KilledFetches:
    """A process that starts one fetch after another, each killed before a request or not at all."""

    def __init__(self, history: MadeHistory, process: subprocess.Popen[str]) -> None:
        self._history, self._process = history, process

    def run(self, folder: Path, *, kill_at: int | None = None) -> int:
        """Fetch into a folder; return the status of the process. `kill_at` counts requests from 0."""
        started, child = Signal(), [0]
        self._history.count = 0

        def before(number: int) -> None:
            assert started.wait(HANG_S)
            if number == kill_at:
                os.kill(child[0], signal.SIGKILL)
                raise ConnectionAbortedError

        self._history.before = before
        assert self._process.stdin is not None and self._process.stdout is not None
        print(folder, file=self._process.stdin, flush=True)
        child[0] = int(self._process.stdout.readline())
        started.set()
        status = int(self._process.stdout.readline())
        self._history.before = lambda number: None
        return status


@contextmanager
def fetches(history: MadeHistory) -> Iterator[KilledFetches]:
    """Run the process for the duration of the block."""
    command = [sys.executable, "-m", "kit.history_fetching", history.api]
    environment = {**os.environ, "GITHUB_TOKEN": TOKEN, "PYTHONPATH": str(Path(__file__).parents[2])}
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        try:
            yield KilledFetches(history, process)
        finally:
            assert process.stdin is not None
            process.stdin.close()


class Killed(NamedTuple):
    """A point, the events after the resumed fetch, and resources that were sent completely twice."""

    point: int
    found: list[RepoEvent | Drop]
    twice: list[str]


def killed_everywhere(
    history: MadeHistory, start: Path | None, folder: Path, first: int = 0
) -> Iterator[Killed]:
    """Kill a fetch before each of its requests, each time from the stored state `start`, and resume it.

    Outside the weekly check: before every second one, from `first` on.
    """
    with fetches(history) as killed:
        point, status = first * (STEP - 1), signal.SIGKILL
        while status == signal.SIGKILL:
            place = folder / str(point)
            if start is not None:
                shutil.copytree(start, place)
            history.log.clear()
            status = killed.run(place, kill_at=point)
            if status == signal.SIGKILL:
                assert killed.run(place) == 0
                whole = [each.resource for each in history.log if each.status == 200]
                twice = [each for each in whole if whole.count(each) > 1]
                yield Killed(point, fetch(history, place, offline=True), twice)
            point += STEP
        assert status == 0


def change(history: MadeHistory) -> None:
    """Make an edit, a deletion, a force push, a new pull request and a new name."""
    history.parts["pulls/2/comments"][0] |= {"body": "Rename it, please.", "updated_at": T(11)}
    del history.parts["pulls/2/comments"][1]
    history.force_push(2, "head 2", "later 2", at=T(11))
    history.touch(2, T(11))
    history.pull(4, at=T(12))
    history.remark(4, 61, "Why?", at=T(12))
    history.old_names.add(history.name)
    history.name = "acme/totals"


@pytest.fixture
def history(monkeypatch: pytest.MonkeyPatch) -> Iterator[MadeHistory]:
    """Return the first state of a repository."""
    monkeypatch.setenv("GITHUB_TOKEN", TOKEN)
    made = MadeHistory()
    with serving_history(made):
        fill(made)
        yield made


def test_the_first_fetch(history: MadeHistory, tmp_path: Path) -> None:
    """Each point of a fetch into an empty folder."""
    whole = fetch(history, tmp_path / "whole")
    requests = len(history.log)
    points = list(killed_everywhere(history, None, tmp_path / "killed"))

    assert len(points) == len(range(0, requests, STEP)) > 7
    assert [each.point for each in points if each.found != whole] == []
    assert [each.twice for each in points if each.twice] == []


def test_a_later_fetch(history: MadeHistory, tmp_path: Path) -> None:
    """Each point of a fetch that finds edits, deletions, a force push and a new name."""
    start = tmp_path / "start"
    fetch(history, start)
    change(history)
    whole_place = shutil.copytree(start, tmp_path / "whole")
    history.log.clear()
    whole = fetch(history, whole_place)
    requests = len(history.log)
    points = list(killed_everywhere(history, start, tmp_path / "killed", first=1))

    assert len(points) == len(range(STEP - 1, requests, STEP)) > 12
    assert [each.point for each in points if each.found != whole] == []
    assert [each.twice for each in points if each.twice] == []


def test_killed_at_every_second_request(history: MadeHistory, tmp_path: Path) -> None:
    """A fetch that gets one reply per run ends after that number of runs."""
    whole = fetch(history, tmp_path / "whole")
    history.log.clear()
    runs = 0
    with fetches(history) as killed:
        while killed.run(tmp_path / "killed", kill_at=3) != 0:
            runs += 1

    assert runs > 5
    assert fetch(history, tmp_path / "killed", offline=True) == whole
