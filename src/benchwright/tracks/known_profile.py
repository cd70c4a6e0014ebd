"""The scoring profile that was asked for, if there is such a one: one check for all tracks."""

from __future__ import annotations

from collections.abc import Collection

from benchwright.errors import UsageError


def known_profile(profile: str, known: Collection[str], *, track: str = "") -> str:
    """The profile's name. Raises UsageError with the nearest name, or all of them.

    `track` is whose profiles these are, where others have more.
    """
    if profile in known:
        return profile
    from difflib import get_close_matches  # noqa: PLC0415 (3 ms, only when needed)

    near = get_close_matches(profile, known, 1)
    hint = f"did you mean `{near[0]}`?" if near else f"one of: {', '.join(known)}"
    what = f"{track} has no scoring profile" if track else "no scoring profile is named"
    raise UsageError(f"{what} {profile!r}", hint=hint)
