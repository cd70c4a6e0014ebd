"""Limits that a process sets for itself before it reads untrusted files."""

from __future__ import annotations

import resource


def lower(limit: int, value: int) -> int:
    """Set a limit of `resource`, soft and hard, to a value or to what is allowed at most; what it is now.

    Where a user has set a lower one (`ulimit -v`), asking for more would be refused.
    """
    hard = resource.getrlimit(limit)[1]
    most = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(limit, (most, most))
    return most
