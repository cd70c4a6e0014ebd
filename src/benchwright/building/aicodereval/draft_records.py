"""Records of an AICoderEval build, and the syntax tree of a draft's program for the static gates."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

import msgspec

from benchwright.contracts import Decision
from benchwright.lang.python.tree import all_nodes, dotted
from benchwright.lang.python.uses import full_names
from benchwright.records import Outcome, Record
from benchwright.store.keys import content_key
from benchwright.text.syntax import ParseFault, parse, writes_long_integer
from benchwright.tracks.aicodereval.entry import BenchmarkEntry, build, entry_row, program_of
from benchwright.tracks.aicodereval.track import TRACK
from benchwright.tracks.rows import Fields


class Draft(Record, frozen=True, kw_only=True):
    """A proposed entry, with its origin.

    `alternatives` are further solutions believed to be right, `wrong` are solutions by the reason why they
    must fail; all are whole programs. `lineage` is the origin: source record, replies, edits.
    """

    entry: BenchmarkEntry
    alternatives: list[str] = []
    wrong: dict[str, str] = {}
    equivalent_mutants: list[str] = []  # ids of mutants declared equivalent
    licence: str = ""
    lineage: dict[str, Any] = {}

    @property
    def unit(self) -> str:
        """The name in drops and messages."""
        return self.entry.task_id

    @property
    def revision(self) -> str:
        """The content key of everything that decides what it is, without its date and its cost."""
        entry = msgspec.structs.replace(self.entry, created="", time_s=None)
        return content_key(msgspec.to_builtins(msgspec.structs.replace(self, entry=entry)))


class ExaminedDraft(Record, frozen=True, kw_only=True):
    """A draft that no form gate refused, with all findings so far.

    A decision with a reason only prevents certification. `levels` are the stable outcomes of the canonical
    solution by level; empty before execution.
    """

    draft: Draft
    decisions: dict[str, Decision] = {}  # by the gate's name
    levels: dict[str, Outcome] = {}

    @property
    def reasons(self) -> dict[str, Decision]:
        """The decisions that prevent certification."""
        return {name: decision for name, decision in self.decisions.items() if decision.reason}


class AdmittedEntry(Record, frozen=True, kw_only=True):
    """An entry of a release: its status is its tier, and `split` is its file."""

    entry: BenchmarkEntry
    revision: str  # of the draft
    source: list[str]  # origins; no entry of another split shares one
    licence: str = ""
    lineage: dict[str, Any] = {}
    decisions: dict[str, Decision] = {}
    levels: dict[str, Outcome] = {}
    split: str = ""

    @property
    def unit(self) -> str:
        """The name in drops and messages."""
        return self.entry.task_id


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
