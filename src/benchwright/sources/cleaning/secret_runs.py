"""Runs of characters without white space that can contain a secret, and a memory of those that cannot.

Code repeats its names: of the runs of a patch, nine in ten are also in an earlier text. A secret with a fixed
beginning and a random value each lie within one run, so a text whose runs are all known to be harmless is not
searched again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

SHORTEST = 12  # characters of a run that can contain a secret
MAX_KNOWN = 40_000  # runs in the memory
MAX_LENGTH = 120  # characters of a run in the memory
_ENDS = "\"'`<>(),;"


def runs_of(text: str) -> set[str]:
    """The runs of a text that are long enough: between white space, quotes, brackets, commas and semicolons.

    >>> sorted(runs_of("token = 'abcdefghijkl', short"))
    ['abcdefghijkl']
    """
    for each in _ENDS:
        text = text.replace(each, " ")
    return {each for each in text.split() if len(each) >= SHORTEST}


class HarmlessRuns:
    """The runs in which a search finds nothing. `found` searches the runs of one text."""

    def __init__(self, found: Callable[[str], bool]) -> None:
        self._finds_secret = found
        self._known: set[str] = set()

    def covers(self, runs: Collection[str]) -> bool:
        """Whether nothing can be found in any of these runs."""
        new = self.others(runs)
        if not new:
            return True
        if self._finds_secret("\n".join(new)):
            harmless = [each for each in new if not self._finds_secret(each)]
            self._remember(harmless)
            return len(harmless) == len(new)
        self._remember(new)
        return True

    def others(self, runs: Iterable[str]) -> list[str]:
        """The runs that are not known to be harmless."""
        return [each for each in runs if each not in self._known]

    def _remember(self, runs: Collection[str]) -> None:
        if len(self._known) + len(runs) > MAX_KNOWN:
            self._known.clear()
        self._known.update(each for each in runs if len(each) <= MAX_LENGTH)
