"""Call the webhooks of spaces when a submission is judged.

An owner of a space chooses the address, so it is untrusted: only https to public addresses, no redirects,
and the connection goes to the address that was checked. A call as a whole has a time limit, and the body of
the reply is not read. The call has no figures and no secrets: the receiver reads the state with a token.
"""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import socket
from collections.abc import Callable
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from sqlalchemy import Executable, select, update
from sqlalchemy.orm import Session

from benchwright.display.escape import escaped_name
from benchwright.errors import UsageError
from benchwright.http_client import client_options
from benchwright.web.core.database import Database
from benchwright.web.submissions.tables import CLAIMED, SpaceSettings, Submission

TIMEOUT_S = 10.0  # of a call as a whole
LONGEST = 500  # characters of an address
LOG = logging.getLogger("benchwright.web")
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")  # RFC 6052: the last 32 bits are an IPv4 address
Resolver = Callable[[str, int], list[str]]


def check_webhook(url: str) -> None:
    """Raise UsageError for an address that may not be called; an empty one is none."""
    if not url:
        return
    try:
        parts = urlsplit(url)
        usable = parts.scheme == "https" and bool(parts.hostname) and (parts.port or 443) > 0
    except ValueError:
        usable = False
    is_plain = url.isascii() and url.isprintable() and " " not in url
    if not usable or len(url) > LONGEST or not is_plain or parts.username is not None:
        raise UsageError(
            "the webhook must be an https address in ASCII without a user name",
            hint="https://ci.example.org/hook",
        )


def resolve(host: str, port: int) -> list[str]:
    """The addresses of a host. Raises OSError, also for a name with an invalid label."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except UnicodeError as error:  # an empty label, or one of more than 63 characters
        raise OSError(f"{escaped_name(host)} is not a host name") from error
    return [str(each[4][0]) for each in found]


def public_address(host: str, port: int, resolver: Resolver = resolve) -> str:
    """An address of the host. Raises UsageError if any of its addresses is not public."""
    found = resolver(host, port)
    if not found or not all(_is_public(ipaddress.ip_address(each)) for each in found):
        message = f"{escaped_name(host)} is not a public host"
        raise UsageError(message, hint="use a host whose addresses are all public")
    return found[0]


def _is_public(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    """Whether the address, and an IPv4 address inside it, leads to a public machine."""
    if isinstance(address, ipaddress.IPv4Address):
        return address.is_global and not address.is_multicast
    inner = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
    if address in _NAT64:
        inner.append(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
    known = [each for each in inner if each is not None]
    return address.is_global and not address.is_multicast and all(map(_is_public, known))


def call_webhook(url: str, document: dict[str, Any], *, resolver: Resolver = resolve) -> int:
    """Send a document; return the status. Raises UsageError, OSError or an error of httpx."""
    check_webhook(url)
    parts = urlsplit(url)
    host, port = str(parts.hostname), parts.port or 443
    address = public_address(host, port, resolver)
    host_part = f"[{address}]" if ":" in address else address
    pinned = parts._replace(netloc=f"{host_part}:{port}").geturl()
    return asyncio.run(_send(pinned, parts.netloc, host, document))


async def _send(url: str, netloc: str, host: str, document: dict[str, Any]) -> int:
    import httpx  # noqa: PLC0415 (0.3 s, only where a space has a webhook)

    options = client_options(url) | {"trust_env": False}
    async with asyncio.timeout(TIMEOUT_S), httpx.AsyncClient(timeout=TIMEOUT_S, **options) as client:
        headers, extensions = {"host": netloc}, {"sni_hostname": host}
        async with client.stream(
            "POST", url, json=document, headers=headers, extensions=extensions
        ) as response:
            return response.status_code


def call_webhooks(database: Database, now: int) -> None:
    """Call the webhook of each judged submission once. A failed call is logged and not repeated."""
    waiting = (
        select(Submission.id, Submission.project_id, Submission.state, SpaceSettings.webhook)
        .join(SpaceSettings, SpaceSettings.project_id == Submission.project_id)
        .where(Submission.state != CLAIMED, Submission.told_ms.is_(None), SpaceSettings.webhook != "")
    )
    for submission_id, space, state, url in database.read_now(lambda session: session.execute(waiting).all()):
        statement = update(Submission).where(Submission.id == submission_id, Submission.told_ms.is_(None))
        if database.write_now(partial(_first, statement.values(told_ms=now).returning(Submission.id))):
            _call(url, {"submission": submission_id, "space": space, "state": state})


def _first(step: Executable, session: Session) -> bool:
    return session.execute(step).first() is not None


def _call(url: str, document: dict[str, Any]) -> None:
    import httpx  # noqa: PLC0415 (as above)

    try:
        call_webhook(url, document)
    except (UsageError, OSError, httpx.HTTPError, httpx.InvalidURL) as error:
        LOG.warning("the webhook of space %s failed: %s", document["space"], type(error).__name__)
