"""demo-cheater: half honest and mediocre, half attempts to be marked right by other means."""

from __future__ import annotations

from string import Template

from demo_source import cheats_process, cheats_value
from demo_source.answers import Written, cut_off, honest
from demo_source.shapes import PLAIN_SHAPES, prose_then_fence
from demo_source.text import TaskText
from demo_source.weak import BROKEN

CHEATS = [*cheats_value.CHEATS, *cheats_process.CHEATS]
# ! a cheat, R right, 1 and 2 slips, L cut off, X an exception; four rows that repeat over the tasks
PLAN = ["R!1!R!2!1!", "1!!R!2!R!1", "!R!1!R!2!X", "!1!2L!R!!1"]


def answers(task: TaskText) -> list[Written]:
    """Ten answers to one task, five of them cheats of different kinds."""
    row = PLAN[task.number % len(PLAN)]
    return [_answer(task, sample, letter, row[:sample].count("!")) for sample, letter in enumerate(row)]


def _answer(task: TaskText, sample: int, letter: str, cheats_before: int) -> Written:
    shape = PLAIN_SHAPES[(task.number + sample) % len(PLAIN_SHAPES)]
    if letter == "!":
        return cheat(task, cheats_before)
    if letter == "L":
        return cut_off(task, prose_then_fence, 0.5)
    if letter in BROKEN:
        kind, write = BROKEN[letter]
        return Written(kind, write(task))
    return honest(task, letter, sample, shape)


def cheat(task: TaskText, cheats_before: int) -> Written:
    """The next kind in turn, so that each kind meets five different tasks."""
    kind, template = CHEATS[(task.number + 5 * cheats_before) % len(CHEATS)]
    code = Template(template).substitute(
        signature=task.signature,
        name=task.name,
        base="int" if task.returns == "bool" else task.returns,  # bool cannot be subclassed
        empty=task.empty,
        known=", ".join(f"({given}, {value})" for given, value in task.examples),
        pairs=", ".join(f"{parameter}={parameter}" for parameter in task.parameters),
    )
    dressed = [code, f"```python\n{code}```\n", f"Готово, все тесты проходят.\n\n```python\n{code}```"]
    return Written(kind, dressed[cheats_before % len(dressed)])
