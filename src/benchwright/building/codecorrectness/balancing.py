"""Stage 8, balance: as many rows that pass as rows that fail, in each language."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest

from benchwright.building.codecorrectness.nouns import Candidate
from benchwright.records import Drop
from benchwright.store.keys import content_key


def balance(candidates: Iterable[Candidate], *, max_rows: int | None) -> Iterator[Candidate | Drop]:
    """The rows of the data set in a fixed order, and the rest as drops.

    In each language, of tests from repositories and of tests by a model by themselves, the rarer label
    decides: so many rows of both are taken. A model's tests can be told by their style and fail more often,
    so over both together the style would give the label away. Natural failures come before mutated ones.
    Otherwise turns go round the repositories, and within one the content key decides, which has nothing to
    do with what a row holds. `max_rows` is shared out between the languages in turn.
    """
    rows = list(candidates)
    langs = sorted({row.lang for row in rows})
    queues = {lang: _by_author([row for row in rows if row.lang == lang]) for lang in langs}
    possible = sum(len(queue) for queue in queues.values())
    room = possible if max_rows is None else min(possible, max_rows // 2)
    taken: set[str] = set()
    turn = 0
    while room > 0:
        for lang in langs:
            if turn < len(queues[lang]) and room > 0:
                taken.update(row.revision for row in queues[lang][turn])
                room -= 1
        turn += 1
    paired = {row.revision for queue in queues.values() for two in queue for row in two}
    for row in sorted(rows, key=_place):
        if row.revision in taken:
            yield row
        elif row.revision in paired:
            yield Drop(unit=row.unit, reason="over_max_rows")
        else:
            detail = f"{row.label} in {row.lang}{', by a model' if row.written else ''}"
            yield Drop(unit=row.unit, reason="label_too_common", detail=detail)


def _place(row: Candidate) -> str:
    """A key of its own: rows are chosen by the lowest revisions, so that order would tell the labels."""
    return content_key("place", row.revision)


def _by_author(rows: Sequence[Candidate]) -> list[tuple[Candidate, Candidate]]:
    """The pairs of tests from repositories and of those by a model, in turn."""
    own = _pairs([row for row in rows if not row.written])
    written = _pairs([row for row in rows if row.written])
    return [two for turn in zip_longest(own, written) for two in turn if two is not None]


def _pairs(rows: Sequence[Candidate]) -> list[tuple[Candidate, Candidate]]:
    """Each passing row that is taken, with a failing one."""
    passing = _round_robin([row for row in rows if row.label == "success"])
    natural = _round_robin([row for row in rows if row.label == "failed" and row.subset != "mutated"])
    mutated = _round_robin([row for row in rows if row.label == "failed" and row.subset == "mutated"])
    return list(zip(passing, [*natural, *mutated], strict=False))


def _round_robin(rows: Sequence[Candidate]) -> list[Candidate]:
    """The repositories in turn, so that a large one does not fill the data set alone."""
    queues: dict[str, list[Candidate]] = {}
    for row in sorted(rows, key=lambda row: row.revision):
        queues.setdefault(row.repository, []).append(row)
    order = sorted(queues, key=content_key)
    longest = max(map(len, queues.values()), default=0)
    return [queues[name][turn] for turn in range(longest) for name in order if turn < len(queues[name])]
