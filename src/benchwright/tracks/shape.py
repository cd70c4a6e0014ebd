"""How far the label of a pair can be guessed from the shape of its files, without reading a word of code.

Line counts, blank runs and lengths should tell nothing of whether a test passes. Where they do, the data
set has an artefact: the way in which rows were made shows, and a model may learn it in place of the task.
For any rows with code and a label: a finished data set as well as one in the making.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from math import log1p
from typing import Any

import msgspec

from benchwright.contracts import Measure
from benchwright.records import Metric, Record
from benchwright.stats.classes import Predicted, clusters_of, majority, mean_share
from benchwright.stats.intervals import Interval
from benchwright.stats.jackknife import cluster_tables, jackknife_half
from benchwright.stats.logistic import cross_validated
from benchwright.stats.proportions import dominance, paired_proportions

FOLDS = 5
LEAST = 4 * FOLDS  # rows of each label below which nothing can be learnt
SHOWN = 5
GUESSED = Measure(name="exact_match")  # how often a baseline guesses the label, told as models are
TOO_FAR = 0.05  # above the majority, as a share: from here on the builder warns
_SQUARED = ("lines", "characters", "blank_run")


class ShapedPair(Record, frozen=True, kw_only=True):
    """What of a row matters here; rows of one `group`, such as a repository, are never split.

    Rows of one `cluster`, such as the versions of one test, are seen together in intervals.
    """

    focal_code: str
    test_code: str
    label: str
    group: str = ""
    cluster: str = ""


class Tell(Record, frozen=True, kw_only=True):
    """A feature of shape and how often it is larger in a row of the first label than in one of the second.

    0.5 is what a feature that tells nothing has.
    """

    feature: str
    larger: Metric


class ShapeBaseline(Record, frozen=True, kw_only=True):
    """What the shape alone gets right, beside always saying the commonest label, on the same rows."""

    accuracy: Metric
    majority: Metric
    majority_label: str
    difference: Metric  # accuracy less majority, paired by row
    tells: list[Tell]  # the features that tell most, of those whose interval leaves 0.5 out
    labels: tuple[str, str]  # the first and the second
    said: list[str]  # the label that shape alone gives each row, by a model that did not see its fold

    @property
    def is_artefact(self) -> bool:
        """Whether shape beats the majority by more than chance would."""
        return self.difference.low > 0


def shape_baseline(pairs: Sequence[ShapedPair]) -> ShapeBaseline:
    """The cross-validated accuracy of a classifier that sees shape alone, the majority's, their difference.

    Ridge logistic regression in five folds; nothing is random. Raises ValueError where the rows do not
    have exactly two labels, each often enough. The interval of the difference takes predictions as
    independent of each other, which those of one fold nearly are.
    """
    labels = _labels(pairs)
    rows = [features(pair) for pair in pairs]
    truth = [pair.label == labels[0] for pair in pairs]
    groups = [pair.group or f"row {at}" for at, pair in enumerate(pairs)]
    by_group = groups if any(pair.group for pair in pairs) else None
    chances = cross_validated([list(row.values()) for row in rows], truth, folds=FOLDS, groups=by_group)
    right = [(chance >= 0.5) == is_first for chance, is_first in zip(chances, truth, strict=True)]
    rows_of = [Predicted(gold=pair.label, said=(pair.label,), cluster=pair.cluster) for pair in pairs]
    most, share = majority(rows_of)
    common = [pair.label == most for pair in pairs]
    return ShapeBaseline(
        accuracy=_metric(mean_share(rows_of, list(map(float, right)), draws=1)),
        majority=share,
        majority_label=most,
        difference=_metric(_difference(list(zip(right, common, strict=True)), clusters_of(rows_of))),
        tells=_tells(rows, truth),
        labels=labels,
        said=[labels[0] if chance >= 0.5 else labels[1] for chance in chances],
    )


def _difference(both: Sequence[tuple[bool, bool]], clusters: Sequence[str] | None) -> Interval:
    """The first share less the second, over the same rows; with clusters no narrower than their jackknife."""
    found = paired_proportions(both.count((True, False)), both.count((False, True)), len(both))
    if clusters is None:
        return found
    cells = [(float(first) - second, 1.0) for first, second in both]
    tables = cluster_tables(zip(clusters, cells, strict=True))
    half = jackknife_half(tables, lambda table: table[0] / table[1])
    return Interval(
        value=found.value,
        low=min(found.low, max(-1.0, found.value - half)),
        high=max(found.high, min(1.0, found.value + half)),
        n=found.n,
    )


def shape_document(pairs: Sequence[ShapedPair]) -> dict[str, Any]:
    """The baseline as a JSON document for a manifest, or {"absent": why} where there is too little to learn.

    `warning` is there where shape is more than five points above the majority: see `warning_of`.
    """
    try:
        found = shape_baseline(pairs)
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
    """Who guesses and the figure reached, for a table headed by GUESSED.

    The document is one of `shape_document` with figures.
    """
    majority = document["majority"]
    return [
        (f"always {majority['label']}", majority[GUESSED.name]),
        ("shape of the files alone", document[GUESSED.name]),
    ]


def warning_of(found: ShapeBaseline) -> str:
    """What to say of a baseline more than five points above the majority; empty below that.

    A bound on the difference itself, and not on its interval: with few rows no interval leaves zero out,
    and with very many a tenth of a point does, which no model could use.
    """
    lead = found.difference
    if lead.value <= TOO_FAR:
        return ""
    beyond = "beyond chance" if found.is_artefact else "within what chance alone may do with so few rows"
    tells = ", ".join(tell.feature for tell in found.tells) or "no single feature stands out"
    return (
        f"line counts and lengths alone guess {100 * found.accuracy.value:.1f} % of the labels, "
        f"{100 * lead.value:.1f} points more than always saying {found.majority_label} "
        f"({100 * lead.low:.1f} to {100 * lead.high:.1f}: {beyond}); what tells: {tells}"
    )


def features(pair: ShapedPair) -> dict[str, float]:
    """The shape of both files. Sizes are logarithms; squares let the middle differ from both ends."""
    found: dict[str, float] = {}
    for name, code in (("focal", pair.focal_code), ("test", pair.test_code)):
        shape = _shape(code)
        shape |= {f"{each}²": shape[each] ** 2 for each in _SQUARED}
        found |= {f"{name}.{each}": value for each, value in shape.items()}
    return found


def _shape(code: str) -> dict[str, float]:
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


def _labels(pairs: Sequence[ShapedPair]) -> tuple[str, str]:
    counts = {label: sum(pair.label == label for pair in pairs) for label in {pair.label for pair in pairs}}
    if len(counts) != 2 or min(counts.values()) < LEAST:
        found = ", ".join(f"{count} {label}" for label, count in sorted(counts.items())) or "none"
        raise ValueError(f"a shape baseline needs two labels with {LEAST} rows each; there are: {found}")
    first, second = sorted(counts, reverse=True)  # "success" before "failed"
    return first, second


def _tells(rows: Sequence[dict[str, float]], truth: Sequence[bool]) -> list[Tell]:
    """The features that differ most between the labels. The level is shared among them (Bonferroni)."""
    names = [name for name in rows[0] if not name.endswith("²")]
    found = []
    for name in names:
        first = [row[name] for row, is_first in zip(rows, truth, strict=True) if is_first]
        second = [row[name] for row, is_first in zip(rows, truth, strict=True) if not is_first]
        area = dominance(first, second, confidence=1 - 0.05 / len(names))
        if not area.low <= 0.5 <= area.high:
            found.append(Tell(feature=name, larger=_metric(area)))
    return sorted(found, key=lambda tell: -abs(tell.larger.value - 0.5))[:SHOWN]


def _metric(interval: Interval) -> Metric:
    return Metric(value=interval.value, low=interval.low, high=interval.high, n=interval.n, samples=1)
