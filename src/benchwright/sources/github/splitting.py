"""The entries of a page that cannot be decoded as a whole, cut apart without reading them.

One entry with half a surrogate pair, or nested 200,000 deep, makes the whole text invalid to a decoder. Only
strings and brackets are looked at here, so what an entry holds spoils that entry alone.
"""

from __future__ import annotations

import re

# A string, whole or broken off; a bracket; a comma. Possessive, so that no text takes long.
_MARK = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[\[\]{},]', re.DOTALL)
_COLON = re.compile(rb"\s*:\s*\[")
MAX_BYTES = 2 << 20  # twice what GitHub's largest pages have
_OPENS, _CLOSES = b"[{", b"]}"


def split_entries(body: bytes) -> tuple[bytes, list[bytes]] | None:
    """The document with an empty `items`, and the text of each entry.

    None where there is no such list, and for what is larger than any page.
    """
    start = _start(body) if len(body) <= MAX_BYTES else None
    if start is None:
        return None
    entries: list[bytes] = []
    depth, begun = 0, start
    for mark in _MARK.finditer(body, start):
        sign = mark[0]
        if depth == 0 and sign in (b",", b"]"):
            if entry := body[begun : mark.start()].strip():
                entries.append(entry)
            begun = mark.end()
            if sign == b"]":
                return body[:start] + body[mark.start() :], entries
        elif sign in _OPENS:
            depth += 1
        elif sign in _CLOSES:
            depth -= 1
    return None


def _start(body: bytes) -> int | None:
    """Where the list begins that the document's own `items` names: behind its bracket."""
    depth = 0
    for mark in _MARK.finditer(body):
        sign = mark[0]
        if sign == b'"items"' and depth == 1 and (opened := _COLON.match(body, mark.end())):
            return opened.end()
        depth += (sign in _OPENS) - (sign in _CLOSES)
    return None
