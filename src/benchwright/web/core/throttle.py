"""Limits on password guesses: by account, against many machines, and by network address.

Attempts are counted in memory: a log in the database could be filled by anyone. A monotonic clock is used,
so changing the system time does not reset the limits.
"""

from __future__ import annotations

import ipaddress
import math
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import NamedTuple

KEPT = 10_000  # keys; the oldest are dropped first
LONGEST_KEY = 100  # characters of a key: anyone may send a name of a megabyte
FORGOTTEN_S = 3_600.0  # without an attempt


class Limit(NamedTuple):
    """Free attempts, then a wait of one second that doubles with each attempt, up to a maximum."""

    free: int
    longest_s: float


# The wait of an account is short, so nobody can lock its owner out. Many people may share an address.
ACCOUNT, ADDRESS = Limit(5, 60.0), Limit(40, 900.0)


class _Attempts(NamedTuple):
    times: int
    until: float
    last: float


class Throttle:
    """Counts attempts before they run, so simultaneous attempts cannot all pass."""

    def __init__(self, now_s: Callable[[], float] = time.monotonic) -> None:
        self._now_s = now_s
        self._tried: OrderedDict[tuple[str, str], _Attempts] = OrderedDict()

    def attempt(self, account: str, address: str) -> int:
        """Seconds to wait, without counting; or 0, and the attempt is counted and may run."""
        now = self._now_s()
        keys = list(self._keys(account, address))
        waits = [tried.until - now for key, _ in keys if (tried := self._known(key, now)) is not None]
        if (wait := max(waits, default=0.0)) > 0:
            return math.ceil(wait)
        for key, limit in keys:
            self._count(key, limit, now)
        return 0

    def succeeded(self, account: str, address: str) -> None:
        """The attempt was no guess: reset the account and give the attempt back to the address."""
        first, (second, _) = self._keys(account, address)
        self._tried.pop(first[0], None)
        if (tried := self._tried.get(second)) is not None:
            self._tried[second] = tried._replace(times=max(0, tried.times - 1), until=0.0)

    @staticmethod
    def _keys(account: str, address: str) -> Iterable[tuple[tuple[str, str], Limit]]:
        return ((("account", account[:LONGEST_KEY]), ACCOUNT), (("address", network_of(address)), ADDRESS))

    def _known(self, key: tuple[str, str], now: float) -> _Attempts | None:
        tried = self._tried.get(key)
        return None if tried is None or now - tried.last > FORGOTTEN_S else tried

    def _count(self, key: tuple[str, str], limit: Limit, now: float) -> None:
        tried = self._known(key, now)
        times = tried.times + 1 if tried else 1
        over = times - limit.free
        wait = min(limit.longest_s, 2.0 ** min(over, 30)) if over >= 0 else 0.0
        self._tried[key] = _Attempts(times, now + wait, now)
        self._tried.move_to_end(key)
        while len(self._tried) > KEPT:
            self._tried.popitem(last=False)


def network_of(address: str) -> str:
    """The network of an address. A customer has at least 2**64 IPv6 addresses, so those count as one."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address
    return str(ipaddress.ip_network((found, 64), strict=False)) if found.version == 6 else str(found)
