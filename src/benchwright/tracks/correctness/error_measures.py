"""Measures of predicted error classes: macro-F1, exact match, both by class, and baselines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from benchwright.contracts import (
    NO_LABEL,
    Grouping,
    JudgedAnswer,
    JudgedAnswers,
    Measure,
    MeasureSet,
    Sections,
)
from benchwright.records import Metric, Outcome, Task, TaskId
from benchwright.stats.metrics import as_metric
from benchwright.stats.several_classes import class_f1, confusion_counts, multiclass_metrics
from benchwright.stats.two_classes import LabelPredictions, grouped, majority, mean_share
from benchwright.text.error_class import CLASSES, SUCCESS
from benchwright.tracks.correctness.measures import (
    LEAST,
    groups_of,
    language_names,
    not_above,
    subset_names,
    tag_names,
)
from benchwright.tracks.correctness.rows import cluster, notes_on_clusters, notes_on_rows

_ABOUT = (
    "Baselines without the skill: always the commonest class, or, knowing which tests pass, the "
    "commonest error for every other one. In the rows of classes exact match is the share recognised, and "
    "macro-F1 that class's F1."
)
_WITHHELD = "which wrong class was named is not kept in a run without its tasks, so macro-F1 is not known"


class ClassedAnswers(NamedTuple):
    """A task with the classes of its answers; `known` is False if a wrong answer's class was not stored."""

    task: Task
    predictions: LabelPredictions
    known: bool


class ErrorMeasures(MeasureSet):
    """Exact match, which compares runs task by task, and macro-F1 over the classes."""

    measures = (
        Measure(name="exact_match", better="is right more often", paired=True, shown="group"),
        Measure(name="macro_f1", label="macro-F1", shown="group"),
        Measure(name="balanced_accuracy", shown="ranking"),
        Measure(name="invalid", label="no class", higher_is_better=False, shown="summary"),
    )

    def metrics(
        self, tasks: Mapping[TaskId, Task], answers: JudgedAnswers, ks: Sequence[int]
    ) -> dict[str, Metric]:
        """All four metrics; macro-F1 and balanced accuracy only if there are two classes."""
        answered = answered_tasks(tasks, answers)
        return _metrics(answered) if answered else {}

    def task_value(self, name: str, answers: Sequence[JudgedAnswer]) -> float | None:
        """Share of right answers."""
        return sum(each.outcome is Outcome.passed for each in answers) / len(answers) if answers else None

    def notes(self, tasks: Mapping[TaskId, Task], answers: JudgedAnswers, ks: Sequence[int]) -> Sequence[str]:
        """Notes on rows, on clusters, and on classes that a run without tasks does not store."""
        known = all(each.known for each in answered_tasks(tasks, answers))
        class_notes = [] if known else [_WITHHELD]
        return [
            *notes_on_rows(tasks.values()),
            *notes_on_clusters([tasks[name] for name in answers]),
            *class_notes,
        ]

    def groups_of(self, task: Task) -> dict[str, list[str]]:
        """Language, subset and tags of a task."""
        return groups_of(task)

    def details(self, tasks: Mapping[TaskId, Task], answers: JudgedAnswers) -> dict[str, Any]:
        """Confusion, baselines, findings, and figures by class, language, subset, tag and prompt."""
        answered = answered_tasks(tasks, answers)
        if not answered or not all(each.known for each in answered):
            return {}
        return _details(answered, _by_prompt(tasks, answers))

    def sections(self, details: Mapping[str, Any]) -> Sections:
        """All sections, with the classes in their usual order."""
        found = super().sections(details)
        stored_baselines = details.get("baselines", {})
        names = {
            "majority": f"always {stored_baselines.get('majority', {}).get('class', '')}",
            "label": f"right label, else {stored_baselines.get('label', {}).get('class', '')}",
        }
        return msgspec.structs.replace(
            found,
            title="Error classes",
            confusion={name: found.confusion[name] for name in CLASSES if name in found.confusion},
            baselines=[
                msgspec.structs.replace(each, name=names.get(each.kind, each.kind))
                for each in found.baselines
            ],
            groupings=[_in_order(each) if each.kind == "class" else each for each in found.groupings],
            about_baselines=_ABOUT,
        )


def answered_tasks(tasks: Mapping[TaskId, Task], answers: JudgedAnswers) -> list[ClassedAnswers]:
    """Tasks with a judged answer, in order, with the answered classes."""
    found = []
    for task_id, task in tasks.items():
        if task_id in answers:
            classes = [_answered_class(task.outputs, each) for each in answers[task_id]]
            known = all(
                name is not None or each.outcome is not Outcome.wrong
                for name, each in zip(classes, answers[task_id], strict=True)
            )
            predicted = LabelPredictions(gold=task.outputs, said=tuple(classes), cluster=cluster(task))
            found.append(ClassedAnswers(task, predicted, known))
    return found


def _answered_class(gold: str, answer: JudgedAnswer) -> str | None:
    """The answered class: that of the task if right, else the class among its parts."""
    if answer.outcome is Outcome.passed:
        return gold
    return next((name for name in answer.parts if name in CLASSES), None)


def _metrics(answered: Sequence[ClassedAnswers]) -> dict[str, Metric]:
    """All four metrics; only the share of right answers if the wrong classes are unknown."""
    predictions = [each.predictions for each in answered]
    if all(each.known for each in answered):
        return multiclass_metrics(predictions, classes=CLASSES)
    samples = min(len(each.said) for each in predictions)
    right = mean_share(predictions, [each.share(each.gold) for each in predictions], draws=samples)
    return {"exact_match": as_metric(right, samples)}


def _details(
    answered: Sequence[ClassedAnswers], prompts: Mapping[str, Sequence[ClassedAnswers]]
) -> dict[str, Any]:
    predictions = [each.predictions for each in answered]
    metrics, baselines = multiclass_metrics(predictions, classes=CLASSES), _baselines(predictions)
    by_tag = _groups(answered, tag_names)
    groups: dict[str, dict[str, dict[str, Metric]]] = {
        "class": _by_class(predictions),
        "language": _figures(_groups(answered, language_names)),
        "subset": _figures(_groups(answered, subset_names)),
        "tag": _figures({name: group for name, group in by_tag.items() if len(group) >= LEAST}),
        "prompt": _figures({name: [each.predictions for each in group] for name, group in prompts.items()}),
    }
    built: dict[str, Any] = msgspec.to_builtins(
        {
            "confusion": _table(predictions),
            "baselines": baselines,
            "findings": _findings(metrics, baselines),
            "groups": {kind: rows for kind, rows in groups.items() if rows},
            "small_tags": len(by_tag) - len(groups["tag"]),
        }
    )
    return built


def _baselines(predictions: Sequence[LabelPredictions]) -> dict[str, dict[str, Any]]:
    """Baselines: always the most common class, and, given the label, the most common error."""
    common, _ = majority(predictions)
    errors = Counter(each.gold for each in predictions if each.gold != SUCCESS)
    found: dict[str, dict[str, Any]] = {
        "majority": {"class": common, **_constant(predictions, lambda gold: common)},
    }
    if errors:
        worst = min(errors, key=lambda name: (-errors[name], name))
        guess = _constant(predictions, lambda gold: SUCCESS if gold == SUCCESS else worst)
        found["label"] = {"class": worst, **guess}
    return found


def _constant(predictions: Sequence[LabelPredictions], answer: Callable[[str], str]) -> dict[str, Metric]:
    constant = [msgspec.structs.replace(each, said=(answer(each.gold),)) for each in predictions]
    found = multiclass_metrics(constant, classes=CLASSES)
    return {name: metric for name, metric in found.items() if name != "invalid"}


def _findings(metrics: Mapping[str, Metric], baselines: Mapping[str, Mapping[str, Any]]) -> list[str]:
    constant = baselines["majority"]
    if metrics["exact_match"].low > constant["exact_match"].value:
        return []
    name = f"always saying {constant['class']}"
    return [not_above(metrics["exact_match"], constant["exact_match"].value, name)]


def _by_class(predictions: Sequence[LabelPredictions]) -> dict[str, dict[str, Metric]]:
    """Share recognised and F1 of each class that tasks have."""
    rows = {}
    for name in CLASSES:
        members = [each for each in predictions if each.gold == name]
        if members:
            samples = min(len(each.said) for each in members)
            recognised = mean_share(members, [each.share(name) for each in members], draws=samples)
            rows[name] = {
                "exact_match": as_metric(recognised, samples),
                "macro_f1": as_metric(class_f1(predictions, name), samples),
            }
    return rows


def _table(predictions: Sequence[LabelPredictions]) -> dict[str, dict[str, int]]:
    """{true class: {answered class: number of answers}}, for the classes that tasks have."""
    counts = confusion_counts(predictions, classes=CLASSES)
    return {
        gold: {name or NO_LABEL: number for name, number in row.items()}
        for gold, row in counts.items()
        if sum(row.values())
    }


def _groups(
    answered: Sequence[ClassedAnswers], names_of: Callable[[Task], Sequence[str]]
) -> dict[str, list[LabelPredictions]]:
    return dict(grouped([each.predictions for each in answered], [names_of(each.task) for each in answered]))


def _figures(groups: Mapping[str, Sequence[LabelPredictions]]) -> dict[str, dict[str, Metric]]:
    return {name: multiclass_metrics(group, classes=CLASSES) for name, group in groups.items()}


def _by_prompt(tasks: Mapping[TaskId, Task], answers: JudgedAnswers) -> dict[str, list[ClassedAnswers]]:
    names = sorted({each.variant for given in answers.values() for each in given if each.variant})
    return {
        name: answered_tasks(
            tasks,
            {
                task: matching_answers
                for task, given in answers.items()
                if (matching_answers := [each for each in given if each.variant == name])
            },
        )
        for name in names
    }


def _in_order(grouping: Grouping) -> Grouping:
    rows = {name: grouping.rows[name] for name in CLASSES if name in grouping.rows}
    return msgspec.structs.replace(grouping, rows=rows)
