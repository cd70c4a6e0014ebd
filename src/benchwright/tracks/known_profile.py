"""Check of the name of a scoring profile, for all tracks."""

from __future__ import annotations

from collections.abc import Collection

from benchwright.errors import UsageError, nearest_hint


def known_profile(profile: str, known: Collection[str], *, track: str = "") -> str:
    """Return the profile's name if it is known. Raises UsageError with the nearest name, or all names.

    `track` is the name of the track in the message; empty if the profiles are those of several tracks.
    """
    if profile in known:
        return profile
    what = f"{track} has no scoring profile" if track else "unknown scoring profile"
    raise UsageError(f"{what} {profile!r}", hint=nearest_hint(profile, known))
