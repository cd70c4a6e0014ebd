"""Time as asking needs it, in one place, so that tests wait for nothing."""

from __future__ import annotations

import asyncio
import time


class AsyncClock:
    """The machine's own time."""

    def now(self) -> float:
        """Seconds since some moment; never goes back."""
        return time.monotonic()

    def date(self) -> float:
        """Seconds since 1970, for dates that a server sends."""
        return time.time()

    async def sleep(self, seconds: float) -> None:
        """Wait, while other requests go on."""
        await asyncio.sleep(seconds)
