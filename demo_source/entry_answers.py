"""What the demo models answer to the entries of AICoderEval: four answers an entry, in the usual shapes.

Letters of a plan: `R` right, `1` and `2` the entry's named wrong solutions, `N` right but for what must be
refused (it raises nothing, so the level of edge cases fails), `L` cut off, `!` a cheat.
"""

from __future__ import annotations

import ast
from functools import cache

from benchwright.building.aicodereval.draft_records import Draft
from benchwright.contracts.specs import CaseLevel
from demo_source.answers import Written, cut_off
from demo_source.cheater import cheat
from demo_source.entries import body_of, entries
from demo_source.shapes import PLAIN_SHAPES, prose_then_fence
from demo_source.text import TaskText

# A row for an entry in turn.
PLANS = {
    "demo-strong": ("RRRR", "RRNR", "RRRR", "R1RR", "RRRN"),
    "demo-weak": ("1NL2", "R1NN", "NR12", "2N1R", "NLNR"),
    "demo-cheater": ("!N!1", "R!1!", "!!NR", "1!!N"),
}


def answers(model: str) -> list[tuple[str, Written]]:
    """A model's answers in the order of the entries, each with the task id."""
    return [
        (unit, _answer(task, letter, sample))
        for number, (unit, task) in enumerate(_texts())
        for sample, letter in enumerate(PLANS[model][number % len(PLANS[model])])
    ]


def _answer(task: TaskText, letter: str, sample: int) -> Written:
    shape = PLAIN_SHAPES[(task.number + sample) % len(PLAIN_SHAPES)]
    if letter == "!":
        return cheat(task, sample)
    if letter == "L":
        return cut_off(task, prose_then_fence, 0.5)
    if letter == "N":
        return Written("refuses nothing", shape(task, _without_refusals(task)))
    if letter == "R":
        return Written("right", shape(task, task.ways[0]))
    return Written("slip", shape(task, task.slips[(int(letter) - 1) % len(task.slips)]))


@cache
def _texts() -> tuple[tuple[str, TaskText], ...]:
    """Each entry's task id, and the text that its answers are made of."""
    return tuple((each.unit, _text(number, each)) for number, each in enumerate(entries(), 1))


def _text(number: int, draft: Draft) -> TaskText:
    entry = draft.entry
    function = ast.parse(f"{entry.signature}\n    pass").body[0]
    assert isinstance(function, ast.FunctionDef)
    assert function.returns is not None
    parameters = tuple(each.arg for each in function.args.args)
    shown = [case for case in entry.cases if case.level is CaseLevel.normal][:2]
    return TaskText(
        number=number,
        name=function.name,
        signature=entry.signature,
        prompt=f'{entry.signature}\n    """{entry.docstring}"""',
        parameters=parameters,
        returns=ast.unparse(function.returns).partition("[")[0],
        ways=(entry.implementation,),
        slips=tuple(body_of(entry, program) for program in draft.wrong.values()),
        examples=tuple(
            (repr(dict(zip(parameters, case.input.args, strict=True))), repr(case.expected.value))
            for case in shown
        ),
    )


def _without_refusals(task: TaskText) -> str:
    """The right body without each `if` that does nothing but raise."""
    function = ast.parse(f"{task.signature}\n{task.ways[0]}").body[0]
    kept = ast.unparse(_Permissive().visit(function))
    return kept.partition("\n")[2]


class _Permissive(ast.NodeTransformer):
    def visit_If(self, node: ast.If) -> ast.AST | None:
        if not node.orelse and all(isinstance(each, ast.Raise) for each in node.body):
            return None
        return self.generic_visit(node)
