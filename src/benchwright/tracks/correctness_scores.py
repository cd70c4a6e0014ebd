"""From how answers ended to the metrics of a label task, by group, with the baselines they must beat.

A verdict says whether a label was right, so of two labels it also says which was read: nothing else has
to be stored. An answer that is missing through no fault of the model counts nowhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from benchwright.contracts import JudgedAnswer, JudgedAnswers
from benchwright.records import Metric, Outcome, Task, TaskId
from benchwright.stats.classes import Predicted, class_metrics, confusion, grouped
from benchwright.text.label import LABELS
from benchwright.text.label_words import FAILED, SUCCESS
from benchwright.tracks.correctness_baselines import findings, majority_document, shape_beside
from benchwright.tracks.correctness_rows import own_prompt, unescaped_fields

LEAST = 10  # tasks of a tag below which its metrics would say nothing
_EDGES = (0, 25, 50, 100, 200, 400)  # a number as a tag is put between two of these


def predicted(gold: str, outcome: Outcome) -> str | None:
    """The label that an answer was read as, from its outcome; None where it held none."""
    if outcome is Outcome.passed:
        return gold
    if outcome is Outcome.wrong:
        return FAILED if gold == SUCCESS else SUCCESS
    return None


def score_metrics(tasks: Mapping[TaskId, Task], answers: JudgedAnswers) -> dict[str, Metric]:
    """exact_match, balanced_accuracy, mcc, macro_f1, invalid; empty where no answer was judged."""
    answered = _answered(tasks, answers)
    return class_metrics([said for _, said in answered], labels=LABELS) if answered else {}


def score_details(tasks: Mapping[TaskId, Task], answers: JudgedAnswers) -> dict[str, Any]:
    """What stands behind the metrics, as a JSON document.

    confusion: answers by true label and what was said. baselines: majority and shape, on the same tasks.
    findings: sentences on what the score does not show. groups: {"language" | "subset" | "tag" | "prompt":
    {name: {metric: …}}}. unescaped: ids of the tasks whose code had been escaped twice. Tags of fewer than 10
    tasks are counted in `small_tags`.
    """
    answered = _answered(tasks, answers)
    if not answered:
        return {}
    said = [each for _, each in answered]
    by_tag = _by_group(answered, _tags)
    groups = {
        "language": _by_group(answered, lambda task: [task.inputs["lang"]]),
        "subset": _by_group(answered, _subset),
        "tag": {name: group for name, group in by_tag.items() if len(group) >= LEAST},
        "prompt": _by_prompt(tasks, answers),
    }
    baselines = {"majority": majority_document(said), "shape": shape_beside([task for task, _ in answered])}
    document = {
        "confusion": _table(said),
        "baselines": baselines,
        "findings": findings(class_metrics(said, labels=LABELS), baselines),
        "groups": {
            kind: {name: class_metrics(group, labels=LABELS) for name, group in named.items()}
            for kind, named in groups.items()
            if named
        },
        "small_tags": len(by_tag) - len(groups["tag"]),
        "unescaped": [task.task_id for task, _ in answered if unescaped_fields(task)],
    }
    built: dict[str, Any] = msgspec.to_builtins(document)
    return built


def _answered(tasks: Mapping[TaskId, Task], answers: JudgedAnswers) -> list[tuple[Task, Predicted]]:
    """The tasks that have a judged answer, in their order, with what was said."""
    return [
        (task, Predicted(gold=gold, said=tuple(predicted(gold, each.outcome) for each in answers[task_id])))
        for task_id, task in tasks.items()
        if task_id in answers
        for gold in [task.outputs]
    ]


def _by_group(answered: Sequence[tuple[Task, Predicted]], names_of: Any) -> dict[str, list[Predicted]]:
    return dict(grouped([said for _, said in answered], [names_of(task) for task, _ in answered]))


def _by_prompt(tasks: Mapping[TaskId, Task], answers: JudgedAnswers) -> dict[str, list[Predicted]]:
    """By the prompt that was asked; where that was the row's own, by the wording that the row names."""
    variants: dict[str, dict[TaskId, list[JudgedAnswer]]] = {}
    for task_id, given in answers.items():
        for each in given:
            if variant := each.variant or own_prompt(tasks[task_id]):
                variants.setdefault(variant, {}).setdefault(task_id, []).append(each)
    return {name: [said for _, said in _answered(tasks, group)] for name, group in sorted(variants.items())}


def _subset(task: Task) -> list[str]:
    subset = task.meta.get("subset")
    return [subset] if isinstance(subset, str) and subset else []


def _tags(task: Task) -> list[str]:
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
    """A number's range, from one edge to below the next; small numbers stand for themselves."""
    if 0 <= number <= 5:
        return str(number)
    low = max((edge for edge in _EDGES if edge <= number), default=None)
    high = min((edge for edge in _EDGES if edge > number), default=None)
    if low is None:
        return "below 0"
    return f"{max(low, 6)} and more" if high is None else f"{max(low, 6)} to {high - 1}"


def _table(said: Sequence[Predicted]) -> dict[str, dict[str, int]]:
    """{true label: {what was said: answers}}."""
    counts = list(map(int, confusion(said, labels=LABELS)))
    columns = (*LABELS, "none")
    return {
        LABELS[0]: dict(zip(columns, counts[:3], strict=True)),
        LABELS[1]: dict(zip(columns, counts[3:], strict=True)),
    }
