"""Stage balance: a selection of rows in which no kind, author, repository or comparison predicts the label.

Rows are taken or left in pairs, one that passes and one that fails, as similar as possible.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import NamedTuple, TypeVar

from benchwright.building.codecorrectness.naive_baselines import VersionDistances, comparison_baselines
from benchwright.building.codecorrectness.quotas import UNTOUCHED, Quotas
from benchwright.building.codecorrectness.row_records import Candidate
from benchwright.records import Drop
from benchwright.store.keys import content_key

GroupKey = tuple[str, ...]
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


def _key(name: GroupKey) -> str:
    return content_key(*name)


def _grouped(items: Iterable[T], key: Callable[[T], GroupKey]) -> dict[GroupKey, list[T]]:
    found: dict[GroupKey, list[T]] = {}
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
        bound, left = _label_pairs(left, near, bond)
        pairs += bound
    return pairs


def _repository(row: Candidate) -> GroupKey:
    return (row.repository,)


def _lang(row: Candidate) -> GroupKey:
    return (row.lang,)


def _label_pairs(
    texts: Iterable[list[Candidate]], near: Callable[[Candidate], GroupKey], bond: int
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


LEAD = 2  # maximum lead of a comparison baseline in a language: right minus wrong rows
UNEVEN = 4  # maximum lead of one label in a repository, in rows
PASSES = 4  # retries of a pair that would have revealed a label
FIRST = ("history", "generated", "original", "mutated", "broken")  # of two equal rows the first stays
Stratum = tuple[bool, str, bool, bool]  # two kinds in a pair, the failed row's kind, by a model, untouched
Queues = dict[Stratum, deque[LabelPair]]


def balance(
    candidates: Iterable[Candidate], *, max_rows: int | None, mix: Quotas | None = None, shots: int = 0
) -> Iterator[Candidate | Drop]:
    """The rows of the data set in a fixed order, and all others as drops.

    In each language as many rows pass as fail, also within each kind and for each author of tests. Broken
    rows only fail, so they get passing rows of another kind. Kinds take turns by their quota, repositories
    and files by their keys. `max_rows` is divided among the languages. Up to `shots` rows, at most a tenth,
    do not count for the share of a repository.

    Quotas and equal labels in each kind are enforced, unless that leaves out more than half of the rows and
    `mix.strict` is off. Equal candidates in any order give equal rows.
    """
    mix = mix or Quotas()
    rows = sorted(candidates, key=_place)
    once = {row.revision: row for row in sorted(rows, key=_last_first)}
    pairs = _all_pairs(once.values(), mix)
    room = sum(map(len, pairs.values())) if max_rows is None else max_rows // 2
    chosen = _mixed(pairs, room, mix, shots)
    chosen_rows = {row.revision: row for pair in chosen.taken for row in pair[:2]}
    for row in rows:
        if chosen_rows.get(row.revision) is row:
            yield row
        elif once[row.revision] is not row:
            yield Drop(unit=row.unit, reason="same_row", detail=f"as one that is {once[row.revision].subset}")
        else:
            yield _dropped(row, chosen)


def _place(row: Candidate) -> tuple[str, str, str]:
    """A sort key of its own: rows are selected by the lowest revisions, so that order would reveal labels."""
    return content_key("place", row.revision), row.subset, row.unit


def _last_first(row: Candidate) -> tuple[int, str]:
    return -FIRST.index(row.subset), row.unit


def _dropped(row: Candidate, chosen: _Selection) -> Drop:
    detail = f"{row.label} in {row.lang}, {row.subset}{', by a model' if row.written else ''}"
    return Drop(unit=row.unit, reason=chosen.refused.get(row.revision, "label_too_common"), detail=detail)


def _all_pairs(rows: Iterable[Candidate], mix: Quotas) -> dict[str, list[LabelPair]]:
    """The pairs of each language; also an author's uneven pairs if those are more, or requested."""
    groups: dict[tuple[str, str], list[Candidate]] = {}
    for row in rows:
        if mix.failures[row.subset]:
            groups.setdefault((row.lang, row.written.model if row.written else ""), []).append(row)
    found: dict[str, list[LabelPair]] = {}
    for (lang, _), mine in sorted(groups.items()):
        untouched = [] if mix.strict else untouched_pairs(mine)
        pairs, left = even_pairs(without(mine, untouched))
        further = uneven_pairs(row for row in left if row.subset != "broken")
        if mix.uneven or (len(further) > len(pairs) and not mix.strict):
            pairs += further
        pairs += untouched
        found.setdefault(lang, []).extend(pairs)
    return {lang: in_turn(pairs) for lang, pairs in found.items()}


def _mixed(pairs: Mapping[str, Sequence[LabelPair]], room: int, mix: Quotas, shots: int) -> _Selection:
    versions = VersionDistances()
    mixed = _settled(pairs, room, mix, versions, kinds=tuple(mix.failures), shots=shots)
    if mix.strict:
        return mixed
    free = _settled(pairs, room, mix, versions, kinds=("broken",), shots=shots)
    return mixed if 2 * len(mixed.taken) >= len(free.taken) else free


class _RowLimits(NamedTuple):
    """Limits in rows and in failures, for a set of known size."""

    repository: int
    kinds: Mapping[str, int]

    def hold(self, chosen: _Selection) -> bool:
        """Whether the selection satisfies them."""
        return all(chosen.kinds[kind] <= most for kind, most in self.kinds.items()) and (
            max(chosen.repositories.values(), default=0) <= self.repository
        )


def _settled(
    pairs: Mapping[str, Sequence[LabelPair]],
    room: int,
    mix: Quotas,
    versions: VersionDistances,
    *,
    kinds: Sequence[str],
    shots: int,
) -> _Selection:
    """The largest selection whose shares hold for its own size; the limits shrink with the size."""
    names = {row.repository for mine in pairs.values() for pair in mine for row in pair[:2]}
    is_bound = len(names) * mix.repository_share >= 100

    def caps_of(size: int) -> _RowLimits:
        rows = 2 * size - min(shots, 2 * size // 10)
        repository = max(2, int(rows * mix.repository_share / 100)) if is_bound else 2 * size
        return _RowLimits(repository, {kind: size * mix.failures[kind] // 100 for kind in kinds})

    size = min(room, sum(map(len, pairs.values())))
    while True:
        chosen = _Selection(mix, caps_of(size), versions)
        chosen.fill(pairs, room)
        if caps_of(len(chosen.taken)).hold(chosen) or not chosen.taken:
            return chosen
        size = min(len(chosen.taken), size - 1)


class _Selection:
    """A set under construction: the selected rows, and the reasons why pairs were left out."""

    def __init__(self, mix: Quotas, caps: _RowLimits, versions: VersionDistances) -> None:
        self._mix, self._caps, self._versions = mix, caps, versions
        self._readers = comparison_baselines(versions)
        self._files: dict[tuple[str, str], list[Candidate]] = {}
        self._leads: Counter[tuple[str, str]] = Counter()  # by language and reader
        self._labels: Counter[tuple[str, str]] = Counter()
        self._strata: Counter[Stratum] = Counter()
        self.taken: list[LabelPair] = []
        self.refused: dict[str, str] = {}  # the reason by the row's revision
        self.kinds: Counter[str] = Counter()
        self.repositories: Counter[str] = Counter()

    def fill(self, pairs: Mapping[str, Sequence[LabelPair]], room: int) -> None:
        """Take pairs of the languages in turn until the set is full or nothing fits."""
        waiting = {lang: list(mine) for lang, mine in pairs.items()}
        for _ in range(PASSES):
            before = len(self.taken)
            waiting = self._pass(waiting, room)
            if len(self.taken) == before:
                break
        if len(self.taken) >= room:
            rest = (pair for mine in waiting.values() for pair in mine)
            self.refused |= {row.revision: "over_max_rows" for pair in rest for row in pair[:2]}

    def _pass(self, pairs: Mapping[str, Sequence[LabelPair]], room: int) -> dict[str, list[LabelPair]]:
        """Try each pair once; return the pairs to try again, since the lead of a reader may shrink later."""
        queues = {lang: _queued(mine) for lang, mine in pairs.items()}
        again: dict[str, list[LabelPair]] = {lang: [] for lang in pairs}
        while len(self.taken) < room and any(queues.values()):
            for lang, mine in queues.items():
                if len(self.taken) < room:
                    again[lang] += self._next(mine)
        for lang, mine in queues.items():
            again[lang] += [pair for queue in mine.values() for pair in queue]
        return again

    def _next(self, queues: Queues) -> list[LabelPair]:
        """Take the next pair that fits; return the pairs skipped because they would help a reader."""
        passed = []
        while queues:
            stratum = min(queues, key=self._turn)
            pair = queues[stratum].popleft()
            if not queues[stratum]:
                del queues[stratum]
            reason = self._refusal(pair)
            if not reason:
                self._take(pair, stratum)
                break
            self.refused |= {row.revision: reason for row in pair[:2]}
            if reason == "would_tell":
                passed.append(pair)
        return passed

    def _turn(self, stratum: Stratum) -> tuple[bool, float, int, Stratum]:
        """The order: even pairs first; among those the kind furthest below its share, then authors in
        turn.
        """
        is_uneven, kind, _, is_untouched = stratum
        count = self._strata[stratum] * (UNTOUCHED if is_untouched else 1)
        return is_uneven, self.kinds[kind] / self._mix.failures[kind], count, stratum

    def _refusal(self, pair: LabelPair) -> str:
        if self.kinds[pair.kind] >= self._caps.kinds.get(pair.kind, len(self.taken) + 1):
            return "over_mix"
        repositories = Counter(row.repository for row in pair[:2])
        if any(self.repositories[name] + n > self._caps.repository for name, n in repositories.items()):
            return "over_repository_share"
        files = Counter(file_of(row) for row in pair[:2])
        if any(len(self._files.get(name, ())) + n > self._mix.file_rows for name, n in files.items()):
            return "over_file_rows"
        return "would_tell" if self._gives_label_away(pair) else ""

    def _gives_label_away(self, pair: LabelPair) -> bool:
        uneven = self._unevenness(pair)
        leads = self._leads_with(pair)
        return uneven > UNEVEN or any(
            abs(lead) > max(LEAD, abs(self._leads[name])) for name, lead in leads.items()
        )

    def _unevenness(self, pair: LabelPair) -> int:
        """The largest lead of one label in a repository of the pair, in rows."""
        if pair.success.repository == pair.failed.repository:
            return 0
        ahead = {row.repository: 1 if row.label == "success" else -1 for row in pair[:2]}
        return max(
            abs(self._labels[name, "success"] - self._labels[name, "failed"] + one)
            for name, one in ahead.items()
        )

    def _leads_with(self, pair: LabelPair) -> dict[tuple[str, str], int]:
        """The right minus the wrong guesses of the comparison baselines, with the pair in the set."""
        leads = Counter(self._leads)
        for name in {file_of(row) for row in pair[:2]}:
            before = self._files.get(name, [])
            leads.subtract(self._lead(before))
            leads.update(self._lead([*before, *(row for row in pair[:2] if file_of(row) == name)]))
        return dict(leads)

    def _lead(self, rows: Sequence[Candidate]) -> dict[tuple[str, str], int]:
        texts = [self._versions.number(row.focal_code) for row in rows]
        found = {}
        for name, reader in self._readers.items() if rows else ():
            guesses = list(zip(reader(texts), rows, strict=True))
            found[rows[0].lang, name] = sum(
                (word == row.label) - (word not in ("", row.label)) for word, row in guesses
            )
        return found

    def _take(self, pair: LabelPair, stratum: Stratum) -> None:
        self._leads = Counter(self._leads_with(pair))
        self.taken.append(pair)
        self.kinds[pair.kind] += 1
        self._strata[stratum] += 1
        for row in pair[:2]:
            self._files.setdefault(file_of(row), []).append(row)
            self.repositories[row.repository] += 1
            self._labels[row.repository, row.label] += 1
            self.refused.pop(row.revision, None)


def _queued(pairs: Iterable[LabelPair]) -> Queues:
    queues: Queues = {}
    for pair in pairs:
        two = pair.kind not in ("broken", pair.success.subset)
        is_untouched = two and pair.success.subset == "original"
        stratum = two and not is_untouched, pair.kind, pair.failed.written is not None, is_untouched
        queues.setdefault(stratum, deque()).append(pair)
    return queues
