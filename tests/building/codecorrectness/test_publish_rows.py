"""Shots and wordings: nothing of a shot is in the test set, and no wording goes with a label."""

from __future__ import annotations

from collections import Counter
from functools import cache

from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.building.codecorrectness.balance import balance
from benchwright.building.codecorrectness.publish_rows import prompt_variants, shot_rows
from benchwright.building.codecorrectness.row_records import Candidate, cluster_of
from benchwright.records import Drop
from kit.examples import examples
from kit.made_candidates import candidate
from kit.made_populations import population


@cache
def _chosen(seed: int = 1, natural: float = 0.1) -> list[Candidate]:
    found = balance(population(seed=seed, natural=natural), max_rows=None)
    return [row for row in found if not isinstance(row, Drop)]


def _known(rows: list[Candidate]) -> set[object]:
    """All that a row could be recognised by."""
    return {
        each
        for row in rows
        for each in (
            (row.repository, row.focal_path),
            (row.repository, row.test_path),
            cluster_of(row),
            row.focal_code,
            row.test_code,
        )
    }


@given(st.integers(1, 3), st.sampled_from([0, 2, 10, 40]))
@settings(max_examples=examples(8))
def test_shots_share_nothing_with_the_rest(seed: int, shots: int) -> None:
    """No file, test or text; as many of both labels; a tenth at most."""
    rows = _chosen(seed)
    held = shot_rows(rows, shots)
    inside = [rows[at] for at in sorted(held)]
    labels = Counter(row.label for row in inside)

    assert not _known(inside) & _known([row for at, row in enumerate(rows) if at not in held])
    assert labels["success"] == labels["failed"] <= min(shots, len(rows) // 10) / 2


def test_there_are_as_many_as_asked_for() -> None:
    """Of several repositories and all languages, where files are small enough."""
    rows = _chosen()
    held = [rows[at] for at in shot_rows(rows, 10)]

    assert (len(held), len({row.lang for row in held})) == (10, 3)
    assert len({row.repository for row in held}) >= 4


@given(st.integers(1, 3), st.sampled_from([0.02, 0.1, 0.5]), st.sampled_from([2, 10, 40]))
@settings(max_examples=examples(8))
def test_shots_do_not_raise_the_commonest_kind(seed: int, natural: float, shots: int) -> None:
    """What is left of a set that keeps a bound keeps it too."""
    rows = _chosen(seed, natural)
    held = shot_rows(rows, shots)
    kinds = Counter(row.subset for row in rows if row.label == "failed")
    left = Counter(row.subset for at, row in enumerate(rows) if row.label == "failed" and at not in held)
    kind = max(kinds, key=lambda each: (kinds[each], each))

    assert held and left[kind] / left.total() <= kinds[kind] / kinds.total()


def test_one_file_gives_no_shot() -> None:
    """Each of its rows knows all others."""
    rows = [candidate(at, focal_path="a.py", label=("success", "failed")[at % 2]) for at in range(40)]

    assert shot_rows(rows, 10) == set()


def test_two_uneven_families_make_an_even_one() -> None:
    """A file with one passing row and one with one failing row."""
    rows = [candidate(at, label=("success", "failed")[at % 2]) for at in range(20)]

    assert Counter(rows[at].label for at in shot_rows(rows, 2)) == {"success": 1, "failed": 1}


def test_wordings_are_dealt_out_by_label() -> None:
    """Each has as many rows of both labels, from as many repositories and languages as can be."""
    rows = _chosen()
    given_ = prompt_variants(rows, 11)
    labels = Counter((wording, row.label) for wording, row in zip(given_, rows, strict=True))
    sizes = Counter(given_)

    assert {wording for wording, _ in labels} == set(range(1, 12))
    assert all(labels[wording, "success"] == labels[wording, "failed"] for wording in range(1, 12))
    assert max(sizes.values()) - min(sizes.values()) <= 2
    assert all(
        len({row.lang for each, row in zip(given_, rows, strict=True) if each == wording}) == 3
        for wording in range(1, 12)
    )


@given(st.lists(st.sampled_from(["success", "failed"]), max_size=50), st.randoms())
def test_a_rows_wording_does_not_hang_on_the_order(labels: list[str], random: object) -> None:
    """It is dealt by keys."""
    rows = [candidate(at, label=label) for at, label in enumerate(labels)]
    shuffled = list(rows)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    first = {row.revision: wording for row, wording in zip(rows, prompt_variants(rows, 11), strict=True)}

    assert first == {
        row.revision: each for row, each in zip(shuffled, prompt_variants(shuffled, 11), strict=True)
    }
