"""What the HTTP clients of this package share: a reply, the rule for proxies, how long to wait, and words."""

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

MAX_WAIT_S = 300.0  # longer waits are not taken, whatever a server asks for
TOLD_S = 5.0  # a shorter wait is not noticed
FIRST_WAIT_S, MAX_BACKOFF_S = 1.0, 60.0


class HttpReply(NamedTuple):
    """What came back; header names in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class WaitingClock(NamedTuple):
    """Time, in one place, so that tests wait for nothing."""

    now: Callable[[], float] = time.time
    sleep: Callable[[float], None] = time.sleep


def is_local(url: str) -> bool:
    """Whether a URL is of this machine."""
    try:
        host = urlsplit(url).hostname or ""
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def client_options(url: str) -> dict[str, Any]:
    """How httpx is to reach a server; loading the certificates takes 30 ms."""
    import httpx  # noqa: PLC0415 (0.3 s, which nobody needs who only reads of waits)

    return {
        "verify": httpx.create_ssl_context() if url.startswith("https:") else False,
        "trust_env": not is_local(url),  # the environment's proxy: none can reach this machine
        "follow_redirects": False,  # a redirect takes the key elsewhere, and turns a POST into a GET
    }


def retry_after(headers: Mapping[str, str], *, date: float) -> float | None:
    """The wait that a server asks for, in seconds; None when it says nothing usable.

    Retry-After is a number of seconds or an HTTP date (RFC 9110, 10.2.3); `retry-after-ms` is what
    OpenAI's own servers send beside it, where a second is too coarse.
    """
    wait = number_in(headers.get("retry-after-ms"), 1000) or number_in(headers.get("retry-after"))
    if wait is None and (given := headers.get("retry-after")):
        try:
            wait = parsedate_to_datetime(given).timestamp() - date
        except (ValueError, TypeError, OverflowError):
            return None
    return None if wait is None else max(wait, 0.0)


def number_in(text: str | None, parts: int = 1) -> float | None:
    """The number in a header, in so many parts; None for what is none, or would be no time."""
    try:
        value = float(text or "") / parts
    except ValueError:
        return None
    return value if math.isfinite(value) and value >= 0 else None


def backoff(key: str, attempt: int) -> float:
    """Seconds to wait after the try with this number, from 0: doubling, up to a minute.

    Half of it is spread by a hash of the request's key, so that requests that failed together do not come
    again together, and the same run waits the same again: there is no chance in it.
    """
    longest = min(MAX_BACKOFF_S, FIRST_WAIT_S * 2.0 ** min(attempt, 30))
    spread = int.from_bytes(sha256(f"{key} {attempt}".encode()).digest()[:4], "big") / 2**32
    return longest * (1 + spread) / 2


def reason(error: BaseException) -> str:
    """Why there is no connection: the system's own word, which three libraries wrap in "there is none"."""
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
    """What an error says of itself."""
    return str(error) or type(error).__name__
