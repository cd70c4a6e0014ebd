"""Chooses among the fenced blocks of an answer, and fetches what the chosen one needs from the others."""

from __future__ import annotations

import ast
import builtins
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from heapq import heapify, heappop, heappush
from typing import NamedTuple

from benchwright.text.dispatch import read
from benchwright.text.fences import Block, find_blocks
from benchwright.text.frame import PromptFrame
from benchwright.text.reading import Reading
from benchwright.text.syntax import ParseFault, bound_names, first_line, free_names, parse, used_names

MOST = 16  # blocks that are tried, from the end; the text is hostile
_SOURCE = frozenset({"", "code", "tool_code"})
_SESSIONS = frozenset({"pycon", "pytb", "python-console", "python-repl", "python-traceback"})
_MARKDOWN = frozenset({"markdown", "md"})
_BUILTINS = frozenset(dir(builtins))
_IMPORTS = (ast.Import, ast.ImportFrom)
_ASSIGNMENTS = (ast.Assign, ast.AnnAssign)
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class _Helper(NamedTuple):
    """A top-level statement that binds names: its lines `start` to `end` of a block, and what it needs."""

    block: list[str]
    start: int
    end: int
    binds: set[str]
    needs: set[str]


def answer_blocks(text: str) -> list[Block]:
    """The fenced blocks of a text; a block of Markdown stands for the blocks inside it."""
    blocks: list[Block] = []
    for block in find_blocks(text):
        blocks += find_blocks(block.content) if block.tag in _MARKDOWN else [block]
    return blocks


def is_source(block: Block) -> bool:
    """True for a tag that may hold Python: none, or any spelling of it, but not a recorded session."""
    return block.tag in _SOURCE or (block.tag.startswith(("py", "ipy")) and block.tag not in _SESSIONS)


def read_definitions(blocks: Sequence[Block], frame: PromptFrame) -> Reading | None:
    """The last block with `def` of the entry point, whatever its tag.

    A block that had to be cut, and one whose function is empty (a signature shown first), come after.
    """
    return _best(
        [at for at, block in enumerate(blocks) if frame.indented.search(block.content)], blocks, frame
    )


def read_others(blocks: Sequence[Block], frame: PromptFrame) -> Reading | None:
    """The last Python block that reads as a body, or that binds the entry point without `def`."""
    return _best([at for at, block in enumerate(blocks) if is_source(block)], blocks, frame)


def _best(places: Sequence[int], blocks: Sequence[Block], frame: PromptFrame) -> Reading | None:
    best, best_place, best_rank = None, 0, (True, True, True)
    for place in list(reversed(places))[:MOST]:
        reading = read(blocks[place].content, frame)
        if reading is None:
            continue
        rank = (reading.problem is not None, reading.hollow, reading.cut)
        if best is None or rank < best_rank:
            best, best_place, best_rank = reading, place, rank
        if not any(rank):
            break
    if best is None or best.problem:
        return best
    others = [block.content for at, block in enumerate(blocks) if at != best_place and is_source(block)]
    return _complete(best, others[-MOST:], frame) if others else best


def _complete(reading: Reading, others: Sequence[str], frame: PromptFrame) -> Reading:
    """Adds the imports and functions of other blocks that the program uses but lacks."""
    pool = [helper for source in others for helper in _helpers(source, frame.name)]
    tree = parse(reading.program) if pool else None
    if not isinstance(tree, ast.Module):
        return reading
    wanted = _wanted(pool, free_names(tree) - _BUILTINS)
    if not wanted:
        return reading
    lines = reading.program.split("\n")
    at = _below_imports(tree, reading.program, frame)
    program = "\n".join([*lines[:at], *wanted, *lines[at:]])
    return reading._replace(program=program, shape=f"{reading.shape}+helpers")


def _helpers(source: str, name: str) -> Iterable[_Helper]:
    """What a block defines at its top level, less what is the entry point or computed with it."""
    tree = parse(source)
    if isinstance(tree, ParseFault):
        return
    lines = source.split("\n")
    for item in tree.body:
        example = isinstance(item, _ASSIGNMENTS) and name in used_names([item])
        binds = bound_names([item]) if isinstance(item, _IMPORTS + _ASSIGNMENTS + _DEFINITIONS) else set()
        if binds and not example and name not in binds:
            end = item.end_lineno or item.lineno
            yield _Helper(lines, first_line(item) - 1, end, binds, free_names(item) - _BUILTINS)


def _wanted(pool: Sequence[_Helper], missing: set[str]) -> list[str]:
    """The lines of the helpers that bind missing names, and of those that these need in turn."""
    chosen = _Choice(pool).run(missing)
    lines: list[str] = []
    block, done = None, 0
    for helper in (pool[at] for at in sorted(chosen)):
        start = max(helper.start, done) if helper.block is block else helper.start
        if start < helper.end:  # else another one stands on the same line, which is there once
            lines += [*helper.block[start : helper.end], ""]
        block, done = helper.block, helper.end
    return lines


class _Choice:
    """Walks the helpers from the last to the first, again and again, until none binds a missing name.

    Of two that bind the same name, the one that is met first is taken. A walk jumps from one wanted helper
    to the next by a heap, so each helper and each name that one needs is looked at once.
    """

    def __init__(self, pool: Sequence[_Helper]) -> None:
        self._pool = pool
        self._places: dict[str, list[int]] = {}  # where a name is bound, in order
        for at, helper in enumerate(pool):
            for name in helper.binds:
                self._places.setdefault(name, []).append(at)
        # Wanted helpers of this walk, as a heap of negative places (the last comes first), and of the next.
        self._ahead: list[tuple[int, str]] = []
        self._next: list[tuple[int, str]] = []
        self._missing: set[str] = set()
        self._have: set[str] = set()

    def run(self, missing: set[str]) -> set[int]:
        """The places of those to take. Star imports are always among them: what they bind is not known."""
        self._ahead = [(-at, "*") for at in self._places.get("*", [])][::-1]  # ascending, so a heap
        self._want(missing - {"*"}, before=len(self._pool))
        chosen: set[int] = set()
        while self._ahead or self._next:
            if not self._ahead:
                self._ahead, self._next = self._next, []
                heapify(self._ahead)
            place, name = heappop(self._ahead)
            if name == "*" or name not in self._have:
                chosen.add(-place)
                self._have |= self._pool[-place].binds
                self._want(self._pool[-place].needs, before=-place)
        return chosen

    def _want(self, names: set[str], *, before: int) -> None:
        """Note which helper binds each name: the last one before this place, else the last one of all."""
        for name in names - self._missing - self._have:
            self._missing.add(name)
            places = self._places.get(name, [])
            if (count := bisect_left(places, before)) > 0:
                heappush(self._ahead, (-places[count - 1], name))
            elif places:
                self._next.append((-places[-1], name))


def _below_imports(tree: ast.Module, program: str, frame: PromptFrame) -> int:
    """How many lines stay above the helpers: the program's first imports and the prompt's preamble."""
    count = 0
    for item in tree.body:
        if not isinstance(item, _IMPORTS):
            break
        count = item.end_lineno or count
    preamble = frame.preamble.strip("\n")
    return max(count, preamble.count("\n") + 1) if preamble and program.startswith(preamble) else count
