"""Standings and comparisons as documents: JSON values and CSV."""

from __future__ import annotations

import csv
import io
from itertools import pairwise
from typing import Any

import msgspec

from benchwright.display.escape import spreadsheet_cell
from benchwright.rank.comparison import Comparison
from benchwright.rank.contestant import Contestant
from benchwright.rank.standing import ModelPair, Standing, StandingRow

COLUMNS = (
    "place_best",
    "place_worst",
    "name",
    "model",
    "metric",
    "value",
    "low",
    "high",
    "tasks",
    "samples",
    "lead_over_next",
    "p_over_next",
    "separated_from_next",
    "run",
)


def standing_document(standing: Standing) -> dict[str, Any]:
    """The JSON document of a standing; all keys are always present."""
    return {
        "metric": standing.metric,
        "places_hold": standing.method,
        "confidence": standing.confidence,
        "tasks": standing.tasks,
        "clusters": standing.clusters,
        "grouping": standing.grouping,
        "places": [_place(place) for place in standing.places],
        "pairs": [_pair(pair) for pair in standing.pairs],
        "notes": standing.notes,
        "sentence": standing.sentence,
    }


def _place(place: StandingRow) -> dict[str, Any]:
    return {**msgspec.structs.asdict(place), "metric": msgspec.structs.asdict(place.metric)}


def _pair(pair: ModelPair) -> dict[str, Any]:
    return {**msgspec.structs.asdict(pair), "difference": msgspec.structs.asdict(pair.difference)}


def standing_csv(standing: Standing) -> str:
    """The table as CSV, one model per row, best first; figures are shares, not points."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for place, pair in zip(standing.places, next_comparisons(standing), strict=True):
        metric = place.metric
        figures = (metric.value, metric.low, metric.high, metric.n, metric.samples)
        identity = (spreadsheet_cell(place.name), spreadsheet_cell(place.model), standing.metric)
        step = ("", "", "") if pair is None else (pair.difference.value, pair.p, str(pair.separated).lower())
        writer.writerow([place.best, place.worst, *identity, *figures, *step, spreadsheet_cell(place.path)])
    return text.getvalue()


def next_comparisons(standing: Standing) -> list[ModelPair | None]:
    """For each row its comparison with the row below; None for the last."""
    pairs = {(pair.above, pair.below): pair for pair in standing.pairs}
    below = [pairs[above.name, lower.name] for above, lower in pairwise(standing.places)]
    return [*below, None]


def comparison_document(found: Comparison, a: Contestant, b: Contestant) -> dict[str, Any]:
    """The JSON document of a comparison; all keys are always present."""
    return {
        "metric": found.metric,
        "confidence": found.confidence,
        "a": _side(a, found.a_value, found.metric),
        "b": _side(b, found.b_value, found.metric),
        "difference": msgspec.structs.asdict(found.difference),
        "grouping": found.grouping,
        "separated": found.separated,
        "decided_by": found.decided_by,
        "better": found.better,
        "changes": [
            {"task_id": row.task_id, "a": row.a, "b": row.b, "difference": row.difference}
            for row in found.changes
        ],
        "notes": found.notes,
        "sentence": found.sentence,
    }


def _side(run: Contestant, value: float, metric: str) -> dict[str, Any]:
    """One run: `value` is over the shared tasks, `own` as the run itself reports it."""
    metrics = {name: msgspec.structs.asdict(each) for name, each in run.score.metrics.items()}
    own = metrics.pop(metric)
    return {
        "name": run.name,
        "run": run.path,
        "model": run.model,
        "value": value,
        "own": own,
        "others": metrics,  # shown next to it; they are not tested here
    }
