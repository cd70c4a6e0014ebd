"""What a run tells whoever watches it: stages, and each answer as it ends."""

from __future__ import annotations

from typing import Protocol

from benchwright.records import Outcome


class Watcher(Protocol):
    """Told of progress. The terminal has one that draws; tests and libraries use `Silent`."""

    def begin(self, stage: str, total: int, done: int) -> None:
        """A stage starts: `total` answers, `done` of them known from an earlier run."""

    def tick(self, outcome: Outcome | None) -> None:
        """One more answer; its outcome where it was judged."""

    def end(self) -> None:
        """The stage is over."""

    def note(self, text: str) -> None:
        """Something the user should read."""


class Silent:
    """Watches nothing."""

    def begin(self, stage: str, total: int, done: int) -> None:
        """Nothing."""

    def tick(self, outcome: Outcome | None) -> None:
        """Nothing."""

    def end(self) -> None:
        """Nothing."""

    def note(self, text: str) -> None:
        """Nothing."""
