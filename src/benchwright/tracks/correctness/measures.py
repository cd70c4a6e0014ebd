"""Measures of CodeCorrectness labels: figures, confusion, baselines, and groups by language and tag."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from benchwright.contracts import Baseline, JudgedAnswer, JudgedAnswers, Measure, MeasureSet, Sections
from benchwright.records import Metric, Outcome, Task, TaskId
from benchwright.stats.two_classes import LabelPredictions, class_metrics, confusion, grouped, majority
from benchwright.text.label import LABELS
from benchwright.text.label_words import FAILED, SUCCESS
from benchwright.tracks.correctness.layout_baseline import LayoutPair, layout_baseline
from benchwright.tracks.correctness.rows import (
    cluster,
    notes_on_clusters,
    notes_on_rows,
    own_prompt,
    repository,
    unescaped_fields,
)

_EDGES = (0, 25, 50, 100, 200, 400)  # edges of the ranges of numeric tags


def groups_of(task: Task) -> dict[str, list[str]]:
    """All groups of a task, by kind."""
    return {"language": language_names(task), "subset": subset_names(task), "tag": tag_names(task)}


def language_names(task: Task) -> list[str]:
    """The group of the row's language."""
    return [task.inputs["lang"]]


def subset_names(task: Task) -> list[str]:
    """The group of the row's subset, if it has one."""
    subset = task.meta.get("subset")
    return [subset] if isinstance(subset, str) and subset else []


def tag_names(task: Task) -> list[str]:
    """The tags of a task: a list of names, or facts such as {"asserts": 3, "focal_uses": ["time"]}."""
    tags = task.meta.get("tags")
    if isinstance(tags, list):
        return [tag for tag in tags if isinstance(tag, str)]
    return (
        [name for key, value in tags.items() for name in _tag(key, value)] if isinstance(tags, dict) else []
    )


def _tag(key: str, value: Any) -> Iterator[str]:
    if isinstance(value, bool):
        yield f"{key}: {'yes' if value else 'no'}"
    elif isinstance(value, int):
        yield f"{key}: {_range(value)}"
    elif isinstance(value, str):
        yield f"{key}: {value}"
    elif isinstance(value, list):
        yield from (f"{key}: {item}" for item in value if isinstance(item, str))
    elif isinstance(value, dict):
        yield from (f"{key}: {name}" for name, content in value.items() if content)


def _range(number: int) -> str:
    """The range of a number, from one edge to below the next; small numbers are their own range."""
    if 0 <= number <= 5:
        return str(number)
    low = max((edge for edge in _EDGES if edge <= number), default=None)
    high = min((edge for edge in _EDGES if edge > number), default=None)
    if low is None:
        return "below 0"
    return f"{max(low, 6)} and more" if high is None else f"{max(low, 6)} to {high - 1}"


# Baselines: always answering the most common label, and guessing from the layout of the files. Both use the
# scored tasks and the same metrics, so that one table can show them with the model.


def majority_document(said: Sequence[LabelPredictions]) -> dict[str, Any]:
    """The most common true label, and the metrics of always answering it."""
    label, _ = majority(said)
    constant = [msgspec.structs.replace(each, said=(label,)) for each in said]
    return {"label": label, **_metrics(constant)}


def shape_beside(tasks: Sequence[Task]) -> dict[str, Any]:
    """Metrics of guessing from the layout of the files; {"absent": why} if there are too few rows."""
    pairs = [shape_pair(task) for task in tasks]
    try:
        found = layout_baseline(pairs)
    except ValueError as error:
        return {"absent": str(error)}
    predictions = [
        LabelPredictions(gold=task.outputs, said=(each,), cluster=cluster(task))
        for task, each in zip(tasks, found.said, strict=True)
    ]
    return {
        **_metrics(predictions),
        "less_majority": found.difference,
        "is_artefact": found.is_artefact,
        "tells": found.tells,
    }


def shape_pair(task: Task) -> LayoutPair:
    """The part of a task that the layout baseline uses."""
    return LayoutPair(
        focal_code=task.inputs["focal_code"],
        test_code=task.inputs["test_code"],
        label=task.outputs,
        group=repository(task),
        cluster=cluster(task),
    )


def findings(metrics: Mapping[str, Metric], baselines: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Sentences on facts that figures do not show: a model not above a baseline, labels guessed by layout.

    A model is above a baseline if its whole interval is above the baseline's figure. The figure of a constant
    answer is a fact of the data set and has no interval.
    """
    model, sentences = metrics["exact_match"], []
    for name, baseline in (
        (f"always saying {baselines['majority']['label']}", baselines["majority"]),
        ("guessing from line counts and lengths alone", baselines["shape"]),
    ):
        if "exact_match" in baseline and model.low <= baseline["exact_match"].value:
            sentences.append(not_above(model, baseline["exact_match"].value, name))
    mcc = metrics.get("mcc")
    if mcc is not None and mcc.low <= 0 <= mcc.high:
        sentences.append(
            "its answers are not established to be related to the labels at all: MCC's interval holds 0"
        )
    if baselines["shape"].get("is_artefact"):
        sentences.append(
            "the shape of the files tells more of the labels than chance does: the rows have an artefact"
        )
    return sentences


def not_above(model: Metric, baseline: float, name: str) -> str:
    """Sentence on a model whose interval is not above a baseline."""
    figure = f"{100 * model.value:.1f} % ({100 * model.low:.1f}–{100 * model.high:.1f})"
    reference = f"{name}, {100 * baseline:.1f} %"
    if model.high < baseline:
        return f"the model is worse than {reference}: its exact match is {figure}"
    return f"the model is not better than {reference}, beyond its interval: its exact match is {figure}"


def _metrics(predictions: Sequence[LabelPredictions]) -> dict[str, Metric]:
    """All metrics except "invalid", because a baseline always answers a label."""
    found = class_metrics(predictions, labels=LABELS)
    return {name: metric for name, metric in found.items() if name != "invalid"}


# Metrics are computed from outcomes. With two labels, a verdict also implies the answered label, so nothing
# else has to be stored. Answers that are missing because of infrastructure errors are not counted.

LEAST = 10  # minimum of tasks for the metrics of a tag


def predicted(gold: str, outcome: Outcome) -> str | None:
    """The answered label, inferred from the outcome; None if the answer has none."""
    if outcome is Outcome.passed:
        return gold
    if outcome is Outcome.wrong:
        return FAILED if gold == SUCCESS else SUCCESS
    return None


def score_metrics(tasks: Mapping[TaskId, Task], answers: JudgedAnswers) -> dict[str, Metric]:
    """exact_match, balanced_accuracy, mcc, macro_f1, invalid; empty if no answer was judged."""
    answered = _predictions_by_task(tasks, answers)
    return class_metrics([prediction for _, prediction in answered], labels=LABELS) if answered else {}


def score_details(tasks: Mapping[TaskId, Task], answers: JudgedAnswers) -> dict[str, Any]:
    """Details of the metrics, as a JSON document.

    confusion: answers by true and answered label. baselines: majority and layout, on the same tasks.
    findings: sentences on facts that the score does not show. groups: {"language" | "subset" | "tag" |
    "prompt": {name: {metric: …}}}. unescaped: ids of the tasks whose code had been escaped twice. Tags of
    fewer than 10 tasks are counted in `small_tags`.
    """
    answered = _predictions_by_task(tasks, answers)
    if not answered:
        return {}
    predictions = [each for _, each in answered]
    by_tag = _by_group(answered, tag_names)
    groups = {
        "language": _by_group(answered, language_names),
        "subset": _by_group(answered, subset_names),
        "tag": {name: group for name, group in by_tag.items() if len(group) >= LEAST},
        "prompt": _by_prompt(tasks, answers),
    }
    baselines = {
        "majority": majority_document(predictions),
        "shape": shape_beside([task for task, _ in answered]),
    }
    document = {
        "confusion": _table(predictions),
        "baselines": baselines,
        "findings": findings(class_metrics(predictions, labels=LABELS), baselines),
        "groups": {
            kind: {name: class_metrics(group, labels=LABELS) for name, group in members.items()}
            for kind, members in groups.items()
            if members
        },
        "small_tags": len(by_tag) - len(groups["tag"]),
        "unescaped": [task.task_id for task, _ in answered if unescaped_fields(task)],
    }
    built: dict[str, Any] = msgspec.to_builtins(document)
    return built


def _predictions_by_task(
    tasks: Mapping[TaskId, Task], answers: JudgedAnswers
) -> list[tuple[Task, LabelPredictions]]:
    """Tasks with a judged answer, in order, with the answered labels."""
    return [
        (task, LabelPredictions(gold=gold, said=answer_labels, cluster=cluster(task)))
        for task_id, task in tasks.items()
        if task_id in answers
        for gold in [task.outputs]
        for answer_labels in [tuple(predicted(gold, each.outcome) for each in answers[task_id])]
    ]


def _by_group(
    answered: Sequence[tuple[Task, LabelPredictions]], names_of: Any
) -> dict[str, list[LabelPredictions]]:
    return dict(grouped([prediction for _, prediction in answered], [names_of(task) for task, _ in answered]))


def _by_prompt(tasks: Mapping[TaskId, Task], answers: JudgedAnswers) -> dict[str, list[LabelPredictions]]:
    """Group answers by prompt; if it was the row's own, by the prompt that the row names."""
    variants: dict[str, dict[TaskId, list[JudgedAnswer]]] = {}
    for task_id, given in answers.items():
        for each in given:
            if variant := each.variant or own_prompt(tasks[task_id]):
                variants.setdefault(variant, {}).setdefault(task_id, []).append(each)
    return {
        name: [prediction for _, prediction in _predictions_by_task(tasks, group)]
        for name, group in sorted(variants.items())
    }


def _table(predictions: Sequence[LabelPredictions]) -> dict[str, dict[str, int]]:
    """{true label: {answered label: number of answers}}."""
    counts = list(map(int, confusion(predictions, labels=LABELS)))
    columns = (*LABELS, "none")
    return {
        LABELS[0]: dict(zip(columns, counts[:3], strict=True)),
        LABELS[1]: dict(zip(columns, counts[3:], strict=True)),
    }


_ABOUT = (
    "Baselines that read nothing: always the commonest label, or a guess from line counts and "
    "lengths alone (cross-validated)."
)


class LabelMeasures(MeasureSet):
    """Exact match, which compares runs, and metrics that reveal a bias to one label."""

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
        """All five metrics; balanced accuracy, MCC and macro-F1 only if both labels occur."""
        return score_metrics(tasks, answers)

    def task_value(self, name: str, answers: Sequence[JudgedAnswer]) -> float | None:
        """Share of right answers."""
        return sum(each.outcome is Outcome.passed for each in answers) / len(answers) if answers else None

    def notes(self, tasks: Mapping[TaskId, Task], answers: JudgedAnswers, ks: Sequence[int]) -> Sequence[str]:
        """Notes on rows with doubly escaped code, and on clusters."""
        return [*notes_on_rows(tasks.values()), *notes_on_clusters([tasks[name] for name in answers])]

    def groups_of(self, task: Task) -> dict[str, list[str]]:
        """Language, subset and tags of a task."""
        return groups_of(task)

    def details(self, tasks: Mapping[TaskId, Task], answers: JudgedAnswers) -> dict[str, Any]:
        """Confusion table, baselines, and figures by language, subset, tag and prompt."""
        return score_details(tasks, answers)

    def sections(self, details: Mapping[str, Any]) -> Sections:
        """All sections, with labels in their usual order, which a stored score does not keep."""
        found = super().sections(details)
        stored_baselines = details.get("baselines", {})
        label, absent = (
            stored_baselines.get("majority", {}).get("label", ""),
            stored_baselines.get("shape", {}).get("absent", ""),
        )
        names = {"majority": f"always {label}", "shape": "shape alone"}
        return msgspec.structs.replace(
            found,
            title="Labels",
            confusion={name: found.confusion[name] for name in LABELS if name in found.confusion},
            baselines=[
                _with_display_name(each, names)
                for each in sorted(found.baselines, key=lambda each: each.kind)
            ],
            about_baselines=f"{_ABOUT} The second is not here: {absent}." if absent else _ABOUT,
        )


def _with_display_name(baseline: Baseline, names: Mapping[str, str]) -> Baseline:
    return msgspec.structs.replace(baseline, name=names.get(baseline.kind, baseline.kind))
