"""Escaping of outside text for a terminal, a message, a shell command or a table."""

from __future__ import annotations

import os
import re
import shlex
import unicodedata
from pathlib import Path

NAME_LIMIT = 80  # characters of a name that a message shows
_BLANK = " \t\u115f\u1160\u2800\u3164\uffa0"  # spaces, and letters that are drawn as nothing
_BRACKET = re.compile(r"(\\*)\[(?=([a-z#/@][^\[]*?\])?)")  # the second group is what rich takes for a tag


def escaped(text: str) -> str:
    """The text with control characters and lone surrogates escaped, except line ends."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() or char == "\n" else ascii(char)[1:-1] for char in text)


def escaped_start(text: str, limit: int) -> str:
    """The beginning of a text, escaped, at most `limit` characters.

    The text is cut first: the escapes of a hostile text of 16 MiB take more than a gigabyte.
    """
    return escaped(text[:limit])[:limit]


def escaped_code(value: object) -> str:
    """Like `escaped`, but with tabs, which indent code.

    Templates escape HTML; this is for characters that are legal in HTML but deceptive.
    """
    return "\t".join(map(escaped, str(value).split("\t")))


def escaped_name(text: str, limit: int = NAME_LIMIT) -> str:
    """A name on one line: control characters escaped, long text truncated."""
    cut = text if len(text) <= limit else text[: limit - 1] + "…"
    return cut if cut.isprintable() else ascii(cut)[1:-1]


def visible_name(value: object) -> str:
    """A name that is never blank: invisible characters are spelled out."""
    name = escaped_code(value)
    if all(char in _BLANK or unicodedata.category(char) == "Mn" for char in name):
        return f"(blank: {' '.join(f'U+{ord(char):04X}' for char in name[:8]) or 'empty'})"
    return name


def escaped_path(path: str | Path) -> str:
    """A path for a message, escaped if a terminal would interpret its bytes."""
    text = str(path)
    return text if text.isprintable() else ascii(text)[1:-1]


def quoted(path: str | Path) -> str:
    """A word for a shell command, quoted if necessary.

    Characters that must not reach a terminal are written in the `$'…'` form of bash and zsh, byte for
    byte.
    """
    text = str(path)
    if text.isprintable():
        return shlex.quote(text)
    plain = (
        chr(byte) if 32 <= byte < 127 and byte not in b"'\\" else f"\\x{byte:02x}" for byte in _bytes(text)
    )
    return f"$'{''.join(plain)}'"


def _bytes(text: str) -> bytes:
    try:
        return os.fsencode(text)
    except UnicodeEncodeError:  # half a surrogate pair: no file has this name
        return ascii(text)[1:-1].encode()


def markup(text: str) -> str:
    """Outside text as rich markup that shows it literally, brackets and control characters included.

    rich's own `escape` loses backslashes before a bracket and adds one at the end. Rich halves backslashes
    only before what looks like a tag, so trailing ones get an empty tag.
    """
    plain = escaped_code(text)
    rest = plain.rstrip("\\")
    ended = "" if rest == plain else "\\" * 2 * (len(plain) - len(rest)) + "[dim][/dim]"
    return _BRACKET.sub(lambda found: found[1] * (2 if found[2] else 1) + "\\[", rest) + ended


def markdown_cell(text: object) -> str:
    """Text on one line, without characters that Markdown or HTML interpret."""
    plain = " ".join("".join(char if char.isprintable() else "�" for char in str(text)).split())
    return "".join(f"\\{char}" if char in "\\|`*_[]<>~" else char for char in plain)


def spreadsheet_cell(text: str) -> str:
    """Text that a spreadsheet does not interpret as a formula."""
    plain = escaped_code(text)
    return f"'{plain}" if plain.startswith(("=", "+", "-", "@", "\t")) else plain
