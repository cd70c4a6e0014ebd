"""Which candidate repeats an earlier one, letter for letter or nearly."""

from __future__ import annotations

from functools import lru_cache

from benchwright.building.codecorrectness.nouns import Candidate
from benchwright.building.likeness import Shingles, bands, jaccard, shingles


class Duplicates:
    """Remembers candidates and knows their doubles.

    Tests of one focal file share most of their input, so a double needs both: tests alike and focal files
    alike. That finds copies of a file in two repositories, and a test pasted with one number changed.
    """

    def __init__(self, likeness: float) -> None:
        self._likeness = likeness
        self._exact: dict[str, str] = {}
        self._bands: dict[tuple[str, int, tuple[int, ...]], list[int]] = {}
        self._kept: list[tuple[Candidate, Shingles]] = []

    def of(self, candidate: Candidate) -> tuple[str, str] | None:
        """("duplicate" or "near_duplicate", of which); None for a new one, which is remembered."""
        if candidate.revision in self._exact:
            return "duplicate", self._exact[candidate.revision]
        marks = shingles(candidate.test_code)
        places = [(candidate.lang, *band) for band in bands(marks)]
        for number in sorted({number for place in places for number in self._bands.get(place, ())}):
            other, others = self._kept[number]
            if jaccard(marks, others) >= self._likeness and self._like_focal(candidate, other):
                return "near_duplicate", other.unit
        self._remember(candidate, marks, places)
        return None

    def _remember(
        self, candidate: Candidate, marks: Shingles, places: list[tuple[str, int, tuple[int, ...]]]
    ) -> None:
        self._exact[candidate.revision] = candidate.unit
        for place in places:
            self._bands.setdefault(place, []).append(len(self._kept))
        self._kept.append((candidate, marks))

    def _like_focal(self, one: Candidate, other: Candidate) -> bool:
        if one.focal_code == other.focal_code:
            return True
        return jaccard(_focal(one.focal_code), _focal(other.focal_code)) >= self._likeness


@lru_cache(maxsize=64)
def _focal(code: str) -> Shingles:
    return shingles(code)
