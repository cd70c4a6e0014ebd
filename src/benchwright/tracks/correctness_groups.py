"""Groups of a CodeCorrectness row: language, subset and tags."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from benchwright.records import Task

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
