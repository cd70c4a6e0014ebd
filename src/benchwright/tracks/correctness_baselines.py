"""What a model of labels must beat: always saying the commonest one, and guessing from the files' shape.

Both on the very tasks that were scored, with the same metrics, so that they can stand in one table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from benchwright.records import Metric, Task
from benchwright.stats.classes import Predicted, class_metrics, majority
from benchwright.text.label import LABELS
from benchwright.tracks.correctness_rows import repository
from benchwright.tracks.shape import ShapedPair, shape_baseline


def majority_document(said: Sequence[Predicted]) -> dict[str, Any]:
    """The commonest true label and the metrics of always saying it."""
    label, _ = majority(said)
    constant = [Predicted(gold=each.gold, said=(label,)) for each in said]
    return {"label": label, **_metrics(constant)}


def shape_beside(tasks: Sequence[Task]) -> dict[str, Any]:
    """What the files' shape alone gets right; {"absent": why} where there is too little to learn from."""
    pairs = [shape_pair(task) for task in tasks]
    try:
        found = shape_baseline(pairs)
    except ValueError as error:
        return {"absent": str(error)}
    said = [Predicted(gold=pair.label, said=(each,)) for pair, each in zip(pairs, found.said, strict=True)]
    return {
        **_metrics(said),
        "less_majority": found.difference,
        "is_artefact": found.is_artefact,
        "tells": found.tells,
    }


def shape_pair(task: Task) -> ShapedPair:
    """What of a task the shape baseline sees."""
    return ShapedPair(
        focal_code=task.inputs["focal_code"],
        test_code=task.inputs["test_code"],
        label=task.outputs,
        group=repository(task),
    )


def findings(metrics: Mapping[str, Metric], baselines: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Sentences on what a figure alone does not show: a model not above a baseline, rows told by their shape.

    "Above" is that the model's whole interval lies above the baseline's figure. The figure of a constant
    answer is a fact of the data set, with no chance of its own to allow for.
    """
    model, said = metrics["exact_match"], []
    for name, baseline in (
        (f"always saying {baselines['majority']['label']}", baselines["majority"]),
        ("guessing from line counts and lengths alone", baselines["shape"]),
    ):
        if "exact_match" in baseline and model.low <= baseline["exact_match"].value:
            said.append(_not_above(model, baseline["exact_match"].value, name))
    mcc = metrics.get("mcc")
    if mcc is not None and mcc.low <= 0 <= mcc.high:
        said.append(
            "its answers are not established to be related to the labels at all: MCC's interval holds 0"
        )
    if baselines["shape"].get("is_artefact"):
        said.append(
            "the shape of the files tells more of the labels than chance does: the rows have an artefact"
        )
    return said


def _not_above(model: Metric, baseline: float, name: str) -> str:
    shown = f"{100 * model.value:.1f} % ({100 * model.low:.1f}–{100 * model.high:.1f})"
    than = f"{name}, {100 * baseline:.1f} %"
    if model.high < baseline:
        return f"the model is worse than {than}: its exact match is {shown}"
    return f"the model is not better than {than}, beyond its interval: its exact match is {shown}"


def _metrics(said: Sequence[Predicted]) -> dict[str, Metric]:
    """All metrics but "invalid": a baseline always says a label."""
    found = class_metrics(said, labels=LABELS)
    return {name: metric for name, metric in found.items() if name != "invalid"}
