"""A draft as the executing gates see it: a task with its canonical solution and its spec."""

from __future__ import annotations

import ast

import msgspec

from benchwright.building.adequacy.mutants import chosen_mutants
from benchwright.building.adequacy.nouns import Effort
from benchwright.building.aicodereval.drafted_code import parsed, prompt_of
from benchwright.building.aicodereval.nouns import Draft
from benchwright.building.solved import SolvedTask
from benchwright.contracts import LevelsSpec
from benchwright.text.syntax import ParseFault
from benchwright.tracks.aicodereval.entry import BenchmarkEntry
from benchwright.tracks.aicodereval.program import program_of, spec_of, twin_links
from benchwright.tracks.aicodereval.twins import PROFILE, TwinName, on_twin

CPU_LIMIT_S = 10.0  # seconds for one execution of all cases, independent of the run's limit


def solved(draft: Draft) -> SolvedTask:
    """The task of a draft that passed the form gates.

    Mutants of the message of an exception count as equivalent: a case checks only its type.
    """
    entry, gold = draft.entry, program_of(draft.entry)
    spec = spec_for(entry)
    if spec.twin_links:  # the values on the second twin are computed separately
        spec = on_twin(spec, TwinName.a)
    return SolvedTask(
        unit=draft.unit,
        revision=draft.revision,
        prompt=prompt_of(entry),
        entry_point=spec.entry_point,
        gold=gold,
        spec=spec,
        tests=msgspec.json.encode(entry.cases).decode(),
        alternatives=draft.alternatives,
        wrong=draft.wrong,
        equivalent_mutants=draft.equivalent_mutants,
        idle_mutants=message_mutants(gold),
    )


def spec_for(entry: BenchmarkEntry) -> LevelsSpec:
    """The spec that judges programs of a valid entry, for builds and rechecks alike."""
    spec = msgspec.structs.replace(spec_of(entry), cpu_limit_s=CPU_LIMIT_S)
    return on_twin(spec, TwinName.a) if entry.environment == PROFILE and not spec.links else spec


def environment_links(entry: BenchmarkEntry) -> dict[str, str]:
    """The links through which a program finds stand-ins for models; none outside their profile."""
    return twin_links(TwinName.a) if entry.environment == PROFILE else {}


def message_mutants(program: str) -> list[str]:
    """The names of mutants whose change is within the arguments of an exception."""
    tree = parsed(program)
    if isinstance(tree, ParseFault):
        return []
    spans = [span for node in tree.nodes if isinstance(node, ast.Raise) for span in _arguments(node)]
    names = [each.name for each in chosen_mutants(program, Effort().mutants)]
    return [name for name in names if any(first <= _place(name) < last for first, last in spans)]


_Place = tuple[int, int]  # line and column, from 1


def _arguments(node: ast.Raise) -> list[tuple[_Place, _Place]]:
    """The start and end of each argument of the exception."""
    given = node.exc.args if isinstance(node.exc, ast.Call) else []
    return [
        ((each.lineno, each.col_offset + 1), (each.end_lineno or 0, (each.end_col_offset or 0) + 1))
        for each in given
    ]


def _place(name: str) -> _Place:
    """The place of a mutant, from its name: kind, line, column, and a number if one place has several."""
    _, line, column = name.split("-")[:3]
    return int(line), int(column)
