"""Telling of waits: whoever looks at a run that stands still is told what it waits for, and how long."""

from __future__ import annotations

from benchwright.display.wording import duration
from benchwright.http_client import MAX_WAIT_S, TOLD_S
from benchwright.models.openai.clock import AsyncClock
from benchwright.models.openai.endpoint import Endpoint
from benchwright.models.openai.faults import Tell
from benchwright.models.openai.retry import Failed


class Waits:
    """Tells of each wait once, not for each of the requests that wait together."""

    def __init__(self, endpoint: Endpoint, *, clock: AsyncClock, tell: Tell) -> None:
        self._endpoint, self._clock, self._tell = endpoint, clock, tell
        self._until = float("-inf")  # the end of what has been told
        self._paced = False

    def after(self, failed: Failed, *, attempt: int, tries: int) -> None:
        """A request has failed and is sent again after `failed.wait_s`; `attempt` counts from 0."""
        wait_s = failed.wait_s or 0.0
        ends = self._clock.now() + wait_s
        if wait_s <= TOLD_S or ends <= self._until + TOLD_S:
            return
        self._until = ends
        why = f"{self._endpoint.base_url}: {self._endpoint.quoted(failed.text)}{_asked(failed)}"
        self._tell("wait", {"for_s": round(wait_s, 3), "why": why, "try": attempt + 2, "tries": tries})

    def between(self, gap_s: float) -> None:
        """Requests start so many seconds apart: told once, since it is the same all the time."""
        if gap_s > TOLD_S and not self._paced:
            self._paced = True
            why = "--per-minute lets one request start in this time, and so it goes on"
            self._tell("wait", {"for_s": round(gap_s, 3), "why": why})


def _asked(failed: Failed) -> str:
    """Who decided how long the wait is."""
    if failed.asked_s is None:
        return ""
    least = f", of which {duration(MAX_WAIT_S)} are waited" if failed.asked_s > MAX_WAIT_S else ""
    return f" (the server asks for {duration(failed.asked_s)}{least})"
