"""Ports of this machine that no other process gets while a test uses them."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import SystemRandom

_HANDED_OUT = Path("/proc/sys/net/ipv4/ip_local_port_range")


@contextmanager
def refusing_port() -> Iterator[int]:
    """A port that refuses connections: it is bound, so nobody else can listen there."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield bound.getsockname()[1]


def free_port() -> int:
    """A port for a server that is started later. The system gives it to nobody who does not ask for it."""
    least = int(_HANDED_OUT.read_text().split()[0])
    while True:
        port = SystemRandom().randrange(10_000, max(least, 11_000))
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port
