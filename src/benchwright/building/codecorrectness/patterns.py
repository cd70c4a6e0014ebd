"""Label patterns: tokens that occur with one label more often than by chance.

A reader without any knowledge of tests could learn such a pattern, for example `not (` in changed files only.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise, product
from typing import NamedTuple

import msgspec

from benchwright.building.codecorrectness.readers import FAILED, SUCCESS
from benchwright.records import Record
from benchwright.stats.association import fisher_exact
from benchwright.stats.proportions import mcnemar
from benchwright.stats.ranks import holm
from benchwright.store.keys import content_key

LEVEL = 0.01
_LEAST = 6  # minimum number of places; below it no table is significant
_TOKEN = re.compile(r"\w+|[-+*/%=<>!&|^:]+|\S")


class StyledText(NamedTuple):
    """A text and its label. `cluster`: the test whose version it is; `source`: the file it was made from."""

    label: str
    text: str
    cluster: str
    source: str


class TellingPattern(Record, frozen=True, kw_only=True):
    """One or two tokens that occur with a label.

    Counts are of sources or, if `paired`, of clusters in which only the versions of one label have the
    pattern. `p` is adjusted for all tested patterns.
    """

    pattern: str
    failed: int
    success: int
    paired: bool
    p: float


def telling_patterns(texts: Iterable[StyledText], *, level: float = LEVEL) -> list[TellingPattern]:
    """Every token pattern that separates the labels better than chance, the clearest first.

    There are two exact tests for each pattern, with all p values adjusted together (Holm). Between files: is
    it in files of one label more often? Each file counts once, by one of its texts selected by key, since its
    rows share nearly all tokens. Within tests: which versions of one test have it, if there are versions of
    both labels? Each test counts once. Patterns in fewer than 6 places are skipped.
    """
    rows = list(texts)
    found = [*_between(rows), *_within(rows)]
    adjusted = holm([each.p for each in found])
    both = zip(found, adjusted, strict=True)
    kept = [msgspec.structs.replace(each, p=p) for each, p in both if p < level]
    return sorted(kept, key=lambda each: (each.p, each.pattern, each.paired))


def pattern_warnings(found: Sequence[object]) -> list[str]:
    """A sentence if there are such patterns."""
    count = f"{len(found)} pattern{'s' if len(found) > 1 else ''}"
    warning = f"{count} of tokens in the focal file tell labels better than chance: see the card"
    return [warning] if found else []


@lru_cache(maxsize=32)  # a long file has ten thousand patterns
def patterns_of(text: str) -> frozenset[str]:
    """The tokens of a text, and each two consecutive ones; operators are whole tokens."""
    tokens = _TOKEN.findall(text)
    return frozenset(tokens) | {f"{one} {other}" for one, other in pairwise(tokens)}


def _between(rows: Sequence[StyledText]) -> Iterator[TellingPattern]:
    drawn: dict[str, StyledText] = {}
    for row in sorted(rows, key=lambda row: content_key(row.source, row.cluster, row.text)):
        drawn.setdefault(row.source, row)
    labels = Counter(row.label for row in drawn.values())
    counts: dict[str, Counter[str]] = {FAILED: Counter(), SUCCESS: Counter()}
    for row in drawn.values():
        counts[row.label].update(patterns_of(row.text))
    for pattern in sorted(counts[FAILED].keys() | counts[SUCCESS].keys()):
        failed, success = counts[FAILED][pattern], counts[SUCCESS][pattern]
        if _LEAST <= failed + success <= len(drawn) - _LEAST:
            table = {
                (True, True): failed,
                (True, False): success,
                (False, True): labels[FAILED] - failed,
                (False, False): labels[SUCCESS] - success,
            }
            yield TellingPattern(
                pattern=pattern, failed=failed, success=success, paired=False, p=fisher_exact(table)
            )


def _within(rows: Sequence[StyledText]) -> Iterator[TellingPattern]:
    clusters: dict[str, list[StyledText]] = defaultdict(list)
    for row in rows:
        clusters[row.cluster].append(row)
    only: dict[str, Counter[str]] = {FAILED: Counter(), SUCCESS: Counter()}
    for versions in clusters.values():
        for label, patterns in _differing(versions).items():
            only[label].update(patterns)
    for pattern in sorted(only[FAILED].keys() | only[SUCCESS].keys()):
        failed, success = only[FAILED][pattern], only[SUCCESS][pattern]
        if failed + success >= _LEAST:
            p = mcnemar(failed, success)
            yield TellingPattern(pattern=pattern, failed=failed, success=success, paired=True, p=p)


def _differing(versions: Sequence[StyledText]) -> dict[str, set[str]]:
    """The patterns on one side only in most pairs of differently labelled versions, by that side."""
    sides = {label: [row for row in versions if row.label == label] for label in (FAILED, SUCCESS)}
    leaning: Counter[str] = Counter()
    for one, other in product(sides[FAILED], sides[SUCCESS]):
        mine, theirs = patterns_of(one.text), patterns_of(other.text)
        leaning.update(mine - theirs)
        leaning.subtract(theirs - mine)
    return {
        FAILED: {pattern for pattern, count in leaning.items() if count > 0},
        SUCCESS: {pattern for pattern, count in leaning.items() if count < 0},
    }
