"""One written answer, and the letters that plans are made of.

A plan has a row for each task and a letter for each of its ten answers: `R` right, `1` and `2` the
task's slips, others as the model's module says.
"""

from __future__ import annotations

from dataclasses import dataclass

from demo_source.shapes import Shape
from demo_source.text import TaskText


@dataclass(frozen=True)
class Written:
    """A completion as a server would return it, with the kind of answer we meant it to be."""

    kind: str
    text: str
    finish_reason: str = "stop"


def honest(task: TaskText, letter: str, sample: int, shape: Shape) -> Written:
    """A right answer or one of the task's slips, in the given shape."""
    if letter == "R":
        return Written("right", shape(task, task.ways[(task.number + sample) % 2]))
    return Written("slip", shape(task, task.slips[int(letter) - 1]))


def cut_off(task: TaskText, shape: Shape, share: float) -> Written:
    """An answer that ran into the token limit."""
    text = shape(task, task.ways[0])
    return Written("cut off", text[: int(len(text) * share)], "length")
