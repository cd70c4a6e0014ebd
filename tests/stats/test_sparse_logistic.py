"""Logistic regression on sparse features: what it learns, what it must not learn, and determinism."""

from __future__ import annotations

import random

from benchwright.stats.logistic import cross_validated_presence

GROUPS = 20


def _learnt(rows: list[list[int]], truth: list[bool]) -> float:
    groups = [str(at % GROUPS) for at in range(len(rows))]
    said = cross_validated_presence(rows, truth, [at % GROUPS % 5 for at in range(len(rows))], groups)
    return sum(one == other for one, other in zip(said, truth, strict=True)) / len(rows)


def _noise(draw: random.Random) -> list[int]:
    return sorted(draw.sample(range(1000), 40))


def test_a_mark_is_found() -> None:
    """One feature in a thousand occurs only in rows of one class, in half of those."""
    draw = random.Random(1)
    truth = [draw.random() < 0.5 for _ in range(400)]
    rows = [sorted({*_noise(draw), *([5000] if label and draw.random() < 0.5 else [])}) for label in truth]

    assert _learnt(rows, truth) > 0.62


def test_chance_is_not_learnt() -> None:
    """Features without relation to the class leave the predictions in another fold at a half."""
    draw = random.Random(2)
    rows = [_noise(draw) for _ in range(400)]

    assert 0.42 < _learnt(rows, [draw.random() < 0.5 for _ in rows]) < 0.58


def test_what_one_group_alone_has_is_no_feature() -> None:
    """Words of one repository do not predict the next one, however well they match its labels."""
    truth = [at % 2 == 0 for at in range(200)]
    rows = [[10_000 + at % GROUPS] for at in range(200)]

    assert _learnt(rows, truth) <= 0.5


def test_rows_without_features() -> None:
    """They get the majority of the others."""
    truth = [at % 4 == 0 for at in range(100)]

    assert _learnt([[] for _ in truth], truth) == 0.75


def test_it_is_steady() -> None:
    """Equal rows give equal results; numbers of features are only names."""
    draw = random.Random(3)
    rows, truth = [_noise(draw) for _ in range(120)], [draw.random() < 0.5 for _ in range(120)]
    groups, folds = [str(at % GROUPS) for at in range(120)], [at % 5 for at in range(120)]
    said = cross_validated_presence(rows, truth, folds, groups)
    shifted = cross_validated_presence([[n + 7 for n in row] for row in rows], truth, folds, groups)

    assert said == cross_validated_presence(rows, truth, folds, groups) == shifted
