"""Trees of any depth pass through every reader of an answer: none raises, and the process survives."""

from __future__ import annotations

import ast
import io
from collections.abc import Callable

import pytest
from rich.console import Console

from benchwright.building.codecorrectness.generated_tests import read_reply
from benchwright.cli.show import _print_code
from benchwright.judges.python import _compiled
from benchwright.judges.suspicion import suspect
from benchwright.records import Answer
from benchwright.report.answer_packing import pack
from benchwright.report.programs import without_docstrings
from benchwright.text.extract import extract
from benchwright.text.fences import process_mera_code, process_mera_text
from benchwright.text.label import read_label
from benchwright.text.literal import parse_literal
from benchwright.text.syntax import ParseFault, is_cheap_to_compile, parse
from benchwright.tracks.constant_folding import NotConstant, fold
from benchwright.tracks.python_source import read_signature
from kit.hostile_texts import ENTRY, PROMPT, SHAPES, deep_answers, deep_program

LEVELS = (200, 1000, 3000)


def _refused(read: Callable[[str], object], *errors: type[Exception]) -> Callable[[str], object]:
    """Wrap a reader whose contract includes a refusal: any other exception is a failure."""

    def attempt(text: str) -> object:
        try:
            return read(text)
        except errors:
            return None

    return attempt


def _folded(program: str) -> object:
    tree = parse(program)
    value = None if isinstance(tree, ParseFault) else getattr(tree.body[1], "value", None)
    return fold(value) if isinstance(value, ast.expr) else None


def _compile_as_the_judge_does(program: str) -> object:
    return _compiled(program) if is_cheap_to_compile(program) else None


def _show(program: str) -> None:
    screen = Console(file=io.StringIO(), force_terminal=True, highlight=False, emoji=False)
    _print_code(screen, program)


READERS: dict[str, Callable[[str], object]] = {
    "label": read_label,
    "literal": _refused(lambda text: parse_literal(text, max_depth=10_000), ValueError),
    "MERA": lambda text: (process_mera_code(text), process_mera_text(text)),
    "suspicion": suspect,
    "generated tests": lambda text: read_reply(
        Answer(key="", task_id="t", sample=0, model="", text=text), "Python"
    ),
    "docstrings": without_docstrings,
    "page": lambda text: pack({"text": text}),
    "signature": lambda text: read_signature(text, ENTRY),
    "constants": _refused(_folded, NotConstant),
    "compiler": _refused(
        _compile_as_the_judge_does, SyntaxError, ValueError, OverflowError, RecursionError, MemoryError
    ),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_readers_survive_a_deep_tree(shape: str) -> None:
    """No exception is raised that the reader's contract does not name."""
    for levels in LEVELS:
        program = deep_program(shape, levels)
        for read in READERS.values():
            read(program)


@pytest.mark.parametrize("shape", SHAPES)
def test_extraction_survives_a_deep_tree(shape: str) -> None:
    """In any form, the answer gives a program or an outcome with the reason."""
    said = {
        (levels, dress): extract(text, prompt=PROMPT, entry_point=ENTRY).problem
        for levels in LEVELS
        for dress, text in deep_answers(shape, levels).items()
    }

    assert set(said.values()) <= {None, "syntax_error", "no_entry_point", "no_code"}, said


@pytest.mark.parametrize("shape", SHAPES)
def test_the_terminal_survives_a_deep_program(shape: str) -> None:
    """Syntax colours come from a scanner of the text, not from its tree."""
    _show(deep_program(shape, LEVELS[0]))


@pytest.mark.parametrize("shape", ["elif", "method calls", "attributes", "binary operators", "lambdas"])
def test_shapes_are_deep(shape: str) -> None:
    """The parser accepts them at 200 levels, so the tests above do not pass because the text was refused."""
    tree = parse(deep_program(shape, LEVELS[0]))

    assert isinstance(tree, ast.Module)
    assert _depth(tree) >= LEVELS[0]


def _depth(tree: ast.AST) -> int:
    deepest, stack = 0, [(tree, 1)]
    while stack:
        node, depth = stack.pop()
        deepest = max(deepest, depth)
        stack += [(child, depth + 1) for child in ast.iter_child_nodes(node)]
    return deepest
