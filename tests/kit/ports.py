"""Ports of this machine that no other process gets while a test uses them."""

from __future__ import annotations

import fcntl
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import SystemRandom
from tempfile import gettempdir

_HANDED_OUT = Path("/proc/sys/net/ipv4/ip_local_port_range")


@contextmanager
def refusing_port() -> Iterator[int]:
    """Yield a port that refuses connections: it is bound, so no other process can listen there."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield bound.getsockname()[1]


def free_port() -> int:
    """Return a port for a server that is started later, by a command with the port; other servers choose port 0.

    The system assigns it to no process that does not ask for it, and this function returns it to no other
    process before this one ends.
    """
    least = int(_HANDED_OUT.read_text().split()[0])
    while True:
        port = SystemRandom().randrange(10_000, max(least, 11_000))
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        if _is_reserved(port):
            return port


def _is_reserved(port: int) -> bool:
    """Lock a file of the port's name until this process ends; False if another process holds it."""
    try:
        file = os.open(
            f"{gettempdir()}/benchwright-port-{port}", os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW, 0o600
        )
    except OSError:  # another user's file
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(file)
        return False
    return True
