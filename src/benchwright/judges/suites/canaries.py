"""Two tests that the trusted side adds to each suite: one must pass and one must fail.

Whoever makes all tests pass makes the one pass that must fail; whoever makes the runner say nothing, or
the same of all, is missed at one of them. Names are drawn anew for each execution, so no text can hold them.
"""

from __future__ import annotations

import secrets
from string import ascii_lowercase

from benchwright.records import Record

_LETTERS = 14


class Canaries(Record, frozen=True, kw_only=True):
    """The names under which the runner reports the two tests."""

    passing: str
    failing: str


def random_word() -> str:
    """Return random lower-case letters, usable in an identifier of every language."""
    return "".join(secrets.choice(ascii_lowercase) for _ in range(_LETTERS))


def draw(form: str) -> Canaries:
    """Draw canaries whose names are `form` with its `{}` filled, in Java for example "FooTest#{}"."""
    return Canaries(passing=form.format(random_word()), failing=form.format(random_word()))
