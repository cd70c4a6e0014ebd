"""A stage tells its watcher when it begins and when it ends, however it ends."""

from __future__ import annotations

import pytest

from benchwright.progress import Silent, Watcher, stage
from benchwright.records import Outcome


class Notes(Silent):
    """Remembers what it was told."""

    def __init__(self) -> None:
        self.told: list[tuple[object, ...]] = []

    def begin(self, stage: str, total: int, done: int) -> None:
        self.told.append(("begin", stage, total, done))

    def tick(self, outcome: Outcome | None) -> None:
        self.told.append(("tick", outcome))

    def end(self) -> None:
        self.told.append(("end",))


def test_a_stage_is_framed() -> None:
    """Begin, what happens inside, end."""
    notes = Notes()
    with stage(notes, "answers", total=3, done=1):
        notes.tick(None)

    assert notes.told == [("begin", "answers", 3, 1), ("tick", None), ("end",)]


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError])
def test_a_stage_ends_when_it_is_broken_off(error: type[BaseException]) -> None:
    """A progress bar is stopped on Ctrl-C too; else the terminal's cursor would stay hidden."""
    notes = Notes()
    with pytest.raises(error), stage(notes, "answers", total=3, done=1):
        raise error

    assert notes.told[-1] == ("end",)


def test_a_silent_watcher_takes_everything() -> None:
    """It can be told all that a watcher is told."""
    watcher: Watcher = Silent()
    with stage(watcher, "answers", total=1, done=0):
        watcher.tick(Outcome.passed)
        said = watcher.note("a word")

    assert said is None
