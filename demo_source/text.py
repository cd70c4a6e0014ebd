"""A task and its known solutions as text, which is all that answers are made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from inspect import signature
from typing import Any

from demo_source import slips_a, slips_b, tasks_a, tasks_b, tasks_c, ways_a, ways_b
from demo_source.task import DemoTask, parts_of

TASKS = [*tasks_a.TASKS, *tasks_b.TASKS, *tasks_c.TASKS]
WAYS = [*ways_a.WAYS, *ways_b.WAYS]
SLIPS = [*slips_a.SLIPS, *slips_b.SLIPS]
EMPTY = {"int": "0", "float": "0.0", "str": "''", "bool": "False", "list": "[]", "tuple": "()", "dict": "{}"}


@dataclass(frozen=True)
class TaskText:
    """One task as text: `ways` are right bodies, `slips` are wrong ones, each indented by four spaces."""

    number: int
    name: str
    signature: str
    prompt: str
    parameters: tuple[str, ...]
    returns: str
    ways: tuple[str, ...]
    slips: tuple[str, ...]
    examples: tuple[tuple[str, str], ...]  # the arguments as a dict literal, the value as a literal

    @property
    def example(self) -> str:
        """A call with the first example's arguments."""
        return f"{self.name}(**{self.examples[0][0]})"

    @property
    def empty(self) -> str:
        """A literal of the right type and no merit."""
        return EMPTY[self.returns]


def task_texts() -> list[TaskText]:
    """All demo tasks in their order, numbered from 1 as MERA numbers its rows."""
    found = zip(TASKS, WAYS, SLIPS, strict=True)
    return [_text(number, task, way, slips) for number, (task, way, slips) in enumerate(found, 1)]


def _text(
    number: int, task: DemoTask, way: Callable[..., Any], slips: tuple[Callable[..., Any], ...]
) -> TaskText:
    parts = parts_of(task.solution)
    returns = str(signature(task.solution).return_annotation)
    return TaskText(
        number=number,
        name=task.name,
        signature=parts.signature,
        prompt=f"{parts.signature}\n{parts.docstring}",
        parameters=tuple(signature(task.solution).parameters),
        returns=returns.partition("[")[0],
        ways=(parts.body.strip("\n"), parts_of(way).body),
        slips=tuple(parts_of(slip).body for slip in slips),
        examples=tuple((repr(given), repr(task.solution(**given))) for given in task.tests[:2]),
    )
