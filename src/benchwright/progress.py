"""Progress of a run: the interface of watchers, which receive stages and each finished answer."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # records need a library, and some commands start without it
    from benchwright.records import Outcome


class Watcher(Protocol):
    """Receives progress. The terminal has one that draws; tests and libraries use `Silent`."""

    def begin(self, stage: str, total: int, done: int) -> None:
        """Start a stage of `total` answers, `done` of them from an earlier run."""

    def tick(self, outcome: Outcome | None) -> None:
        """Count an answer, with its outcome if it was judged."""

    def status(self, text: str) -> None:
        """Replace the text next to the count of the stage."""

    def end(self) -> None:
        """End the stage."""

    def note(self, text: str) -> None:
        """Show a note to the user."""


@contextmanager
def stage(watch: Watcher, name: str, *, total: int, done: int) -> Iterator[None]:
    """Begin a stage and always end it: a bar that keeps drawing would hide the cursor."""
    watch.begin(name, total, done)
    try:
        yield
    finally:
        watch.end()


class Silent:
    """Null watcher."""

    def begin(self, stage: str, total: int, done: int) -> None:
        """Do nothing."""

    def tick(self, outcome: Outcome | None) -> None:
        """Do nothing."""

    def status(self, text: str) -> None:
        """Do nothing."""

    def end(self) -> None:
        """Do nothing."""

    def note(self, text: str) -> None:
        """Do nothing."""
