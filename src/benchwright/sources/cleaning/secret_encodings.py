"""Secrets inside encoded runs: base 64, with both alphabets of RFC 4648, and percent encoding.

A run is decoded if its first bytes are text. The decoded text is searched by the rules of every text, one
level deeper at most, and the whole run is replaced if it has a secret. Runs of more than `LONGEST`
characters are searched up to this length.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Callable, Iterable, Iterator
from urllib.parse import unquote

from benchwright.sources.cleaning.secret_values import is_placeholder, is_strong_password

Search = Callable[[str], Iterable[tuple[int, int, str]]]

SHORTEST, LONGEST = 16, 16_384  # characters of a run that is decoded
_BASE64 = re.compile(r"(?<![A-Za-z0-9+/_-])[+-]?[A-Za-z0-9/][A-Za-z0-9+/_-]{15,}={0,2}")
_PERCENT = re.compile(r"(?<![\w.~%+-])[\w.~+-]{0,400}(?:%[0-9A-Fa-f]{2}[\w.~+-]{0,400}){2,200}", re.ASCII)
_STANDARD = str.maketrans("-_", "+/")
_CONTROLS = bytes({*range(32), 127} - set(b"\t\n\r"))
HEAD = 16  # characters of a run that are decoded first
# RFC 7617, as in configurations of Docker. Keys of pages, such as `012:User34`, have no sign.
_USER = re.compile(r"[A-Za-z][\w.@+-]{0,100}:((?=\w{0,200}[^\w\s:])[^\s:]{6,200})\s?", re.ASCII)
# The lines that continue an encoded block, also in a diff.
_MORE = re.compile(
    r"(?:\r?\n[+ -]?[ \t]{0,40}[A-Za-z0-9+/]{40,76}(?=\s|$))*"
    r"(?:\r?\n[+ -]?[ \t]{0,40}[A-Za-z0-9+/]{2,75}={1,2})?"
)


def encoded_secrets(text: str, search: Search) -> Iterator[tuple[int, int, str]]:
    """The start, end and kind of each encoded run whose decoded text has a secret that `search` finds."""
    for match in _BASE64.finditer(text):
        start, end = match.span()
        if text[start] in "+-":  # of a diff
            start += 1
        decoded = _from_base64(text[start : min(end, start + LONGEST)])
        if kind := _user_kind(decoded) or _kind_within(decoded, search):
            yield start, _MORE.match(text, end).end(), kind  # type: ignore[union-attr]
    for match in _PERCENT.finditer(text) if "%" in text else ():
        if kind := _kind_within(unquote(match[0]), search):
            yield *match.span(), kind


def _user_kind(decoded: str) -> str:
    user = _USER.fullmatch(decoded)
    is_secret = user and not is_placeholder(user[1]) and is_strong_password(user[1])
    return "authorization" if is_secret else ""


def _kind_within(decoded: str, search: Search) -> str:
    """The kind of the first secret of a decoded text; empty if it has none."""
    return next((kind for _, _, kind in search(decoded)), "") if decoded else ""


def _from_base64(run: str) -> str:
    """The text that a run encodes; empty if it encodes none."""
    if not _is_text(_bytes(run[:HEAD])):
        return ""
    whole = _bytes(run)
    if whole[1::2].count(0) == len(whole) // 2:  # a command of PowerShell
        return whole.decode("utf-16-le", "replace")
    return whole.decode("utf-8", "ignore") if _is_text(whole) else ""


def _bytes(run: str) -> bytes:
    run = run.rstrip("=").translate(_STANDARD)
    return binascii.a2b_base64(run[: len(run) - (len(run) % 4 == 1)] + "==")


def _is_text(data: bytes) -> bool:
    """True for bytes without control characters; a sequence of UTF-8 may be cut off."""
    if data[1::2].count(0) == len(data) // 2:
        return b"\0" not in data[::2]
    if data.translate(None, _CONTROLS) != data:
        return False
    return data.isascii() or _is_utf8(data)


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return error.end == len(data) and len(data) - error.start < 4
    return True
