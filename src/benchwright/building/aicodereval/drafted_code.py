"""The syntax tree of a draft's program with resolved names, for the static gates."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from benchwright.building.aicodereval.nouns import Draft
from benchwright.lang.python.tree import all_nodes, dotted
from benchwright.lang.python.uses import full_names
from benchwright.text.syntax import ParseFault, parse, writes_long_integer
from benchwright.tracks.aicodereval.entry import BenchmarkEntry
from benchwright.tracks.aicodereval.program import program_of
from benchwright.tracks.aicodereval.rows import build, entry_row
from benchwright.tracks.aicodereval.track import TRACK
from benchwright.tracks.rows import Fields


class ParsedCode(NamedTuple):
    """One program: its nodes, and the full names behind its imports."""

    nodes: tuple[ast.AST, ...]
    names: dict[str, str]

    def full(self, node: ast.expr) -> str:
        """The full name: `numpy.random.rand` for `np.random.rand`; empty for anything but a dotted name."""
        first, dot, rest = dotted(node).partition(".")
        return self.names.get(first, first) + dot + rest

    def numbers(self) -> Iterator[int | float]:
        """The number literals of the program."""
        for node in self.nodes:
            value = node.value if isinstance(node, ast.Constant) else None
            if isinstance(value, int | float) and not isinstance(value, bool):
                yield value

    def calls(self) -> Iterator[tuple[str, ast.Call]]:
        """Each call of a dotted name, with its full name."""
        for node in self.nodes:
            if isinstance(node, ast.Call) and (name := self.full(node.func)):
                yield name, node


LONG_INTEGER = "an integer of more than 4,300 digits is written out; compute it"


@lru_cache(maxsize=8)  # every gate parses the same two texts
def parsed(code: str) -> ParsedCode | ParseFault:
    """The tree of the program, or the reason why there is none."""
    if writes_long_integer(code):
        return ParseFault(LONG_INTEGER, 0)
    tree = parse(code)
    return tree if isinstance(tree, ParseFault) else ParsedCode(all_nodes(tree), full_names(tree))


def code_of(draft: Draft) -> ParsedCode:
    """The program of a draft that passed the form gates."""
    return code_of_entry(draft.entry)


def code_of_entry(entry: BenchmarkEntry) -> ParsedCode:
    """The program of a valid entry."""
    tree = parsed(program_of(entry))
    assert isinstance(tree, ParsedCode)
    return tree


def prompt_of(entry: BenchmarkEntry) -> str:
    """The prompt of a valid entry, as its track asks it."""
    return TRACK.prompt(build(Fields(entry_row(entry), entry.task_id, 0)))
