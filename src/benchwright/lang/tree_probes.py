"""Probes in the statements of a file: a copy that reports at run time which statements it reaches.

For languages whose own coverage tools would have to run on untrusted files. The copy is compiled and run in
the sandbox in place of the file; its output is a claim like everything from there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from benchwright.lang.trees import COMMENTS, Node, Tree

_LISTS = frozenset(
    {"block", "statement_list", "constructor_body", "switch_block_statement_group", "statement_block"}
)
_NO_STATEMENTS = frozenset(
    {*COMMENTS, "statement_list", "explicit_constructor_invocation", "switch_label", "empty_statement"}
)
_BLOCKS = ("block", "statement_block")
# Places of a statement that is not in a block (in Go only after `else`); brackets are put around it.
_LOOPS = ("while_statement", "do_statement", "for_statement", "enhanced_for_statement", "for_in_statement")
_LONE = {
    "if_statement": ("consequence", "alternative"),
    "else_clause": ("",),  # JavaScript: the keyword and its statement
    **dict.fromkeys(_LOOPS, ("body",)),
}


class ProbedFile(NamedTuple):
    """The file with probes, and the lines that are executed at each probe, by its number."""

    code: str
    lines: list[list[int]]

    def executed(self, numbers: set[int]) -> list[int]:
        """Return the lines of some probes, in order; unknown numbers are ignored."""
        known = (self.lines[number] for number in numbers if 0 <= number < len(self.lines))
        return sorted({line for lines in known for line in lines})


class ProbeWords(NamedTuple):
    """How a language calls a probe, and the text that is appended to the file for it."""

    call: Callable[[int], str]
    end: Callable[[int], str]  # takes the number of probes


def insert_probes(tree: Tree, words: ProbeWords) -> ProbedFile:
    """Insert probes into a file without syntax errors. Lines keep their numbers."""
    statements = list(_statements(tree.root))
    inserted = list(_inserted(statements, words))
    inserted.sort(key=lambda each: each[:2])
    parts, at = [], 0
    for place, _, text in inserted:
        parts += [tree.data[at:place], text.encode()]
        at = place
    end = words.end(len(statements)) if statements else ""
    return ProbedFile(
        b"".join([*parts, tree.data[at:], end.encode()]).decode(), _lines([node for node, _ in statements])
    )


def reached_probes(output: bytes, word: str) -> set[int]:
    """Return the numbers of the probes that an output reports; any text may be between them."""
    return {int(found) for found in re.findall(rb"%s (\d{1,6})\b" % word.encode(), output)}


def _statements(root: Node) -> Iterator[tuple[Node, bool]]:
    """Yield each statement in the text's order, and whether it needs brackets around it and a probe."""
    for node in root.walk():
        above = node.parent
        if above is None or not node.named or node.kind in _NO_STATEMENTS:
            continue
        if above.kind in _LISTS:
            yield node, False
        elif node.field in _LONE.get(above.kind, ()) and node.kind not in (*_BLOCKS, "else_clause"):
            yield node, True


def _inserted(statements: Sequence[tuple[Node, bool]], words: ProbeWords) -> Iterator[tuple[int, int, str]]:
    """Yield the place, the order at one place, and the text of each insertion."""
    for number, (node, alone) in enumerate(statements):
        yield node.start, 1, f"{'{ ' if alone else ''}{words.call(number)} "
        if alone:
            yield node.end, 0, " }"


def _lines(nodes: Sequence[Node]) -> list[list[int]]:
    """Return for each statement its first line and the lines that belong to no inner statement."""
    found: list[list[int]] = [[node.first_line] for node in nodes]
    open_: list[int] = []
    line = 1

    def give(until: int) -> None:
        nonlocal line
        if open_ and until >= line:
            found[open_[-1]].extend(range(line, until + 1))
        line = max(line, until + 1)

    for number, node in enumerate(nodes):
        while open_ and nodes[open_[-1]].end <= node.start:
            give(nodes[open_[-1]].last_line)
            open_.pop()
        give(node.first_line - 1)
        open_.append(number)
    while open_:
        give(nodes[open_[-1]].last_line)
        open_.pop()
    return found
