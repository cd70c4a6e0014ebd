"""The shape baseline finds what shape reveals, and nothing if it reveals nothing."""

from __future__ import annotations

import random
from math import isfinite

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from benchwright.tracks.correctness.layout_baseline import (
    GUESSED,
    LEAST,
    LayoutPair,
    features,
    guessed_shares,
    layout_baseline,
    layout_document,
)


def pairs_of(
    count: int, *, seed: int, cut: float = 0.0, share: float = 0.5, groups: int = 0
) -> list[LayoutPair]:
    """Return pairs of random sizes; a share `cut` of the successful ones have the blank run of a cut file."""
    rng = random.Random(seed)
    found = []
    for at in range(count):
        label = "success" if rng.random() < share else "failed"
        blank = 19 if label == "success" and rng.random() < cut else rng.randint(0, 3)
        body = "".join(
            f"    assert f({rng.randint(0, 10 ** rng.randint(1, 9))})\n" for _ in range(rng.randint(1, 30))
        )
        focal = "x = 1\n" * rng.randint(2, 200)
        group = f"repo {at % groups}" if groups else ""
        found.append(
            LayoutPair(
                focal_code=focal, test_code=f"import f\n{chr(10) * blank}{body}", label=label, group=group
            )
        )
    return found


def test_a_run_of_blank_lines_is_found() -> None:
    """Half of one label's tests have it: the accuracy measures the leak, and the tells describe it."""
    found = layout_baseline(pairs_of(300, seed=1, cut=0.5))
    tells = {tell.feature: tell.larger.low for tell in found.tells}

    assert (found.is_artefact, found.labels, tells["test.blank_run"] > 0.5) == (
        True,
        ("success", "failed"),
        True,
    )
    assert (found.difference.low > 0.1, found.accuracy.value > 0.7) == (True, True)


@pytest.mark.parametrize("share", [0.5, 0.7])
def test_noise_is_no_artefact(share: float) -> None:
    """Of twelve data sets with random labels, at most one looks like an artefact."""
    alarms = [layout_baseline(pairs_of(100, seed=seed, share=share)).is_artefact for seed in range(12)]

    assert sum(alarms) <= 1


def test_it_is_the_same_every_time() -> None:
    """The result is deterministic."""
    pairs = pairs_of(80, seed=3, cut=0.3)

    assert layout_baseline(pairs) == layout_baseline(pairs)


def test_the_difference_is_of_the_two_shares() -> None:
    """Both are on the same rows; the majority is the share of the commonest label."""
    pairs = pairs_of(120, seed=4, cut=0.5, share=0.7)
    found = layout_baseline(pairs)
    successes = sum(pair.label == "success" for pair in pairs)

    assert (found.majority_label, found.majority.value, found.majority.n) == ("success", successes / 120, 120)
    assert found.difference.value == pytest.approx(found.accuracy.value - found.majority.value)


def test_what_only_tells_repositories_apart_is_no_artefact() -> None:
    """Each repository has one size and one label: with its rows in one fold there is nothing to learn."""
    rng = random.Random(6)
    pairs = []
    for repository in range(30):
        label, lines = rng.choice(["success", "failed"]), rng.randint(1, 400)
        pairs += [
            LayoutPair(focal_code="x = 1\n" * lines, test_code="y\n", label=label, group=f"r{repository}")
        ] * 6
    alone = [
        LayoutPair(focal_code=pair.focal_code, test_code=pair.test_code, label=pair.label) for pair in pairs
    ]

    assert layout_baseline(pairs).accuracy.value <= layout_baseline(alone).accuracy.value
    assert not layout_baseline(pairs).is_artefact


@pytest.mark.parametrize(
    ("labels", "found"),
    [
        ([], "none"),
        (["success"] * 50, "50 success"),
        (["a"] * 30 + ["b"] * (LEAST - 1), f"30 a, {LEAST - 1} b"),
        (["a", "b", "c"] * 30, "30 a, 30 b, 30 c"),
    ],
)
def test_too_little_to_learn_from_is_refused(labels: list[str], found: str) -> None:
    """The error states the number of rows."""
    pairs = [LayoutPair(focal_code="x", test_code="y", label=label) for label in labels]
    with pytest.raises(ValueError, match=found):
        layout_baseline(pairs)


def test_features_are_of_shape_alone() -> None:
    """Other words of the same length do not change them."""
    one = LayoutPair(focal_code="import os\n\n\nx = 1\n", test_code="assert x", label="success")
    other = LayoutPair(focal_code="abcdef gh\n\n\ny - 7\n", test_code="qwerty z", label="failed")

    assert features(one) == features(other)


def test_features_are_known_for_a_known_file() -> None:
    """Lines, blank runs and the last line end are counted."""
    found = features(LayoutPair(focal_code="a\n\n\n\n  bb \n", test_code="", label="x"))

    assert [round(found[f"focal.{name}"], 3) for name in ("lines", "blank_share", "blank_run")] == [
        1.946,
        0.667,
        1.386,
    ]
    assert [found[f"focal.{name}"] for name in ("indentation", "trailing_space", "final_newline")] == [
        1.0,
        1 / 6,
        1.0,
    ]


@given(st.text(), st.text())
@settings(deadline=None)
def test_any_text_has_the_same_features(focal: str, test: str) -> None:
    """All features are numbers, under the same names."""
    found = features(LayoutPair(focal_code=focal, test_code=test, label="x"))

    assert list(found) == list(features(LayoutPair(focal_code="", test_code="", label="x")))
    assert all(isfinite(value) for value in found.values())


def test_a_document_warns_of_a_tell() -> None:
    """The accuracy is more than five points above the majority; the document has the figures and the tells,
    and is deterministic."""
    pairs = pairs_of(120, seed=1, cut=0.6, groups=12)
    found = layout_document(pairs)

    assert (found, found["is_artefact"], found["folds"]) == (layout_document(pairs), True, 5)
    assert [word in found["warning"] for word in ("beyond chance", "test.blank_run", "points more")] == [
        True
    ] * 3


@pytest.mark.parametrize("count", [6, 100])
def test_a_document_without_a_tell(count: int) -> None:
    """There is no warning; with too few rows there is a reason instead of figures."""
    found = layout_document(pairs_of(count, seed=2))

    assert ("warning" in found, "absent" in found) == (False, count == 6)


def test_what_shape_says_is_what_it_is_scored_by() -> None:
    """The accuracy follows from the predicted labels."""
    pairs = pairs_of(80, seed=3, cut=0.3)
    found = layout_baseline(pairs)
    right = sum(pair.label == said for pair, said in zip(pairs, found.said, strict=True))

    assert found.accuracy.value == pytest.approx(right / len(pairs))


def test_a_table_lists_both_guesses() -> None:
    """The commonest label comes first; the figures are those of the document."""
    pairs = pairs_of(200, seed=2)
    found, document = layout_baseline(pairs), layout_document(pairs)
    (always, constant), (shape, guessed) = guessed_shares(document)

    assert (always, shape) == (f"always {found.majority_label}", "shape of the files alone")
    assert (constant["value"], guessed["value"]) == (found.majority.value, found.accuracy.value)
    assert GUESSED.title == "exact match"


def test_copies_of_rows_in_clusters_prove_no_more() -> None:
    """Each row occurs three times in one cluster: the figures stay, and the intervals are not narrower."""
    once = pairs_of(120, seed=3, cut=0.5, groups=20)
    thrice = [replace(pair, cluster=f"c{at}") for at, pair in enumerate(once) for _ in range(3)]
    alone, clustered = layout_baseline(once), layout_baseline(thrice)

    assert clustered.accuracy.value == pytest.approx(alone.accuracy.value, abs=0.05)
    for name in ("accuracy", "majority", "difference"):
        narrow, wide = (getattr(found, name) for found in (alone, clustered))
        assert wide.high - wide.low > 0.85 * (narrow.high - narrow.low), name
