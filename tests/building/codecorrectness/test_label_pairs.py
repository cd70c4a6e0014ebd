"""Pairs of a passing and a failing row: of one text, of two texts bound to each other, and of whom with whom."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from benchwright.building.codecorrectness.balance import (
    ACROSS,
    SAME_FILE,
    SAME_REPOSITORY,
    SAME_TEXT,
    even_pairs,
    in_turn,
    uneven_pairs,
)
from benchwright.building.codecorrectness.row_records import Candidate
from kit.made_candidates import candidate
from kit.made_populations import population


def _row(number: int, label: str, text: str = "", **changed: str) -> Candidate:
    fields = {"focal_path": "a.py", "repository": "one", **changed}
    return candidate(number, label=label, focal_code=text or f"x = {number}\n", **fields)


def test_one_text_comes_first() -> None:
    """A failing test of a file stands beside a passing one of the same version."""
    rows = [_row(1, "success", "same"), _row(2, "failed", "same"), _row(3, "success", "same")]
    pairs, left = even_pairs(rows)

    assert [(pair.success.focal_code, pair.failed.case, pair.bond) for pair in pairs] == [
        ("same", "test_small", SAME_TEXT)
    ]
    assert [row.label for row in left] == ["success"]


def test_a_text_is_bound_to_one_other() -> None:
    """With as many rows of it: three of one text beside three of the other, not beside three single ones."""
    three = [_row(at, "failed", "thrice", subset="mutated") for at in (1, 2, 3)]
    also = [_row(at, "success", "also thrice", subset="mutated") for at in (4, 5, 6)]
    single = [_row(at, "success", subset="mutated") for at in (7, 8, 9)]
    pairs, left = even_pairs([*single, *three, *also])

    assert {(pair.success.focal_code, pair.bond) for pair in pairs} == {("also thrice", SAME_FILE)}
    assert (len(pairs), len(left)) == (3, 3)


def test_near_partners_are_taken_first() -> None:
    """Of the file, then of the repository, then of the language."""
    rows = [
        _row(1, "failed"),
        _row(2, "failed", focal_path="b.py"),
        _row(3, "failed", repository="two"),
        _row(4, "success"),
        _row(5, "success", focal_path="c.py"),
        _row(6, "success", repository="three"),
    ]
    pairs, left = even_pairs(rows)

    assert sorted(pair.bond for pair in pairs) == [SAME_FILE, SAME_REPOSITORY, ACROSS]
    assert left == []


def test_kinds_are_not_mixed() -> None:
    """But where uneven pairs are asked for."""
    pairs, left = even_pairs([_row(1, "success"), _row(2, "failed", subset="mutated")])

    assert (pairs, len(left)) == ([], 2)
    assert [(pair.success.subset, pair.kind) for pair in uneven_pairs(left)] == [("original", "mutated")]


def test_a_broken_row_has_a_changed_partner_where_there_is_one() -> None:
    """A mutant that the test survives is a changed text as well."""
    rows = [
        _row(1, "failed", subset="broken"),
        _row(2, "success"),
        _row(3, "success", subset="mutated"),
    ]
    pairs, _ = even_pairs(rows)

    assert [(pair.success.subset, pair.kind) for pair in pairs] == [("mutated", "broken")]


def test_repositories_come_in_turn() -> None:
    """The first pairs are of as many repositories as there are."""
    pairs, _ = even_pairs(population(repositories=6, natural=0.4))
    first = Counter(pair.failed.repository for pair in in_turn(pairs)[:6])

    assert (len(first), len(in_turn(pairs))) == (len({pair.failed.repository for pair in pairs}), len(pairs))


@given(st.integers(0, 10**6))
def test_no_row_is_in_two_pairs(seed: int) -> None:
    """Each pair has both labels and one kind."""
    candidates = population(repositories=3, files=2, natural=0.3, seed=seed % 20)
    pairs, left = even_pairs(candidates)
    rows = [row for pair in pairs for row in pair[:2]]

    assert len({id(row) for row in [*rows, *left]}) == len(rows) + len(left) == len(candidates)
    assert all((pair.success.label, pair.failed.label) == ("success", "failed") for pair in pairs)
    assert all(pair.success.subset == pair.failed.subset for pair in pairs)
