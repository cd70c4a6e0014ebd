"""Balance: as many of both labels in each language, always the same rows, nothing lost."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from benchwright.building.codecorrectness.nouns import Candidate
from benchwright.building.codecorrectness.rows import balance
from benchwright.records import Drop
from kit.made_candidates import candidate

_KINDS = st.tuples(
    st.sampled_from(["Python", "Java", "Go"]),
    st.sampled_from(["success", "failed"]),
    st.sampled_from(["original", "mutated"]),
    st.sampled_from(["one", "two", "three"]),
)


def _candidates(kinds: list[tuple[str, str, str, str]]) -> list[Candidate]:
    return [
        candidate(number, lang=lang, label=label, subset=subset, repository=repository)
        for number, (lang, label, subset, repository) in enumerate(kinds)
    ]


def _split(found: list[Candidate | Drop]) -> tuple[list[Candidate], list[Drop]]:
    return [each for each in found if isinstance(each, Candidate)], [
        each for each in found if isinstance(each, Drop)
    ]


@given(st.lists(_KINDS, max_size=40), st.one_of(st.none(), st.integers(2, 20)))
def test_both_labels_are_equally_many(kinds: list[tuple[str, str, str, str]], max_rows: int | None) -> None:
    """In every language, within the limit, and every candidate is a row or a drop."""
    rows, drops = _split(list(balance(_candidates(kinds), max_rows=max_rows)))
    labels = Counter((row.lang, row.label) for row in rows)

    assert all(labels[lang, "success"] == labels[lang, "failed"] for lang in ("Python", "Java", "Go"))
    assert (len(rows) + len(drops), len(rows) <= (max_rows or 40)) == (len(kinds), True)


@given(st.lists(_KINDS, max_size=30), st.randoms())
def test_the_order_of_candidates_does_not_matter(
    kinds: list[tuple[str, str, str, str]], random: object
) -> None:
    """Rows are chosen and ordered by what they are."""
    candidates = _candidates(kinds)
    shuffled = list(candidates)
    random.shuffle(shuffled)  # type: ignore[attr-defined]

    assert list(balance(candidates, max_rows=8)) == list(balance(shuffled, max_rows=8))


def test_as_many_as_there_can_be() -> None:
    """Without a limit, the rarer label decides and none of it is lost."""
    kinds = [("Go", "success", "original", "one")] * 5 + [("Go", "failed", "mutated", "one")] * 3
    rows, drops = _split(list(balance(_candidates(kinds), max_rows=None)))

    assert (len(rows), [drop.reason for drop in drops]) == (6, ["label_too_common"] * 2)


def test_natural_failures_come_first() -> None:
    """A made fault fills up only what nature leaves."""
    kinds = [("Go", "success", "original", "one")] * 2 + [("Go", "failed", "mutated", "one")] * 9
    rows, _ = _split(list(balance(_candidates([*kinds, ("Go", "failed", "original", "one")]), max_rows=None)))

    assert Counter(row.subset for row in rows if row.label == "failed") == {"original": 1, "mutated": 1}


def test_repositories_take_turns() -> None:
    """A small repository is there beside one with ten times the rows."""
    kinds = [("Go", "success", "original", "large")] * 20 + [("Go", "success", "original", "small")] * 2
    failed = [("Go", "failed", "mutated", "large")] * 22
    rows, _ = _split(list(balance(_candidates([*kinds, *failed]), max_rows=8)))

    assert Counter(row.repository for row in rows if row.label == "success") == {"large": 2, "small": 2}


def test_the_limit_is_shared_between_languages() -> None:
    """Two rows each in turn; a language without both labels gives none."""
    kinds = [
        (lang, label, "original", "one") for lang in ("Go", "Java") for label in ("success", "failed")
    ] * 5
    rows, drops = _split(
        list(balance(_candidates([*kinds, ("Python", "success", "original", "x")]), max_rows=8))
    )

    assert Counter(row.lang for row in rows) == {"Go": 4, "Java": 4}
    assert Counter(drop.reason for drop in drops) == {"over_max_rows": 12, "label_too_common": 1}


def test_the_order_does_not_tell_the_label() -> None:
    """Rows of the common label are those of the lowest revisions: they must not come first for it."""
    kinds = [("Go", "success", "original", "one")] * 400 + [("Go", "failed", "original", "one")] * 40
    rows, _ = _split(list(balance(_candidates(kinds), max_rows=None)))
    places = [at for at, row in enumerate(rows) if row.label == "success"]
    by_revision = sorted(rows, key=lambda row: row.revision)
    before = [at for at, row in enumerate(by_revision) if row.label == "success"]

    assert (sum(before) / 40 < 25, 33 < sum(places) / 40 < 46) == (True, True)
