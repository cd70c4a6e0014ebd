"""What run folders are called when nobody says."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import Any

from benchwright.store.identity import without_rules
from benchwright.store.keys import content_key

_PLAIN = "._-"
_CHARACTERS, _BYTES = 40, 120  # of a name's middle: a file system takes 255 bytes in all


def short_key(identity: Mapping[str, Any]) -> str:
    """Eight hex digits for a run; the same whichever version of the rules judges it."""
    return content_key(without_rules(identity))[:8]


def folder_name(track: str, spec: str, identity: Mapping[str, Any]) -> str:
    """The name of a run folder: letters and digits of any script, and what no shell acts on."""
    return f"{track}-{_plain(spec.rsplit('/', maxsplit=1)[-1])}-{short_key(identity)}"


def _plain(text: str) -> str:
    """The text with `-` for what is no letter, digit or mark of one, cut to what a file name can hold."""
    letters = "".join(each if _is_plain(each) else " " for each in unicodedata.normalize("NFC", text))
    name = "-".join(letters.split()).strip("-.")[:_CHARACTERS]
    return name.encode()[:_BYTES].decode(errors="ignore")


def _is_plain(character: str) -> bool:
    return character.isalnum() or character in _PLAIN or unicodedata.category(character).startswith("M")
