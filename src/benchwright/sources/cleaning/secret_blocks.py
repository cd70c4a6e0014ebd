"""Secrets of several lines: private keys and Kubernetes secrets."""

from __future__ import annotations

import re
from collections.abc import Iterator

from benchwright.sources.cleaning.plain_words import word_cue

LONGEST_KEY = 20_000  # characters of a key block
_BEGIN, _END = "-----BEGIN ", "-----END"
_HEADER = re.compile(r"-----BEGIN ([A-Z0-9 ]{0,40})PRIVATE KEY(?: BLOCK)?-----")
_MATERIAL = re.compile(r"[A-Za-z0-9+/]{16}")
# A key that is cut off: lines of base 64, also as one line with `\\n`, in a diff or in quotes.
_LINES = re.compile(r"(?:(?:\\[rn]|[\r\n\"'])*[ \t+#*>\"'-]{0,12}[A-Za-z0-9+/=]{16,76}){1,400}")
_PUTTY = "PuTTY-User-Key-File-"
BLOCK_CUES = frozenset((word_cue(_BEGIN.lower()), _PUTTY.lower(), "cret", '"kty'))  # as in `kind: Secret`
_PUTTY_PART = re.compile(
    r"Private-Lines: \d{1,4}(?:\r?\n|\\n)((?:[+ -]?[A-Za-z0-9+/=]{1,76}(?:\r?\n|\\n)?){1,99})"
)


def block_secrets(text: str) -> Iterator[tuple[int, int, str]]:
    """The start, end and kind of each private key and each value of a Kubernetes secret."""
    at = text.find(_BEGIN)
    while at >= 0:
        end = at + len(_BEGIN)
        if match := _HEADER.match(text, at):
            end = _key_end(text, match.end())
            if end > match.end():
                yield match.end(), end, "private_key"
        at = text.find(_BEGIN, end)
    at = text.find(_PUTTY)
    if at >= 0:
        for match in _PUTTY_PART.finditer(text, at):
            yield *match.span(1), "private_key"
    yield from _kubernetes_secrets(text)
    yield from _web_keys(text)


_KEY_TYPE = '"kty'
_PRIVATE_MEMBER = re.compile(r"\"(?:d|k|p|q|dp|dq|qi)\\?\"\s{0,9}:\s{0,9}\\?\"([A-Za-z0-9_-]{16,2000})\\?\"")
_WEB_KEY = 4_000  # characters of a JSON Web Key before and after its type


def _web_keys(text: str) -> Iterator[tuple[int, int, str]]:
    """The private members of JSON Web Keys (RFC 7518)."""
    done, at = 0, text.find(_KEY_TYPE)
    while at >= 0:
        start = max(done, text.rfind("{", max(0, at - _WEB_KEY), at))
        end = text.find("}", at, at + _WEB_KEY)
        end = min(len(text), at + _WEB_KEY) if end < 0 else end
        for match in _PRIVATE_MEMBER.finditer(text, start, end):
            yield *match.span(1), "private_key"
        done, at = end, text.find(_KEY_TYPE, end)


def _key_end(text: str, start: int) -> int:
    """Where a key ends: at its footer, or with its lines of base 64; `start` if no key follows."""
    other = text.find(_BEGIN, start, start + LONGEST_KEY)
    footer = text.find(_END, start, other if other >= 0 else start + LONGEST_KEY)
    if footer >= 0:
        return footer if _MATERIAL.search(text, start, footer) else start
    match = _LINES.match(text, start, start + LONGEST_KEY)
    return match.end() if match else start


_KIND = re.compile(r"kind:[ \t]*[\"']?secret\b(?!\w)[\"']?", re.IGNORECASE)
_DATA = re.compile(
    r"^[+ -]?[ \t]+[\w.-]+:(?:[ \t]*[|>][+-]?\s+)?[ \t]*[\"']?([A-Za-z0-9+/]{10,}={0,3})[\"']?\s*$",
    re.MULTILINE,
)
_AROUND = 4_000  # characters of a Kubernetes document before and after its kind


def _kubernetes_secrets(text: str) -> Iterator[tuple[int, int, str]]:
    """The base 64 of Kubernetes secrets: under `data:` in the document of `kind: Secret`."""
    lower, done = text.lower(), 0
    if "nd:" not in lower or "cret" not in lower:  # of "kind: Secret"; ı, ſ and K match i, s and k
        return
    for match in _KIND.finditer(text):
        least, most = max(done, match.start() - _AROUND), match.end() + _AROUND
        start = max(least, text.rfind("\n---", least, match.start()) + 1)
        end = text.find("\n---", match.end(), most)
        end = min(len(text), most) if end < 0 else end
        if (data := text.find("data:", start, end)) >= 0:
            for value in _DATA.finditer(text, data, end):
                if len(value[1]) % 4 == 0 and not value[1].isalpha():
                    yield *value.span(1), "kubernetes"
        done = end
