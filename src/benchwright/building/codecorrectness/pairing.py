"""Pairs of rows that are taken or left together: one passes and one fails, as similar as possible.

Both rows of a pair have one language, one kind and one author, so none of these reveals the label. The
closest pairs have the same focal text: nothing in that text alone distinguishes them. Otherwise two texts are
bound together, one of passing and one of failing rows, and equally many rows of both are taken, so the
frequency of a text reveals nothing. Both texts come from one file, else from one repository, else from two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple, TypeVar

from benchwright.building.codecorrectness.mix import UNTOUCHED
from benchwright.building.codecorrectness.nouns import Candidate
from benchwright.store.keys import content_key

Names = tuple[str, ...]
T = TypeVar("T")
SAME_TEXT, SAME_FILE, SAME_REPOSITORY, ACROSS = range(4)
PARTNERS = ("mutated", "history", "generated", "original")  # partners of broken rows, changed texts first


class LabelPair(NamedTuple):
    """A row that passes and one that fails. `bond` is their distance, 0 for the closest."""

    success: Candidate
    failed: Candidate
    bond: int

    @property
    def kind(self) -> str:
        """The kind of the failed row, which the quotas count."""
        return self.failed.subset


def file_of(row: Candidate) -> tuple[str, str]:
    """The focal file of a row."""
    return row.repository, row.focal_path


def even_pairs(rows: Iterable[Candidate]) -> tuple[list[LabelPair], list[Candidate]]:
    """Pairs within each kind of one language and author, and the rows without a partner.

    Broken rows only fail, so each gets a remaining passing row.
    """
    kinds = _grouped(rows, lambda row: (row.subset,))
    broken = kinds.pop(("broken",), [])
    pairs = [pair for mine in kinds.values() for pair in _paired(mine)]
    left = without(rows, pairs)
    if broken:
        pairs += _paired([*broken, *_partners(left)])
    return pairs, without(left, pairs)


def untouched_pairs(rows: Sequence[Candidate]) -> list[LabelPair]:
    """Passing originals, each with a failing mutant of its own file: one pair for each text.

    They use at most a third of the failing mutants, first those whose row has no passing mutant. The others
    pair with passing mutants; otherwise "changed" would mean "fails".
    """
    originals = [row for row in rows if (row.subset, row.label) == ("original", "success")]
    failing = [row for row in rows if (row.subset, row.label) == ("mutated", "failed")]
    survived = {row.parent for row in rows if (row.subset, row.label) == ("mutated", "success")}
    pairs = [pair for pair in _paired([*originals, *failing]) if pair.bond <= SAME_FILE]
    pairs.sort(key=lambda pair: (pair.failed.parent in survived, _key((pair.failed.revision,))))
    return pairs[: len(failing) // (UNTOUCHED + 1)]


def uneven_pairs(rows: Iterable[Candidate]) -> list[LabelPair]:
    """Pairs of two different kinds, such as a passing original with a failing mutant."""
    return _paired(rows)


def in_turn(pairs: Iterable[LabelPair]) -> list[LabelPair]:
    """Repositories in turn, so that a large one does not fill the set alone; within each, its files in
    turn.
    """
    by_repository = _grouped(pairs, lambda pair: _repository(pair.failed))
    return _dealt([_by_file(by_repository[name]) for name in sorted(by_repository, key=_key)])


def _by_file(pairs: Sequence[LabelPair]) -> list[LabelPair]:
    """The pairs of each file, closest first."""
    files = _grouped(sorted(pairs, key=_closest), lambda pair: file_of(pair.failed))
    return _dealt([files[name] for name in sorted(files, key=_key)])


def _closest(pair: LabelPair) -> tuple[int, str, str]:
    return pair.bond, pair.failed.revision, pair.success.revision


def _dealt(queues: Sequence[Sequence[T]]) -> list[T]:
    return [each for turn in zip_longest(*queues) for each in turn if each is not None]


def _key(name: Names) -> str:
    return content_key(*name)


def _grouped(items: Iterable[T], key: Callable[[T], Names]) -> dict[Names, list[T]]:
    found: dict[Names, list[T]] = {}
    for item in items:
        found.setdefault(key(item), []).append(item)
    return dict(sorted(found.items()))


def without(rows: Iterable[Candidate], pairs: Iterable[LabelPair]) -> list[Candidate]:
    """The rows that are in none of the pairs."""
    used = {row.revision for pair in pairs for row in pair[:2]}
    return [row for row in rows if row.revision not in used]


def _partners(left: Sequence[Candidate]) -> list[Candidate]:
    """Passing rows for broken ones, all of the first kind that has any in the file."""
    passing = [row for row in left if row.label == "success" and row.subset in PARTNERS]
    found = []
    for mine in _grouped(passing, file_of).values():
        best = min(PARTNERS.index(row.subset) for row in mine)
        found += [row for row in mine if PARTNERS.index(row.subset) == best]
    return found


def _paired(rows: Iterable[Candidate]) -> list[LabelPair]:
    """Pairs of the same text first, then of the closest texts."""
    ordered = sorted(rows, key=lambda row: row.revision)
    pairs: list[LabelPair] = []
    left: list[list[Candidate]] = []  # rows of texts with one label only
    for mine in _grouped(ordered, lambda row: (*file_of(row), row.focal_code)).values():
        same = list(_zipped(mine, SAME_TEXT))
        pairs += same
        left += [] if same else [mine]
    for bond, near in enumerate((file_of, _repository, _lang), SAME_FILE):
        bound, left = _bound(left, near, bond)
        pairs += bound
    return pairs


def _repository(row: Candidate) -> Names:
    return (row.repository,)


def _lang(row: Candidate) -> Names:
    return (row.lang,)


def _bound(
    texts: Iterable[list[Candidate]], near: Callable[[Candidate], Names], bond: int
) -> tuple[list[LabelPair], list[list[Candidate]]]:
    """Bind each text to one of the other label in its group, those with most rows first; and the rest."""
    pairs: list[LabelPair] = []
    left: list[list[Candidate]] = []
    for group in _grouped(texts, lambda mine: near(mine[0])).values():
        group.sort(key=lambda mine: (-len(mine), mine[0].revision))
        passing = [mine for mine in group if mine[0].label == "success"]
        failing = [mine for mine in group if mine[0].label == "failed"]
        both = min(len(passing), len(failing))
        for one, other in zip(passing[:both], failing[:both], strict=True):
            pairs += _zipped([*one, *other], bond)
        left += [*passing[both:], *failing[both:]]
    return pairs, left


def _zipped(rows: Sequence[Candidate], bond: int) -> Iterator[LabelPair]:
    passing = (row for row in rows if row.label == "success")
    failing = (row for row in rows if row.label == "failed")
    return (LabelPair(one, other, bond) for one, other in zip(passing, failing, strict=False))
