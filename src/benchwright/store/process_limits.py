"""Limits that a process sets for itself before it reads untrusted files."""

from __future__ import annotations

import resource


def lower(limit: int, value: int) -> int:
    """Lower the soft and hard limit of a resource to a value. Returns the limit in force.

    A lower limit that the user has set (`ulimit -v`) stays, because it cannot be raised.
    """
    hard = resource.getrlimit(limit)[1]
    most = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(limit, (most, most))
    return most
