"""The scoring profile that was asked for, if there is such a one: one check for all tracks."""

from __future__ import annotations

from collections.abc import Collection

from benchwright.errors import UsageError, nearest_hint


def known_profile(profile: str, known: Collection[str], *, track: str = "") -> str:
    """The profile's name. Raises UsageError with the nearest name, or all of them.

    `track` is whose profiles these are, where others have more.
    """
    if profile in known:
        return profile
    what = f"{track} has no scoring profile" if track else "no scoring profile is named"
    raise UsageError(f"{what} {profile!r}", hint=nearest_hint(profile, known))
