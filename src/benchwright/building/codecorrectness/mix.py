"""Quotas of a data set: limits on kinds of failure, and on the rows of one repository."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from benchwright.building.codecorrectness.nouns import SUBSETS
from benchwright.errors import UsageError
from benchwright.records import Record

# In per cent of the failures. At most half, or "failed" would mean "of this kind". Broken rows are easy to
# recognise, so they are few.
MOST = {"original": 50, "generated": 50, "mutated": 50, "history": 50, "broken": 5}

UNTOUCHED = 2  # balanced pairs of mutants for each failing mutant paired with an unmodified file


class Mix(Record, frozen=True, kw_only=True):
    """Limits for a whole set. `failures` are maximum percentages of each kind."""

    failures: dict[str, int] = msgspec.field(default_factory=lambda: dict(MOST))
    strict: bool = False  # enforce limits and equal kinds, however many rows that leaves out
    uneven: bool = False  # also pair rows of two different kinds
    repository_share: float = 5.0  # per cent of the rows, if there are enough repositories
    file_rows: int = 10  # of one focal file, all its versions together


def read_mix(text: str) -> dict[str, int]:
    """The limits in "mutated=40,history=30", with the defaults for other kinds.

    Raises UsageError for an unknown kind, an invalid percentage, and limits that no set could satisfy.

    >>> read_mix("mutated=40")["mutated"]
    40
    """
    found = dict(MOST)
    for part in text.split(","):
        kind, _, most = (each.strip() for each in part.partition("="))
        if kind not in SUBSETS:
            raise UsageError(
                f"--mix {text}: {kind!r} is not a kind of row", hint=f"one of: {', '.join(SUBSETS)}"
            )
        if not (most.isascii() and most.isdigit() and len(most) <= 3 and int(most) <= 100):
            message = f"--mix {text}: {kind}: expected a whole percentage from 0 to 100, got {most!r}"
            raise UsageError(message, hint=f"--mix {kind}={MOST[kind]}")
        found[kind] = int(most)
    if sum(found.values()) < 100:
        message = f"--mix {text}: the limits add up to {sum(found.values())} % of the failures"
        raise UsageError(message, hint="raise a limit: together they must reach 100 %")
    return found


def over_bounds(failures: Mapping[str, int], mix: Mapping[str, int]) -> dict[str, float]:
    """The kinds that exceed their share of the failures, with their percentages."""
    total = sum(failures.values())
    shares = {kind: 100 * count / total for kind, count in sorted(failures.items())}
    return {kind: share for kind, share in shares.items() if share > mix[kind]}
