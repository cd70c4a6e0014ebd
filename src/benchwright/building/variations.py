"""How repeated executions of one suite differ, so that a result which hangs on chance shows itself."""

from __future__ import annotations

from benchwright.contracts import Variation

# Across the end of a year, a leap day and half a year back, where months and summer time differ. In seconds.
_SHIFTS = (0, 0, 183 * 86400, -183 * 86400, 400 * 86400 + 43200, 3600, 1461 * 86400)
# East, west, a half hour, and a zone whose summer is the other half of the year.
_ZONES = ("UTC", "America/New_York", "Asia/Kolkata", "Pacific/Auckland", "Europe/Moscow", "UTC", "Asia/Tokyo")


def variations(repeat: int) -> list[Variation]:
    """The first `repeat` variations; always the same, and the first of all changes nothing.

    The second moves only hash seed and order, so that the clock is not blamed for what they do.
    """
    return [_variation(number) for number in range(repeat)]


def _variation(number: int) -> Variation:
    if number == 0:
        return Variation()
    return Variation(
        number=number,
        hash_seed=number,
        order_seed=number,
        clock_shift_s=_SHIFTS[number % len(_SHIFTS)],
        timezone="UTC" if number == 1 else _ZONES[number % len(_ZONES)],
    )
