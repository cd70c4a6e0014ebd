"""Which mutants of a canonical solution are tried, and for how long."""

from __future__ import annotations

import ast
import difflib
from itertools import islice

from benchwright.lang.answers import Mutant
from benchwright.lang.python.further_mutations import distinct_mutants
from benchwright.store.keys import content_key
from benchwright.text.syntax import ParseFault, parse

LOOKED_AT = 2000  # mutants of one program
LEAST_S = 0.25  # of processor time: below it a clock that ticks ten times a second says little
TIMES = 20  # as long as the canonical solution takes
CONTEXT = 1  # lines of a diff around what was changed


def chosen_mutants(gold: str, budget: int) -> list[Mutant]:
    """At most `budget` distinct mutants in the program's order, always the same.

    Of more they are those whose name's hash comes first: the order of the text would try its first lines
    alone.
    """
    found = list(islice(distinct_mutants(gold), LOOKED_AT))
    if len(found) <= budget:
        return found
    kept = {each.name for each in sorted(found, key=lambda each: content_key(gold, each.name))[:budget]}
    return [each for each in found if each.name in kept]


def guard_lines(program: str) -> set[int]:
    """The lines of conditions under which a program does nothing but raise."""
    tree = parse(program)
    if isinstance(tree, ParseFault):
        return set()
    return {
        line
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and all(isinstance(each, ast.Raise) for each in node.body)
        for line in range(node.lineno, (node.body[-1].end_lineno or node.lineno) + 1)
    }


def limit_of(gold_cpu_s: float, most_s: float) -> float:
    """How long a mutant may take: what it needs is known from the canonical solution.

    With a limit for all, the few mutants that hang take nine tenths of the time. In steps of two, so that the
    limit, which is part of a trial's key, does not hang on how fast the solution was this time.
    """
    limit = LEAST_S
    while limit < TIMES * gold_cpu_s:
        limit *= 2
    return min(limit, most_s)


def diff(gold: str, other: str) -> str:
    """The lines that differ, with a line around them; without the two lines that name files."""
    lines = difflib.unified_diff(gold.splitlines(), other.splitlines(), lineterm="", n=CONTEXT)
    return "\n".join(list(lines)[2:])
