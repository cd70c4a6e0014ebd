"""One session of Ray for all executors and process maps of a command: starting one takes seconds."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import partial

from benchwright.cluster.session import ClusterSession, open_session
from benchwright.executing.executors import shared


def shared_session(address: str, *, trusted: bool) -> AbstractContextManager[ClusterSession]:
    """Return the session at an address, empty for a private one, to be used in `with`."""
    return shared(("ray", address), partial(open_session, address or None, trust=trusted))
