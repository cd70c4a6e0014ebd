"""A query to a hub, checked before anything is sent: `hub:task=text-classification,limit=200`."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlsplit

from benchwright.display.escape import escaped_name
from benchwright.errors import UsageError
from benchwright.http_client import is_local
from benchwright.records import Record

MAX_LIMIT = 100_000
SORTS = ("downloads", "likes", "created_at", "last_modified", "trending_score")
NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,95}(?:/[A-Za-z0-9_][\w.-]{0,95})?", re.ASCII)
_FORM = "hub:task=text-classification,limit=200 or hub:OWNER/NAME"
_WORDS = ("task", "library", "author", "search", "sort", "limit", "endpoint")


class HubQuery(Record, frozen=True, kw_only=True):
    """A listing with filters, or models by name. An empty field is no filter."""

    models: tuple[str, ...] = ()  # models by name; then nothing is listed
    task: str = ""
    library: str = ""
    author: str = ""
    search: str = ""
    sort: str = "downloads"
    limit: int = 200
    endpoint: str = ""  # empty: the library's own, which HF_ENDPOINT sets


def read_query(rest: str) -> HubQuery:
    """The query after `hub:`. Raises UsageError for an invalid one."""
    given: dict[str, Any] = {}
    models: list[str] = []
    for part in filter(None, (part.strip() for part in rest.split(","))):
        name, equals, value = part.partition("=")
        if not equals and is_name(part):
            models.append(part)
        elif name not in _WORDS or not value.strip():
            hint = f"{_FORM}; words: {', '.join(_WORDS)}"
            raise UsageError(f"hub:{escaped_name(part)}: expected a model name or WORD=VALUE", hint=hint)
        else:
            given[name] = value.strip()
    if models and set(given) - {"endpoint"}:
        raise UsageError("hub: give either model names or filters, not both", hint=_FORM)
    return _checked(HubQuery(models=tuple(dict.fromkeys(models)), **{**given, "limit": _limit(given)}))


def is_name(text: str) -> bool:
    """Whether a text is a model id, NAME or OWNER/NAME, which becomes part of addresses and folders."""
    return NAME.fullmatch(text) is not None and ".." not in text and "--" not in text


def _limit(given: dict[str, Any]) -> int:
    text = given.get("limit", "200")
    if not (text.isdecimal() and text.isascii() and 0 < int(text[:9]) <= MAX_LIMIT):
        raise UsageError(f"hub:limit={escaped_name(text)}: from 1 to {MAX_LIMIT:,}", hint=_FORM)
    return int(text)


def _checked(query: HubQuery) -> HubQuery:
    if query.sort not in SORTS:
        raise UsageError(
            f"hub:sort={escaped_name(query.sort)}: unknown order", hint=f"one of: {', '.join(SORTS)}"
        )
    if query.endpoint:
        check_endpoint(query.endpoint)
    return query


def check_endpoint(address: str) -> None:
    """Raise UsageError for an invalid hub address, or one that would send a token unencrypted."""
    try:
        parts = urlsplit(address)
        sound = bool(parts.hostname) and parts.port != 0 and "@" not in parts.netloc
    except ValueError:
        sound = False
    if not (sound and address.isascii() and address.isprintable() and not set(address) & set(" ?#\\")):
        hint = "endpoint=https://HOST"
        raise UsageError(f"{escaped_name(address, 200)}: invalid address of a hub", hint=hint)
    if parts.scheme != "https" and not (parts.scheme == "http" and is_local(address)):
        raise UsageError(f"{address}: not encrypted; use https", hint="endpoint=https://HOST")
