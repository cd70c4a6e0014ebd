"""Shared parts of HTTP clients: replies, proxies, retry delays, and texts of errors."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Mapping
from email.utils import parsedate_to_datetime
from hashlib import sha256
from ipaddress import ip_address
from typing import Any, NamedTuple
from urllib.parse import urlsplit

MAX_WAIT_S = 300.0  # limit on a wait that a server asks for
REPORTED_WAIT_S = 5.0  # shorter waits are not reported
FIRST_WAIT_S, MAX_BACKOFF_S = 1.0, 60.0


class HttpReply(NamedTuple):
    """Reply of a server; header names are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class WaitingClock(NamedTuple):
    """Clock and sleep, which tests replace to avoid waiting."""

    now: Callable[[], float] = time.time
    sleep: Callable[[float], None] = time.sleep


def is_local(url: str) -> bool:
    """Return whether a URL points to this machine."""
    try:
        host = urlsplit(url).hostname or ""
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def client_options(url: str) -> dict[str, Any]:
    """Return options of an httpx client for a server. Loading certificates takes 30 ms."""
    import httpx  # noqa: PLC0415 (0.3 s, only needed by clients)

    return {
        "verify": httpx.create_ssl_context() if url.startswith("https:") else False,
        "trust_env": not is_local(url),  # a proxy of the environment cannot reach this machine
        "follow_redirects": False,  # a redirect would send the key elsewhere, and turn a POST into a GET
    }


def retry_after(headers: Mapping[str, str], *, date: float) -> float | None:
    """Return the delay in seconds that a server asks for; None without a valid header.

    Retry-After is a number of seconds or an HTTP date (RFC 9110, 10.2.3); OpenAI's servers also send
    `retry-after-ms`, in milliseconds.
    """
    wait = number_of_header(headers.get("retry-after-ms"), 1000) or number_of_header(
        headers.get("retry-after")
    )
    if wait is None and (given := headers.get("retry-after")):
        try:
            wait = parsedate_to_datetime(given).timestamp() - date
        except (ValueError, TypeError, OverflowError):
            return None
    return None if wait is None else max(wait, 0.0)


def number_of_header(text: str | None, parts: int = 1) -> float | None:
    """Parse a header as a finite number of at least 0, divided by `parts`; None if it is invalid."""
    try:
        value = float(text or "") / parts
    except ValueError:
        return None
    return value if math.isfinite(value) and value >= 0 else None


def backoff(key: str, attempt: int) -> float:
    """Return the delay in seconds after an attempt, counted from 0: doubled each time, up to a minute.

    Half of it depends on a hash of the request's key, which spreads requests that failed together. The delay
    is deterministic.
    """
    longest = min(MAX_BACKOFF_S, FIRST_WAIT_S * 2.0 ** min(attempt, 30))
    spread = int.from_bytes(sha256(f"{key} {attempt}".encode()).digest()[:4], "big") / 2**32
    return longest * (1 + spread) / 2


def connection_error_text(error: BaseException) -> str:
    """Return the reason of a connection error: the system's message, which several libraries wrap."""
    words = error_words(error)
    for _ in range(10):
        inner = error.exceptions[0] if isinstance(error, BaseExceptionGroup) else error.__cause__
        inner = inner or error.__context__
        if inner is None:
            break
        error = inner
    if isinstance(error, ConnectionError) and error.errno:
        return os.strerror(error.errno)
    return (isinstance(error, OSError) and error.strerror) or words


def error_words(error: BaseException) -> str:
    """Return the message of an error, or its type if it has none."""
    return str(error) or type(error).__name__
