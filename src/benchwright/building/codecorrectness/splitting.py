"""Selection of shots, the rows that are held back as examples, and of the prompt variant of each row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from benchwright.building.codecorrectness.nouns import Candidate, cluster_of
from benchwright.store.keys import content_key

# Related rows (of one file, one test, one text) are one family, which is held back as a whole or not at all:
# an example similar to a row would reveal its label.


class _RowFamily(NamedTuple):
    places: list[int]  # positions of its rows in the set
    lang: str
    repository: str
    success: int
    failed: int
    common: int  # failed rows of the most common kind in the set

    @property
    def lead(self) -> int:
        return self.success - self.failed


def held_back(rows: Sequence[Candidate], shots: int) -> set[int]:
    """The positions of the shots: at most a tenth of the rows, both labels equally, whole families only.

    The shots contain the same share of the most common kind of failure as the set, so that the rest of the
    set keeps its quotas. Then languages take turns, then repositories, small families first. There are fewer
    shots if no families fit: no test row shares a file, a test or a text with a shot.
    """
    room = min(shots, len(rows) // 10) // 2
    kinds = Counter(row.subset for row in rows if row.label == "failed")
    kind, count = max(kinds.items(), key=lambda each: (each[1], each[0]), default=("", 0))
    share = count / max(1, kinds.total())
    waiting = _families(rows, kind)
    held: list[_RowFamily] = []
    while (found := _next(waiting, held, room, share)) is not None:
        held += found
        waiting = [each for each in waiting if each not in found]
        room -= sum(each.success for each in found)
    return {at for family in held for at in family.places}


def _next(
    waiting: Sequence[_RowFamily], held: Sequence[_RowFamily], room: int, share: float
) -> tuple[_RowFamily, ...] | None:
    """A family with equal labels, or two that are equal together; `share` is that of the most common kind."""
    langs = Counter(each.lang for each in held)
    repositories = Counter(each.repository for each in held)

    def turn(families: tuple[_RowFamily, ...]) -> tuple[bool, int, int, int, int]:
        shown = [*held, *families]
        short = sum(each.common for each in shown) < share * sum(each.failed for each in shown)
        used = sum(repositories[each.repository] for each in families)
        size = sum(len(each.places) for each in families)
        return short, langs[families[0].lang], used, size, len(families)

    fitting = [each for each in _even(waiting) if 0 < sum(one.success for one in each) <= room]
    return min(fitting, key=turn, default=None)


def _even(waiting: Sequence[_RowFamily]) -> Iterator[tuple[_RowFamily, ...]]:
    """Each even family, and for each uneven one the first of its language that balances it."""
    partners: dict[tuple[str, int], _RowFamily] = {}
    for family in waiting:
        if family.lead < 0:
            partners.setdefault((family.lang, -family.lead), family)
    for family in waiting:
        if family.lead == 0:
            yield (family,)
        elif (other := partners.get((family.lang, family.lead))) is not None:
            yield family, other


def _families(rows: Sequence[Candidate], common: str) -> list[_RowFamily]:
    """Rows joined by anything they share, small families first, then by a neutral key."""
    first: dict[tuple[str, ...], int] = {}
    leaders = list(range(len(rows)))
    for at, row in enumerate(rows):
        for key in _shared(row):
            _join(leaders, at, first.setdefault(key, at))
    places: dict[int, list[int]] = {}
    for at in range(len(rows)):
        places.setdefault(_leader(leaders, at), []).append(at)
    found = [_family(rows, mine, common) for mine in places.values()]
    return sorted(found, key=lambda each: (len(each.places), content_key(rows[each.places[0]].revision)))


def _family(rows: Sequence[Candidate], places: list[int], common: str) -> _RowFamily:
    first, labels = rows[places[0]], Counter(rows[at].label for at in places)
    of_kind = sum(rows[at].label == "failed" and rows[at].subset == common for at in places)
    return _RowFamily(places, first.lang, first.repository, labels["success"], labels["failed"], of_kind)


def _shared(row: Candidate) -> Iterator[tuple[str, ...]]:
    """Everything that two rows may have in common; a file counts in either role."""
    yield "file", row.repository, row.focal_path
    yield "file", row.repository, row.test_path
    yield "test", cluster_of(row)
    yield "text", row.focal_code
    yield "text", row.test_code


def _leader(leaders: list[int], at: int) -> int:
    while leaders[at] != at:
        leaders[at] = leaders[leaders[at]]
        at = leaders[at]
    return at


def _join(leaders: list[int], one: int, other: int) -> None:
    """Join two families; the lower position leads, so the order of joining does not matter."""
    low, high = sorted((_leader(leaders, one), _leader(leaders, other)))
    leaders[high] = low


def wordings(rows: Sequence[Candidate], variants: int) -> list[int]:
    """The prompt variant of each row, from 1, dealt label by label along languages and repositories.

    So all variants have equally many rows, within one, and equally many of each label.
    """
    found = [0] * len(rows)
    for label in ("success", "failed"):
        mine = [at for at, row in enumerate(rows) if row.label == label]
        mine.sort(key=lambda at: (rows[at].lang, rows[at].repository, content_key(rows[at].revision)))
        for turn, at in enumerate(mine):
            found[at] = 1 + turn % variants
    return found
