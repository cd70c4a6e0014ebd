"""Gate: a draft is not a task of a published benchmark, neither verbatim nor under another name.

`known_tasks.txt` beside this module has hashes of published prompts and solutions, and none of their texts. A
line is a task of a benchmark, the key of its solution without names, and hashes of word runs in its prompt. A
task that models have memorised is not a test.
"""

from __future__ import annotations

import ast
import hashlib
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from benchwright.building.aicodereval.drafted_code import parsed
from benchwright.building.aicodereval.nameless import nameless
from benchwright.building.aicodereval.nouns import Draft
from benchwright.building.aicodereval.options import EntryBounds
from benchwright.building.gates import gate
from benchwright.contracts import KEEP, Decision, GateOpener
from benchwright.text.syntax import ParseFault
from benchwright.tracks.aicodereval.program import program_of

WIDTH, SKETCH, DIGITS = 5, 12, 12  # words of a run, stored runs of a prompt, hexadecimal digits of a hash
_SHARE, _FEWEST = 0.5, 2  # share of the stored runs
_LEAST_NODES = 18  # minimum size of a solution's tree; shorter ones are alike by chance
_EXAMPLE = re.compile(r"^\s*(?:>>>|\.\.\.).*$|\S*\(.*\)\s*(?:==|➞|=>|->|returns?)\s*\S+", re.MULTILINE)


class KnownTask(NamedTuple):
    """One published task as hashes."""

    name: str
    solution: str
    runs: frozenset[str]


@gate("aicodereval.known_task")
def known_task(draft: Draft, _: EntryBounds) -> Decision:
    """Neither the words nor the solution are those of a published task."""
    entry = draft.entry
    runs, solution = runs_of(f"{entry.description}\n{entry.docstring}"), solution_key(program_of(entry))
    for each in known_tasks():
        shared = len(runs & each.runs)
        if shared >= max(_FEWEST, _SHARE * len(each.runs)) or (solution and solution == each.solution):
            part = "its words" if shared >= _FEWEST else "its solution"
            return Decision(reason="known_task", detail=f"{each.name}: {part}")
    return KEEP


@cache
def known_tasks() -> tuple[KnownTask, ...]:
    """All tasks of the list."""
    lines = Path(__file__).with_name("known_tasks.txt").read_text("ascii").splitlines()
    rows = (line.split() for line in lines if line and not line.startswith("#"))
    return tuple(KnownTask(name, "" if key == "-" else key, frozenset(runs)) for name, key, *runs in rows)


def sketched(name: str, prose: str, program: str) -> str:
    """The line of a task in the list."""
    kept = sorted(runs_of(prose))[:SKETCH]
    return " ".join([name, solution_key(program) or "-", *kept])


def runs_of(prose: str) -> frozenset[str]:
    """Hashes of the word runs of a prompt, without its examples."""
    words = re.findall(r"[a-z]+", _EXAMPLE.sub("", prose).lower())
    runs = (" ".join(words[at : at + WIDTH]) for at in range(len(words) - WIDTH + 1))
    return frozenset(hashlib.sha256(run.encode()).hexdigest()[:DIGITS] for run in runs)


def solution_key(program: str) -> str:
    """The key of a program without its names and imports; empty for a program that is too short."""
    tree = parsed(program)
    if isinstance(tree, ParseFault):
        return ""
    kept = [node for node in ast.parse(program).body if isinstance(node, ast.FunctionDef)]
    if sum(1 for each in kept for _ in ast.walk(each)) < _LEAST_NODES:
        return ""
    return nameless("\n\n".join(map(ast.unparse, kept)))[:DIGITS]


KNOWN_GATES: tuple[GateOpener, ...] = (known_task,)
