"""Text from outside made safe to look at: in a terminal, a message, a command to paste, a table."""

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
    """The text with control characters and lone surrogates escaped, all but line ends."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() or char == "\n" else ascii(char)[1:-1] for char in text)


def escaped_start(text: str, limit: int) -> str:
    """The first characters of a text, escaped, at most `limit` of them in all.

    Cut first: the escapes of a text of 16 MiB that somebody else chose take more than a gigabyte.
    """
    return escaped(text[:limit])[:limit]


def escaped_code(value: object) -> str:
    """The same, with tabs left as they are: code is indented with those.

    HTML-escaping is a template's work: this is for what would be legal HTML and still deceive.
    """
    return "\t".join(map(escaped, str(value).split("\t")))


def escaped_name(text: str, limit: int = NAME_LIMIT) -> str:
    """A name on one line: control characters escaped, long text cut."""
    cut = text if len(text) <= limit else text[: limit - 1] + "…"
    return cut if cut.isprintable() else ascii(cut)[1:-1]


def visible_name(value: object) -> str:
    """A name that is never blank: one that cannot be seen is spelled out."""
    name = escaped_code(value)
    if all(char in _BLANK or unicodedata.category(char) == "Mn" for char in name):
        return f"(blank: {' '.join(f'U+{ord(char):04X}' for char in name[:8]) or 'empty'})"
    return name


def escaped_path(path: str | Path) -> str:
    """A path for a message: as it is, or escaped when it holds bytes that a terminal would act on."""
    text = str(path)
    return text if text.isprintable() else ascii(text)[1:-1]


def quoted(path: str | Path) -> str:
    """A path, or another word, as a command to paste has it: in quotes where a shell would act on it.

    What no terminal should be sent is written in the `$'…'` form of bash and zsh, byte for byte.
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
    """Text from outside as rich's markup that shows it: neither its brackets nor its control characters act.

    Not rich's own `escape`: that one loses backslashes before a bracket and adds one at the end. Rich halves
    backslashes only before what looks like a tag, so those at the end get a tag that does nothing.
    """
    plain = escaped_code(text)
    rest = plain.rstrip("\\")
    ended = "" if rest == plain else "\\" * 2 * (len(plain) - len(rest)) + "[dim][/dim]"
    return _BRACKET.sub(lambda found: found[1] * (2 if found[2] else 1) + "\\[", rest) + ended


def markdown_cell(text: object) -> str:
    """Text on one line, without what Markdown or HTML would act on."""
    plain = " ".join("".join(char if char.isprintable() else "�" for char in str(text)).split())
    return "".join(f"\\{char}" if char in "\\|`*_[]<>~" else char for char in plain)


def spreadsheet_cell(text: str) -> str:
    """Text that no spreadsheet takes for a formula."""
    plain = escaped_code(text)
    return f"'{plain}" if plain.startswith(("=", "+", "-", "@", "\t")) else plain
