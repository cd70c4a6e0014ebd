"""Balance with a model's tests: neither who wrote a test nor its language tells the label."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from benchwright.building.codecorrectness.balance import balance
from benchwright.building.codecorrectness.row_records import Authorship, Candidate
from benchwright.records import Drop
from kit.made_candidates import candidate

_BY = Authorship(model="openai:m", prompt="p", reply="r")
_KINDS = st.tuples(
    st.sampled_from(["Python", "Go"]),
    st.sampled_from(["success", "failed"]),
    st.booleans(),  # by a model
    st.booleans(),  # mutated
)
Kind = tuple[str, str, bool, bool]


def _candidates(kinds: list[Kind]) -> list[Candidate]:
    return [
        candidate(
            number,
            lang=lang,
            label=label,
            written=_BY if by_model else None,
            subset="mutated" if mutated else ("generated" if by_model else "original"),
        )
        for number, (lang, label, by_model, mutated) in enumerate(kinds)
    ]


def _rows(kinds: list[Kind], max_rows: int | None = None) -> list[Candidate]:
    return [row for row in balance(_candidates(kinds), max_rows=max_rows) if not isinstance(row, Drop)]


@given(st.lists(_KINDS, max_size=40), st.one_of(st.none(), st.integers(2, 20)))
def test_labels_are_even_by_language_and_by_author(kinds: list[Kind], max_rows: int | None) -> None:
    """As many pass as fail among a model's tests and among the repositories' own, in every language."""
    rows = _rows(kinds, max_rows)
    labels = Counter((row.lang, row.written is None, row.label) for row in rows)

    assert all(labels[lang, own, "success"] == labels[lang, own, "failed"] for lang, own, _ in labels)
    assert len(rows) <= (max_rows or 40)


def test_a_models_failures_do_not_stand_for_the_repositories() -> None:
    """Passing tests of repositories and failing ones of a model make no pair: their style would tell."""
    kinds: list[Kind] = [("Go", "success", False, False)] * 3 + [("Go", "failed", True, False)] * 3

    assert _rows(kinds) == []


def test_a_models_failures_stand_beside_its_passing_tests() -> None:
    """Its own wrong expectations are what its tests are good for; a mutant is no partner of a passing test."""
    kinds: list[Kind] = [("Go", "success", True, False)] * 2
    kinds += [("Go", "failed", True, True)] * 5 + [("Go", "failed", True, False)]
    counted = Counter((row.subset, row.label) for row in _rows(kinds))

    assert counted == {("generated", "success"): 1, ("generated", "failed"): 1}


def test_the_limit_is_shared_between_authors() -> None:
    """Their pairs take turns."""
    kinds: list[Kind] = [
        ("Go", label, by_model, False) for label in ("success", "failed") for by_model in (False, True)
    ] * 4
    by_model = Counter(row.written is not None for row in _rows(kinds, 8))

    assert by_model == {False: 4, True: 4}
