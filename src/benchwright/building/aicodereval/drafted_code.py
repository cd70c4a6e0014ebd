"""A draft's program as a tree, and what its names stand for: what the static gates look at."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from benchwright.building.aicodereval.nouns import Draft
from benchwright.lang.python.tree import all_nodes, dotted
from benchwright.lang.python.uses import full_names
from benchwright.text.syntax import ParseFault, parse
from benchwright.tracks.aicodereval.entry import BenchmarkEntry


class ParsedCode(NamedTuple):
    """One program: its nodes, and the full names behind those that its imports bind."""

    nodes: tuple[ast.AST, ...]
    names: dict[str, str]

    def full(self, node: ast.expr) -> str:
        """`numpy.random.rand` for `np.random.rand`; empty for what is no dotted name."""
        first, dot, rest = dotted(node).partition(".")
        return self.names.get(first, first) + dot + rest

    def calls(self) -> Iterator[tuple[str, ast.Call]]:
        """Each call of a dotted name, in full."""
        for node in self.nodes:
            if isinstance(node, ast.Call) and (name := self.full(node.func)):
                yield name, node


@lru_cache(maxsize=8)  # each gate asks about the same two texts
def parsed(code: str) -> ParsedCode | ParseFault:
    """The program's tree, or why there is none."""
    tree = parse(code)
    return tree if isinstance(tree, ParseFault) else ParsedCode(all_nodes(tree), full_names(tree))


def codes_of(draft: Draft) -> Iterator[tuple[str, ParsedCode]]:
    """What of a draft is code and can be parsed: its program, and its suite where it has one."""
    for what, code in (("implementation", program_of(draft.entry)), ("suite", draft.entry.suite)):
        tree = parsed(code) if code else None
        if isinstance(tree, ParsedCode):
            yield what, tree


def program_of(entry: BenchmarkEntry) -> str:
    """The whole program of an entry, without its tests."""
    head = "\n".join(entry.imports)
    doc = entry.docstring.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    return f'{head}\n\n\n{entry.signature}\n    """{doc}"""\n{entry.implementation}\n'


def prompt_of(entry: BenchmarkEntry) -> str:
    """All the words of an entry that a model is shown."""
    return f"{entry.description}\n\n{entry.signature}\n{entry.docstring}\n"


def entry_point(entry: BenchmarkEntry) -> str:
    """The name of the function; empty where the signature has none."""
    name = entry.signature.removeprefix("async ").removeprefix("def ").partition("(")[0].strip()
    return name if name.isidentifier() else ""
