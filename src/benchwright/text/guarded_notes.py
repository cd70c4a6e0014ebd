"""Guard around functions that only produce notes for reports."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps


def guarded_note(*, most_chars: int) -> Callable[[Callable[[str], str]], Callable[[str], str]]:
    """Return a decorator for functions from an answer's text to a note: they never raise and never take long.

    A note decides nothing, so it must not end a run, which would fail again at each resume. The text is
    hostile and may raise any exception, so any failure gives an empty note. Never compute verdicts within
    this guard: their failures must be visible.

    The cost is limited by the length: texts with more than `most_chars` characters are ignored, and guarded
    functions take linear time.
    """

    def guard(note: Callable[[str], str]) -> Callable[[str], str]:
        @wraps(note)
        def guarded(text: str) -> str:
            if len(text) > most_chars:
                return ""
            try:
                return note(text)
            except Exception:  # noqa: BLE001 (see above)
                return ""

        return guarded

    return guard
