"""Chooses among the fenced blocks of an answer, and fetches what the chosen one needs from the others."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from benchwright.text.dispatch import read
from benchwright.text.fences import Block, find_blocks
from benchwright.text.frame import Frame
from benchwright.text.reading import Reading
from benchwright.text.syntax import Fault, bound_names, first_line, free_names, parse, used_names

MOST = 16  # blocks that are tried, from the end; the text is hostile
_SOURCE = frozenset({"", "code", "tool_code"})
_SESSIONS = frozenset({"pycon", "pytb", "python-console", "python-repl", "python-traceback"})
_MARKDOWN = frozenset({"markdown", "md"})
_BUILTINS = frozenset(dir(builtins))
_IMPORTS = (ast.Import, ast.ImportFrom)
_ASSIGNMENTS = (ast.Assign, ast.AnnAssign)
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class _Helper(NamedTuple):
    """A top-level statement that binds names, with its lines and the names it needs itself."""

    lines: list[str]
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


def read_definitions(blocks: Sequence[Block], frame: Frame) -> Reading | None:
    """The last block with `def` of the entry point, whatever its tag.

    A block that had to be cut, and one whose function is empty (a signature shown first), come after.
    """
    return _best(
        [at for at, block in enumerate(blocks) if frame.indented.search(block.content)], blocks, frame
    )


def read_others(blocks: Sequence[Block], frame: Frame) -> Reading | None:
    """The last Python block that reads as a body, or that binds the entry point without `def`."""
    return _best([at for at, block in enumerate(blocks) if is_source(block)], blocks, frame)


def _best(places: Sequence[int], blocks: Sequence[Block], frame: Frame) -> Reading | None:
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


def _complete(reading: Reading, others: Sequence[str], frame: Frame) -> Reading:
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
    if isinstance(tree, Fault):
        return
    lines = source.split("\n")
    for item in tree.body:
        example = isinstance(item, _ASSIGNMENTS) and name in used_names([item])
        binds = bound_names([item]) if isinstance(item, _IMPORTS + _ASSIGNMENTS + _DEFINITIONS) else set()
        if binds and not example and name not in binds:
            yield _Helper(lines[first_line(item) - 1 : item.end_lineno], binds, free_names(item))


def _wanted(pool: Sequence[_Helper], missing: set[str]) -> list[str]:
    """The lines of the helpers that bind missing names, and of those that these need in turn.

    Of two that bind the same name the later is taken.
    """
    chosen: set[int] = set()
    have: set[str] = set()
    before = -1
    while len(chosen) > before:
        before = len(chosen)
        for at, helper in reversed(list(enumerate(pool))):
            if at not in chosen and (helper.binds & (missing - have) or "*" in helper.binds):
                chosen.add(at)
                have |= helper.binds
                missing = missing | (helper.needs - _BUILTINS)
    return [line for at in sorted(chosen) for line in [*pool[at].lines, ""]]


def _below_imports(tree: ast.Module, program: str, frame: Frame) -> int:
    """How many lines stay above the helpers: the program's first imports and the prompt's preamble."""
    count = 0
    for item in tree.body:
        if not isinstance(item, _IMPORTS):
            break
        count = item.end_lineno or count
    preamble = frame.preamble.strip("\n")
    return max(count, preamble.count("\n") + 1) if preamble and program.startswith(preamble) else count
