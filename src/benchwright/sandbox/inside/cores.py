"""Which cores the process may use."""

from __future__ import annotations

import os
from contextlib import suppress


def hold_on_one_core() -> None:
    """This process and what it starts share the first core that it may use; so do others that ask for it."""
    with suppress(OSError):  # a kernel that lets nobody choose
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
