"""Where a build's records come from: sources opened by name, and all of them read as one."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

from benchwright.contracts import Inventory, Licensed, Source
from benchwright.registry import find, names

C = TypeVar("C", bound=Licensed)
_NAMED = re.compile(r"([A-Za-z][A-Za-z0-9_.-]*):(?!//)(.*)", re.DOTALL)


def source_named(text: str, *, licences: Collection[str]) -> Source[Any] | None:
    """The source that `name:rest` names; None for what is a path or an address, or names none."""
    match = _NAMED.fullmatch(text)
    if match is None or os.path.lexists(text) or match[1] not in names("source"):
        return None
    source: Source[Any] = find("source", match[1])(match[2], licences=licences)
    return source


def inventory(sources: Iterable[Source[C]], folder: Path, tell: Callable[[str], None]) -> Inventory[C]:
    """What all sources have found, in their order."""
    found = [source.collect(folder, tell) for source in sources]
    return Inventory(
        total=sum(each.total for each in found),
        items=chain.from_iterable(each.items for each in found),
        notes=[note for each in found for note in each.notes],
    )
