"""The lines of a remark, also of an old one that has only a hunk."""

from __future__ import annotations

from msgspec.structs import replace

from benchwright.sources.events import RemarkPlace
from benchwright.sources.github.diff_hunks import hunk_end


def complete_place(place: RemarkPlace) -> RemarkPlace:
    """Return the place with its lines.

    Old remarks on GitHub have no `line`: it is the last line of the hunk, which the platform cuts there, on
    the old side if that line was removed. A place without a hunk stays a remark about the whole file.
    """
    if place.first or place.last:
        first, last = place.first or place.last, place.last or place.first
        return replace(place, first=min(first, last), last=max(first, last))
    end = hunk_end(place.hunk)
    return replace(place, first=end.line, last=end.line, side=end.side) if end and end.line else place
