"""The one guard around what is only a note in a report."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps


def only_a_note(*, most_chars: int) -> Callable[[Callable[[str], str]], Callable[[str], str]]:
    """Make a function from an answer's text to a note one that never raises and never takes long.

    A note decides nothing, so nothing may hang on it: a run that ends with a traceback while it looks for
    something worth mentioning has lost its verdicts to a remark, and would end there again each time it
    goes on. The text is hostile, and nobody can list what it may make a walk over it raise, so any failure
    is an empty note. Verdicts must never be computed in this guard: theirs have to be seen.

    The bound on cost is the length: a text of more than `most_chars` characters is not looked at, and what
    is guarded takes time in proportion to the text.
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
