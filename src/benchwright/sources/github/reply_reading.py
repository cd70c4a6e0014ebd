"""Reads bodies of replies, limited in size and depth, each entry by itself; each fault is a named drop."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from benchwright.errors import DataError
from benchwright.sources.events import RepoEvent
from benchwright.sources.github.reply_conversion import ENTRIES, UnusableEntryError, status_event
from benchwright.sources.github.reply_pages import Drafting, RepliesPage, utc
from benchwright.sources.github.reply_shapes import StatusReply
from benchwright.store.strict_json import JsonOrigin, parse_value

MAX_DEPTH = 64  # GitHub's replies are at most 10 deep
MAX_ENTRIES = 10_000  # of one page; GitHub's have at most 250
_MEMBERS = {"checks": "check_runs", "statuses": "statuses"}  # replies whose entries are under a key


class UnreadableReplyError(Exception):
    """A body without a usable document; the text is the reason of its drop."""


def read_reply(body: bytes) -> Any:
    """The document of a body. Raises UnreadableReplyError."""
    try:
        return parse_value(body, JsonOrigin("reply", 1), max_depth=MAX_DEPTH, surrogates="replace")
    except DataError as error:
        reasons = {"nested deeper": "reply_too_deep", "appears twice": "reply_key_twice"}
        found = (reason for words, reason in reasons.items() if words in error.message)
        raise UnreadableReplyError(next(found, "reply_not_json")) from None


def read_page(kind: str, body: bytes, of: Drafting, *, unit: str) -> RepliesPage:
    """The page in a body. `kind` is a key of ENTRIES or "statuses"; `unit` names the page in drops."""
    try:
        return convert_page(kind, read_reply(body), of, unit=unit)
    except UnreadableReplyError as error:
        return RepliesPage(drops=[of.drop(unit, str(error))])


def convert_page(kind: str, document: Any, of: Drafting, *, unit: str) -> RepliesPage:
    """The page in a document. Raises UnreadableReplyError if it has no list of entries."""
    page = RepliesPage()
    entries = _entries(kind, document)
    for index, entry in enumerate(entries):
        try:
            page.events.extend(_convert(kind, entry, of, document))
        except UnusableEntryError as error:
            page.drops.append(of.drop(_entry_unit(unit, entry, index), str(error)))
        except msgspec.ValidationError:
            page.drops.append(of.drop(_entry_unit(unit, entry, index), "entry_wrong_type"))
        else:
            _note_edit(page, entry)
    return msgspec.structs.replace(page, entries=len(entries))


def _entries(kind: str, document: Any) -> list[Any]:
    if kind in _MEMBERS and isinstance(document, dict):
        document = document.get(_MEMBERS[kind])
    elif kind == "pull" and isinstance(document, dict):
        document = [document]
    if not isinstance(document, list):
        raise UnreadableReplyError("reply_wrong_type")
    if len(document) > MAX_ENTRIES:
        raise UnreadableReplyError("reply_too_long")
    return document


def _convert(kind: str, entry: Any, of: Drafting, document: Any) -> Iterator[RepoEvent]:
    if kind == "statuses":
        sha = document.get("sha")
        if not isinstance(sha, str):
            raise UnusableEntryError("entry_wrong_type")
        return status_event(msgspec.convert(entry, StatusReply), of, sha)
    shape, convert = ENTRIES[kind]
    return convert(msgspec.convert(entry, shape), of)


def _note_edit(page: RepliesPage, entry: Any) -> None:
    """Keep the time of the last change, which an event does not have."""
    if page.events and isinstance(entry, dict) and (at := utc_of(entry.get("updated_at"))):
        page.edited[page.events[-1].subject] = at


def utc_of(given: object) -> str:
    """The time in a field of any type; empty for anything else."""
    return utc(given) if isinstance(given, str) else ""


def _entry_unit(unit: str, entry: Any, index: int) -> str:
    """The name of an entry in drops: its id, or its place from 0."""
    native = entry.get("id") if isinstance(entry, dict) else None
    return f"{unit}:{native}" if isinstance(native, int) else f"{unit}:entry {index}"
