"""A judge's pace, the remaining time, and when to suggest a break."""

from __future__ import annotations

from typing import NamedTuple

REST_MS = 5 * 60_000  # a gap that ends a stretch of work
BREAK_MS = 45 * 60_000  # of work without a gap, then a break is suggested
ENOUGH = 3  # decisions before a pace is shown


class Seat(NamedTuple):
    """A judge's progress in a project, as stored in `tables.StationSeat`."""

    decided: int = 0
    paced: int = 0
    worked: int = 0
    sat_at: int = 0
    last_at: int = 0
    to_go: int = 0

    def after(self, begun: int, now: int) -> Seat:
        """The progress after one more decision, on an item shown at `begun`."""
        if 0 <= now - self.last_at < REST_MS and self.last_at:
            sat_at, worked = self.sat_at, now - self.last_at
        else:  # a page left open is not work
            worked = min(max(now - begun, 0), REST_MS)
            sat_at = now - worked
        return Seat(self.decided + 1, self.paced + 1, self.worked + worked, sat_at, now, self.to_go - 1)

    @property
    def seconds(self) -> float | None:
        """Seconds per decision; None after too few decisions."""
        return self.worked / 1_000 / self.paced if self.paced >= ENOUGH else None

    def time_for(self, items: int) -> str:
        """Text for the time that this many items will take; empty while the pace is unknown."""
        if self.seconds is None or not items:
            return ""
        total, each = items * self.seconds, round(self.seconds)
        minutes = f"about {round(total / 60):,} min" if total >= 60 else "less than 1 min"
        return f"{minutes} at {f'{each} s' if each else 'less than 1 s'} each"

    def is_tired(self, now: int) -> bool:
        """Whether to suggest a break."""
        return 0 <= now - self.last_at < REST_MS and now - self.sat_at >= BREAK_MS
