"""What a run tells whoever watches it: stages, and each answer as it ends."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # who starts fast watches too, and records cost a library
    from benchwright.records import Outcome


class Watcher(Protocol):
    """Told of progress. The terminal has one that draws; tests and libraries use `Silent`."""

    def begin(self, stage: str, total: int, done: int) -> None:
        """A stage starts: `total` answers, `done` of them known from an earlier run."""

    def tick(self, outcome: Outcome | None) -> None:
        """One more answer; its outcome where it was judged."""

    def status(self, text: str) -> None:
        """What there is to say of the stage beside its count, in place of what was said before."""

    def end(self) -> None:
        """The stage is over."""

    def note(self, text: str) -> None:
        """Something the user should read."""


@contextmanager
def stage(watch: Watcher, name: str, *, total: int, done: int) -> Iterator[None]:
    """A stage from its beginning to its end, however it ends: a bar left drawing would hide the cursor."""
    watch.begin(name, total, done)
    try:
        yield
    finally:
        watch.end()


class Silent:
    """Watches nothing."""

    def begin(self, stage: str, total: int, done: int) -> None:
        """Nothing."""

    def tick(self, outcome: Outcome | None) -> None:
        """Nothing."""

    def status(self, text: str) -> None:
        """Nothing."""

    def end(self) -> None:
        """Nothing."""

    def note(self, text: str) -> None:
        """Nothing."""
