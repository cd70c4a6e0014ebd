"""The cores that a process may use."""

from __future__ import annotations

import os
from contextlib import suppress


def hold_on_one_core() -> None:
    """Restrict this process and its children to the first core that it may use."""
    with suppress(OSError):  # the kernel may refuse
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
