"""Options behind the place of a source: `FILE,repo=owner/name,licence=MIT`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from benchwright.display.escape import escaped_name
from benchwright.errors import UsageError, nearest_hint
from benchwright.sources.licences import spdx_of_name

_REPO = re.compile(r"[\w.-]{1,100}(?:/[\w.-]{1,200})*")


class SourceOptions(NamedTuple):
    """The place of a source, and the values of its options."""

    place: str
    values: Mapping[str, list[str]]

    def get(self, name: str) -> str:
        """The value of an option; empty without one."""
        return next(iter(self.values.get(name, ())), "")

    def pairs(self, name: str) -> dict[str, str]:
        """The values `LEFT:RIGHT` of an option that may be repeated. Raises UsageError for another form."""
        found: dict[str, str] = {}
        for value in reversed(self.values.get(name, ())):
            left, colon, right = value.partition(":")
            if not (left and colon and right) or left in found:
                message = f"{name}={escaped_name(value, 80)}: expected LEFT:RIGHT, each LEFT once"
                raise UsageError(message, hint=f"{name}=body:text")
            found[left] = right
        return found


def source_options(
    rest: str, names: Sequence[str], *, example: str, repeated: Sequence[str] = ()
) -> SourceOptions:
    """Read `PLACE[,NAME=VALUE]…`. Raises UsageError for a missing place or a wrong option."""
    values: dict[str, list[str]] = {}
    place = rest
    while (cut := re.search(r",([a-z]+)=([^,]*)$", place)) is not None:
        name, value = cut[1], cut[2]
        if name not in (*names, *repeated):
            hint = nearest_hint(name, [*names, *repeated])
            raise UsageError(f"{escaped_name(cut[0], 80)}: unknown option", hint=hint)
        if name in values and name not in repeated:
            raise UsageError(f"{escaped_name(name)}= is given twice", hint=example)
        values.setdefault(name, []).append(_value(name, value))
        place = place[: cut.start()]
    if not place:
        raise UsageError("the source needs a place after its name", hint=example)
    return SourceOptions(place, values)


def _value(name: str, value: str) -> str:
    if name == "licence" and not (value := spdx_of_name(value)):
        raise UsageError("licence=: unknown licence", hint="an SPDX identifier: licence=Apache-2.0")
    if name == "repo" and not _REPO.fullmatch(value):
        raise UsageError(f"repo={escaped_name(value, 80)}: invalid name", hint="repo=owner/name")
    return value
