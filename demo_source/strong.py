"""demo-strong: mostly right, in every shape and by two ways, with slips on the harder edges."""

from __future__ import annotations

from demo_source.answers import Written, cut_off, honest
from demo_source.shapes import SHAPES, prose_then_fence
from demo_source.text import TaskText

# R right, 1 and 2 slips, L cut off; the tasks in their order
PLAN = """
RRRRRRRRRR RRRRRR2RRR RRRRRRRRRR RRRRRRRRRR RRRRRRR2RR RRRR1RRRRR RRRRRRRRRR RR2RRRRRRR
RRR2RRRR2R RRRRRRRRRR R2RRRR2RRR RRRRRRRRR1 RRRRRRRRRR R1RR1RR1RR RRRRR1RRRR RRRRRRRRRR
RR1RRRR1RR RRRRRRRRRR RRRRLRRRRR R1RRRR1RRR RRR2RRRRRR 1R1RR11R1R 22R2R22R2R RR2L1RRR2R
"""


def answers(task: TaskText) -> list[Written]:
    """Ten answers to one task."""
    return [_answer(task, sample, letter) for sample, letter in enumerate(PLAN.split()[task.number - 1])]


def _answer(task: TaskText, sample: int, letter: str) -> Written:
    if letter == "L":
        return cut_off(task, prose_then_fence, 0.7)
    return honest(task, letter, sample, SHAPES[(5 * task.number + 3 * sample) % len(SHAPES)])
