"""The lines that our Java programs read and write: fields between tabs, escaped as `Lines.java` does."""

from __future__ import annotations

import re

_ESCAPED = re.compile(r"\\u([0-9a-f]{4})")


def line(*fields: str) -> str:
    """Join fields to one line without its end."""
    return "\t".join(_UNFIT.sub(_escape, field) for field in fields)


def fields(text: str) -> list[str]:
    """Split a line into fields. Characters that are not valid text, such as a lone surrogate, become "?"."""
    return [_plain(field) for field in text.split("\t")]


def number(text: str) -> int:
    """Parse a count as our programs write it; -1 for anything else, of any length."""
    return int(text) if re.fullmatch("[0-9]{1,9}", text) else -1


_UNFIT = re.compile(r"[\x00-\x1f\x7f\\\x85\u2028\u2029]")


def _escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match.group()):04x}"


def _plain(field: str) -> str:
    text = _ESCAPED.sub(lambda match: chr(int(match.group(1), 16)), field)
    return text.encode("utf-8", "replace").decode()
