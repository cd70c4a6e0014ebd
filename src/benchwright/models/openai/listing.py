"""The entry of a model in a server's list of models."""

from __future__ import annotations

import time
from typing import Any

import httpx
import msgspec

from benchwright.http_client import client_options
from benchwright.models.openai.endpoint import Endpoint
from benchwright.store.keys import canonical

MOST_BYTES = 4 << 20
TIMEOUT_S = 10.0  # for a part of the reply, and for all of it
_TIMES = ("created", "permission")  # some servers make them anew for each list


class _List(msgspec.Struct):
    data: list[dict[str, Any]] = []


def listed(endpoint: Endpoint, name: str) -> str:
    """Return the entry as canonical JSON; empty without a list or an entry.

    A failure to answer is not reported here, but by the questions themselves.
    """
    url = f"{endpoint.base_url}/models"
    try:
        with httpx.Client(timeout=TIMEOUT_S, **client_options(url)) as client:
            body = _read(client, url, endpoint)
        models = msgspec.json.decode(body, type=_List).data
    except (httpx.HTTPError, msgspec.DecodeError, RecursionError):
        return ""
    entry = next((each for each in models if each.get("id") == name), {})
    return (
        canonical({key: value for key, value in entry.items() if key not in _TIMES}).decode() if entry else ""
    )


def _read(client: httpx.Client, url: str, endpoint: Endpoint) -> bytes:
    """Return the body of a reply with status 200; empty for other statuses, large and slow replies."""
    body, until = bytearray(), time.monotonic() + TIMEOUT_S
    with client.stream("GET", url, headers=endpoint.headers()) as reply:
        if reply.status_code != httpx.codes.OK:
            return b""
        for part in reply.iter_raw():
            body += part
            if len(body) > MOST_BYTES or time.monotonic() > until:
                return b""
    return bytes(body)
