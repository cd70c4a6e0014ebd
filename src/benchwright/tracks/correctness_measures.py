"""What is measured of predicted labels: the figures, and how pages name what stands beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from benchwright.contracts import Baseline, JudgedAnswer, JudgedAnswers, Measure, MeasureSet, Sections
from benchwright.records import Metric, Outcome, Task, TaskId
from benchwright.text.label import LABELS
from benchwright.tracks.correctness_rows import notes_on_rows
from benchwright.tracks.correctness_scores import score_details, score_metrics

_ABOUT = (
    "What a model gets that reads nothing: always the commonest label, or a guess from line counts and "
    "lengths alone (cross-validated)."
)


class LabelMeasures(MeasureSet):
    """Exact match, by which runs are compared, and what it hides of a model that leans to one label."""

    measures = (
        Measure(name="exact_match", better="is right more often", paired=True, shown="group"),
        Measure(name="balanced_accuracy", shown="ranking"),
        Measure(name="mcc", label="MCC", scale="correlation", shown="group"),
        Measure(name="macro_f1", label="macro-F1"),
        Measure(name="invalid", label="no label", higher_is_better=False, shown="summary"),
    )

    def metrics(
        self, tasks: Mapping[TaskId, Task], answers: JudgedAnswers, ks: Sequence[int]
    ) -> dict[str, Metric]:
        """All five; balanced accuracy, MCC and macro-F1 only where both labels are there to be told apart."""
        return score_metrics(tasks, answers)

    def task_value(self, name: str, answers: Sequence[JudgedAnswer]) -> float | None:
        """The share of answers that are right."""
        return sum(each.outcome is Outcome.passed for each in answers) / len(answers) if answers else None

    def notes(self, tasks: Mapping[TaskId, Task], answers: JudgedAnswers, ks: Sequence[int]) -> Sequence[str]:
        """How rows were read that were not quite in order."""
        return notes_on_rows(tasks.values())

    def details(self, tasks: Mapping[TaskId, Task], answers: JudgedAnswers) -> dict[str, Any]:
        """The confusion table, baselines, and figures by language, subset, tag and prompt."""
        return score_details(tasks, answers)

    def sections(self, details: Mapping[str, Any]) -> Sections:
        """All of them, with the labels in their own order, which a stored score does not keep."""
        found = super().sections(details)
        said = details.get("baselines", {})
        label, absent = said.get("majority", {}).get("label", ""), said.get("shape", {}).get("absent", "")
        names = {"majority": f"always {label}", "shape": "shape alone"}
        return msgspec.structs.replace(
            found,
            title="Labels",
            confusion={name: found.confusion[name] for name in LABELS if name in found.confusion},
            baselines=[_named(each, names) for each in sorted(found.baselines, key=lambda each: each.kind)],
            about_baselines=f"{_ABOUT} The second is not here: {absent}." if absent else _ABOUT,
        )


def _named(baseline: Baseline, names: Mapping[str, str]) -> Baseline:
    return msgspec.structs.replace(baseline, name=names.get(baseline.kind, baseline.kind))
