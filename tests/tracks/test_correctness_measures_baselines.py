"""Baselines next to a score: the same metrics on the same tasks, and a note if a model is no better."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.records import Metric
from benchwright.stats.two_classes import LabelPredictions
from benchwright.tracks.correctness.measures import findings, majority_document, shape_beside, shape_pair
from benchwright.tracks.correctness.rows import build
from benchwright.tracks.rows import Fields
from kit.correctness_cases import correctness_row

ABSENT = {"absent": "too few rows"}


def _metric(value: float, low: float, high: float) -> Metric:
    return Metric(value=value, low=low, high=high, n=50, samples=1)


def _found(value: float, low: float, high: float, *, mcc: float = 0.5, majority: float = 0.6) -> list[str]:
    metrics = {"exact_match": _metric(value, low, high), "mcc": _metric(mcc, mcc - 0.2, mcc + 0.2)}
    always = {"label": "success", "exact_match": _metric(majority, majority, majority)}
    return findings(metrics, {"majority": always, "shape": ABSENT})


@given(st.lists(st.sampled_from(["success", "failed"]), min_size=2, max_size=40))
def test_always_saying_one_label_has_no_skill(golds: list[str]) -> None:
    """Its exact match is the label's share; with two labels, the other metrics are those of a constant
    answer."""
    found = majority_document([LabelPredictions(gold=gold, said=(gold,)) for gold in golds])
    rest = [round(found[name].value, 9) for name in ("balanced_accuracy", "mcc") if name in found]

    assert found["exact_match"].value == pytest.approx(golds.count(found["label"]) / len(golds))
    assert rest == ([0.5, 0.0] if len(set(golds)) == 2 else [])


def test_shape_needs_rows_enough() -> None:
    """With few rows there is a reason instead of figures."""
    (task,) = [build(Fields(correctness_row(), "rows", 1))]

    assert list(shape_beside([task])) == ["absent"]


@pytest.mark.parametrize(("key", "group"), [("repository", "a/b"), ("repo", "a/b"), ("origin", "")])
def test_rows_of_a_repository_are_never_split(key: str, group: str) -> None:
    """The field may be `repository`, as in built sets, or `repo`."""
    row = correctness_row()
    task = build(Fields({**row, "meta": {**row["meta"], key: "a/b"}}, "rows", 1))

    assert shape_pair(task).group == group


@pytest.mark.parametrize(
    ("figures", "words"),
    [
        ((0.9, 0.8, 0.95), []),
        ((0.65, 0.55, 0.75), ["not better than always saying success, 60.0 %"]),
        ((0.4, 0.3, 0.5), ["worse than always saying success, 60.0 %"]),
    ],
)
def test_a_model_that_is_not_above_the_majority_is_told(
    figures: tuple[float, float, float], words: list[str]
) -> None:
    """ "Above" means the whole interval; "below" likewise."""
    said = _found(*figures)

    assert [word in sentence for word, sentence in zip(words, said, strict=True)] == [True] * len(words)


def test_a_correlation_that_may_be_nothing_is_told() -> None:
    """This applies even if exact match is above the majority."""
    assert ["MCC's interval holds 0" in each for each in _found(0.9, 0.8, 0.95, mcc=0.1)] == [True]


def test_shape_is_a_baseline_as_well() -> None:
    """Notes name both, and an artefact of the rows."""
    metrics = {"exact_match": _metric(0.7, 0.55, 0.8)}
    shape = {"exact_match": _metric(0.75, 0.7, 0.8), "is_artefact": True}
    always = {"label": "failed", "exact_match": _metric(0.5, 0.5, 0.5)}
    said = findings(metrics, {"majority": always, "shape": shape})

    assert ["line counts and lengths alone, 75.0 %" in said[0], "artefact" in said[1]] == [True, True]
