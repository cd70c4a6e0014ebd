"""Selection of mutants of a canonical solution, and their time limit."""

from __future__ import annotations

import ast
import difflib
from itertools import islice

from benchwright.lang.answers import Mutant
from benchwright.lang.python.further_mutations import distinct_mutants
from benchwright.store.keys import content_key
from benchwright.text.syntax import ParseFault, parse

LOOKED_AT = 2000  # maximum number of mutants of one program
LEAST_S = 0.25  # minimum processor time; a clock of ten ticks a second is too coarse below it
TIMES = 20  # multiple of the canonical solution's time
CONTEXT = 1  # lines of context in a diff


def chosen_mutants(gold: str, budget: int) -> list[Mutant]:
    """At most `budget` distinct mutants in program order, always the same.

    If there are more, the hash of the name selects them: program order would cover only the first lines.
    """
    found = list(islice(distinct_mutants(gold), LOOKED_AT))
    if len(found) <= budget:
        return found
    kept = {each.name for each in sorted(found, key=lambda each: content_key(gold, each.name))[:budget]}
    return [each for each in found if each.name in kept]


def guard_lines(program: str) -> set[int]:
    """The lines of conditions under which a program only raises."""
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
    """The time limit of a mutant, derived from the time of the canonical solution.

    With one limit for all, the few mutants that hang take nine tenths of the time. The limit is a power of
    two, because it is part of the key of a trial and must not depend on small differences in speed.
    """
    limit = LEAST_S
    while limit < TIMES * gold_cpu_s:
        limit *= 2
    return min(limit, most_s)


def diff(gold: str, other: str) -> str:
    """The lines that differ, with one line of context and without the file header."""
    lines = difflib.unified_diff(gold.splitlines(), other.splitlines(), lineterm="", n=CONTEXT)
    return "\n".join(list(lines)[2:])
