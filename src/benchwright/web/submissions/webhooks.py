"""Call the webhooks of spaces when a submission is judged.

An owner of a space chooses the address, so it is untrusted: only https to public addresses, no redirects, and
the connection goes to the address that was checked. The body has no figures and no secrets: the receiver
reads the state with a token.
"""

from __future__ import annotations

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

TIMEOUT_S = 10.0
LONGEST = 500  # characters of an address
LOG = logging.getLogger("benchwright.web")
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
    if not usable or len(url) > LONGEST or not url.isprintable() or parts.username is not None:
        raise UsageError(
            "the webhook must be an https address without a name", hint="https://ci.example.org/hook"
        )


def resolve(host: str, port: int) -> list[str]:
    """The addresses of a host."""
    return [str(each[4][0]) for each in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]


def public_address(host: str, port: int, resolver: Resolver = resolve) -> str:
    """An address of the host. Raises UsageError if any of its addresses is not public."""
    found = resolver(host, port)
    if not found or not all(ipaddress.ip_address(each).is_global for each in found):
        raise UsageError(f"{escaped_name(host)} is not a public host")
    return found[0]


def call_webhook(url: str, document: dict[str, Any], *, resolver: Resolver = resolve) -> int:
    """Send a document; return the status. Raises UsageError, OSError or an error of httpx."""
    import httpx  # noqa: PLC0415 (0.3 s, only where a space has a webhook)

    check_webhook(url)
    parts = urlsplit(url)
    host, port = str(parts.hostname), parts.port or 443
    address = public_address(host, port, resolver)
    shown = f"[{address}]" if ":" in address else address
    pinned = parts._replace(netloc=f"{shown}:{port}").geturl()
    with httpx.Client(timeout=TIMEOUT_S, **client_options(url) | {"trust_env": False}) as client:
        request = client.build_request(
            "POST", pinned, json=document, headers={"host": parts.netloc}, extensions={"sni_hostname": host}
        )
        return client.send(request).status_code


def call_webhooks(database: Database, now: int) -> None:
    """Call the webhook of each judged submission once. A failed call is logged and not repeated."""
    waiting = (
        select(Submission.id, Submission.project_id, Submission.state, SpaceSettings.webhook)
        .join(SpaceSettings, SpaceSettings.project_id == Submission.project_id)
        .where(Submission.state != CLAIMED, Submission.told_ms.is_(None), SpaceSettings.webhook != "")
    )
    for submission_id, space, state, url in database.read_now(lambda session: session.execute(waiting).all()):
        taken = update(Submission).where(Submission.id == submission_id, Submission.told_ms.is_(None))
        if database.write_now(partial(_first, taken.values(told_ms=now).returning(Submission.id))):
            _call(url, {"submission": submission_id, "space": space, "state": state})


def _first(step: Executable, session: Session) -> bool:
    return session.execute(step).first() is not None


def _call(url: str, document: dict[str, Any]) -> None:
    import httpx  # noqa: PLC0415 (as above)

    try:
        call_webhook(url, document)
    except (UsageError, OSError, httpx.HTTPError) as error:
        LOG.warning("the webhook of space %s failed: %s", document["space"], type(error).__name__)
