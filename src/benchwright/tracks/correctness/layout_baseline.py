"""Layout baseline: how well a label can be guessed from the layout of a pair of files, without reading code.

Line counts, runs of blank lines and lengths should not predict whether a test passes. If they do, the data
set has an artefact of its construction, which a model may learn instead of the task. Works for any rows
with code and a label, in a finished data set or during a build.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from math import log1p
from typing import Any

import msgspec

from benchwright.contracts import Measure
from benchwright.records import Metric, Record
from benchwright.stats.association import dominance, paired_proportions
from benchwright.stats.intervals import Interval, cluster_tables, jackknife_half_width
from benchwright.stats.logistic import cross_validated
from benchwright.stats.two_classes import LabelPredictions, clusters_of, majority, mean_share

FOLDS = 5
LEAST = 4 * FOLDS  # minimum of rows per label for training
SHOWN = 5
GUESSED = Measure(name="exact_match")  # the baselines' figure, displayed like that of models
TOO_FAR = 0.05  # lead over the majority, as a share, from which a build warns
_SQUARED = ("lines", "characters", "blank_run")


class LayoutPair(Record, frozen=True, kw_only=True):
    """The relevant part of a row. Rows of one `group`, such as a repository, are in the same fold.

    Rows of one `cluster`, such as the versions of one test, are treated together in intervals.
    """

    focal_code: str
    test_code: str
    label: str
    group: str = ""
    cluster: str = ""


class LayoutFeature(Record, frozen=True, kw_only=True):
    """A layout feature and how often it is larger in a row of the first label than in one of the second.

    0.5 means that the feature carries no information.
    """

    feature: str
    larger: Metric


class LayoutBaseline(Record, frozen=True, kw_only=True):
    """Accuracy of guessing from layout, and of always answering the most common label, on the same rows."""

    accuracy: Metric
    majority: Metric
    majority_label: str
    difference: Metric  # accuracy less majority, paired by row
    tells: list[LayoutFeature]  # the most informative features whose interval excludes 0.5
    labels: tuple[str, str]  # the first and the second
    said: list[str]  # label predicted from layout for each row, by a model trained without its fold

    @property
    def is_artefact(self) -> bool:
        """Whether layout beats the majority beyond chance."""
        return self.difference.low > 0


def layout_baseline(pairs: Sequence[LayoutPair]) -> LayoutBaseline:
    """Cross-validated accuracy of a classifier of layout features, of the majority, and their difference.

    Ridge logistic regression in five folds; deterministic. Raises ValueError unless the rows have exactly
    two labels, each often enough. The interval of the difference assumes independent predictions, which is
    nearly true within a fold.
    """
    labels = _labels(pairs)
    rows = [features(pair) for pair in pairs]
    truth = [pair.label == labels[0] for pair in pairs]
    groups = [pair.group or f"row {at}" for at, pair in enumerate(pairs)]
    by_group = groups if any(pair.group for pair in pairs) else None
    chances = cross_validated([list(row.values()) for row in rows], truth, folds=FOLDS, groups=by_group)
    right = [(chance >= 0.5) == is_first for chance, is_first in zip(chances, truth, strict=True)]
    rows_of = [LabelPredictions(gold=pair.label, said=(pair.label,), cluster=pair.cluster) for pair in pairs]
    most, share = majority(rows_of)
    common = [pair.label == most for pair in pairs]
    return LayoutBaseline(
        accuracy=_metric(mean_share(rows_of, list(map(float, right)), draws=1)),
        majority=share,
        majority_label=most,
        difference=_metric(_difference(list(zip(right, common, strict=True)), clusters_of(rows_of))),
        tells=_distinguishing_features(rows, truth),
        labels=labels,
        said=[labels[0] if chance >= 0.5 else labels[1] for chance in chances],
    )


def _difference(guess_pairs: Sequence[tuple[bool, bool]], clusters: Sequence[str] | None) -> Interval:
    """Difference of two shares on the same rows; with clusters, at least as wide as their jackknife."""
    found = paired_proportions(
        guess_pairs.count((True, False)), guess_pairs.count((False, True)), len(guess_pairs)
    )
    if clusters is None:
        return found
    cells = [(float(first) - second, 1.0) for first, second in guess_pairs]
    tables = cluster_tables(zip(clusters, cells, strict=True))
    half = jackknife_half_width(tables, lambda table: table[0] / table[1])
    return Interval(
        value=found.value,
        low=min(found.low, max(-1.0, found.value - half)),
        high=max(found.high, min(1.0, found.value + half)),
        n=found.n,
    )


def layout_document(pairs: Sequence[LayoutPair]) -> dict[str, Any]:
    """The baseline as a JSON document for a manifest, or {"absent": why} if there are too few rows.

    `warning` is present if layout is more than five points above the majority: see `warning_of`.
    """
    try:
        found = layout_baseline(pairs)
    except ValueError as error:
        return {"absent": str(error)}
    document = {
        "folds": FOLDS,
        GUESSED.name: found.accuracy,
        "majority": {"label": found.majority_label, GUESSED.name: found.majority},
        "less_majority": found.difference,
        "is_artefact": found.is_artefact,
        "tells": found.tells,
        **({"warning": warning} if (warning := warning_of(found)) else {}),
    }
    built: dict[str, Any] = msgspec.to_builtins(document)
    return built


def guessed_shares(document: Mapping[str, Any]) -> list[tuple[str, Mapping[str, float]]]:
    """Names of the baselines with their figure GUESSED, from a document of `layout_document` with figures."""
    majority = document["majority"]
    return [
        (f"always {majority['label']}", majority[GUESSED.name]),
        ("shape of the files alone", document[GUESSED.name]),
    ]


def warning_of(found: LayoutBaseline) -> str:
    """Warning about a baseline more than five points above the majority; empty otherwise.

    The limit applies to the difference, not to its interval: with few rows every interval includes zero,
    and with very many rows the interval of a useless tenth of a point excludes it.
    """
    lead = found.difference
    if lead.value <= TOO_FAR:
        return ""
    evidence = "beyond chance" if found.is_artefact else "within what chance alone may do with so few rows"
    names = ", ".join(each.feature for each in found.tells) or "no single feature stands out"
    return (
        f"line counts and lengths alone guess {100 * found.accuracy.value:.1f} % of the labels, "
        f"{100 * lead.value:.1f} points more than always saying {found.majority_label} "
        f"({100 * lead.low:.1f} to {100 * lead.high:.1f}: {evidence}); what tells: {names}"
    )


def features(pair: LayoutPair) -> dict[str, float]:
    """Layout features of both files. Sizes are logarithms; squares model effects of the middle."""
    found: dict[str, float] = {}
    for name, code in (("focal", pair.focal_code), ("test", pair.test_code)):
        shape = _layout(code)
        shape |= {f"{each}²": shape[each] ** 2 for each in _SQUARED}
        found |= {f"{name}.{each}": value for each, value in shape.items()}
    return found


def _layout(code: str) -> dict[str, float]:
    lines = code.split("\n")
    blank = [not line.strip() for line in lines]
    runs = [len(list(run)) for is_blank, run in groupby(blank) if is_blank]
    indents = [len(line) - len(line.lstrip()) for line in lines if line.strip()]
    return {
        "lines": log1p(len(lines)),
        "characters": log1p(len(code)),
        "longest_line": log1p(max(map(len, lines))),
        "blank_share": sum(blank) / len(lines),
        "blank_run": log1p(max(runs, default=0)),
        "indentation": sum(indents) / max(1, len(indents)),
        "trailing_space": sum(line != line.rstrip() for line in lines) / len(lines),
        "final_newline": float(code.endswith("\n")),
    }


def _labels(pairs: Sequence[LayoutPair]) -> tuple[str, str]:
    counts = {label: sum(pair.label == label for pair in pairs) for label in {pair.label for pair in pairs}}
    if len(counts) != 2 or min(counts.values()) < LEAST:
        found = ", ".join(f"{count} {label}" for label, count in sorted(counts.items())) or "none"
        raise ValueError(f"a shape baseline needs two labels with {LEAST} rows each; there are: {found}")
    first, second = sorted(counts, reverse=True)  # "success" before "failed"
    return first, second


def _distinguishing_features(rows: Sequence[dict[str, float]], truth: Sequence[bool]) -> list[LayoutFeature]:
    """Features that differ most between the labels, with a Bonferroni-corrected level."""
    names = [name for name in rows[0] if not name.endswith("²")]
    found = []
    for name in names:
        first = [row[name] for row, is_first in zip(rows, truth, strict=True) if is_first]
        second = [row[name] for row, is_first in zip(rows, truth, strict=True) if not is_first]
        area = dominance(first, second, confidence=1 - 0.05 / len(names))
        if not area.low <= 0.5 <= area.high:
            found.append(LayoutFeature(feature=name, larger=_metric(area)))
    return sorted(found, key=lambda each: -abs(each.larger.value - 0.5))[:SHOWN]


def _metric(interval: Interval) -> Metric:
    return Metric(value=interval.value, low=interval.low, high=interval.high, n=interval.n, samples=1)
