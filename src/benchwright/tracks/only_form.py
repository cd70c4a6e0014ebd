"""Tracks whose answers are judged in one form."""

from __future__ import annotations

from benchwright.errors import UsageError


def check_form(track: str, form: str, *, only: str) -> None:
    """Raise UsageError where a track, by its name, is asked for another form than its only one."""
    if form != only:
        raise UsageError(f"{track} has no form {form!r}", hint=f"its only form is: {only}")
