"""Stop strings, applied to a finished text: servers do it differently, or not at all."""

from __future__ import annotations

from collections.abc import Iterable


def cut_at_stop(text: str, stops: Iterable[str]) -> tuple[str, str]:
    """The text before the first stop string, and the tail from that string on; joined they are the text.

    The earliest place in the text decides, not the order of the stops: it is where a model that is
    watched token by token would have been stopped. An empty stop string stops nothing.

    Some servers end a generation at the right token and still send the stop string with the rest of its
    token, so the text is cut here whatever the server has said about stops.
    """
    places = (text.find(stop) for stop in stops if stop)
    first = min((place for place in places if place >= 0), default=len(text))
    return text[:first], text[first:]
