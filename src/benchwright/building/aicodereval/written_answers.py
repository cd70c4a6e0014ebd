"""Gate: a solution computes its results and does not contain the inputs and results of the tests."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from typing import Any

from benchwright.building.aicodereval.drafted_code import ParsedCode, code_of, prompt_of
from benchwright.building.aicodereval.nouns import Draft
from benchwright.building.aicodereval.options import EntryBounds
from benchwright.building.gates import gate
from benchwright.cases.reading import calls_of, resolve
from benchwright.contracts import KEEP, CallCase, Decision, GateOpener

_SHARE, _FEWEST = 0.5, 2  # share of the cases with a value from which a solution is a table
_SHARE_NUMBERS, _FEWEST_NUMBERS = 0.75, 3  # the same for distinct expected numbers


@gate("aicodereval.written_answers", version=2)
def written_answers(draft: Draft, _: EntryBounds) -> Decision:
    """The solution contains few calls of the tests with their results, except those in the prompt.

    It also contains few of the expected numbers, since it may look them up by a key made of the arguments.
    """
    constants, prompt = {*_constants(code_of(draft))}, prompt_of(draft.entry)
    valued = [case for case in draft.entry.cases if case.expected.value is not None]
    if numbers := _written_numbers(valued, constants, prompt):
        detail = f"the results {', '.join(numbers)} stand in the solution, and not in the prompt"
        return Decision(reason="gold_table", detail=detail[:300], evidence={"results": numbers})
    found = [case.name for case in valued if _is_written(case, constants, prompt)]
    if len(found) < max(_FEWEST, _SHARE * len(valued)):
        return KEEP
    detail = f"{len(found)} of {len(valued)} cases stand in the solution: {', '.join(found)}"
    return Decision(reason="gold_table", detail=detail[:300], evidence={"cases": found})


def _is_written(case: CallCase, constants: set[str], prompt: str) -> bool:
    args, kwargs = calls_of(case, lambda name: name)[0]
    given = [each for each in (*args, *kwargs.values()) if not _is_small(each)]
    value = resolve(case.expected.value, lambda name: name)
    written = bool(given) and all(repr(each) in constants for each in given) and repr(value) in constants
    return written and not all(str(each) in prompt for each in given)


def _written_numbers(cases: Sequence[CallCase], constants: set[str], prompt: str) -> list[str]:
    """The different numbers that cases expect, if the solution contains nearly all of them."""
    values = [resolve(each.expected.value, lambda name: name) for each in cases]
    numbers = {repr(each) for each in values if isinstance(each, int | float) and not _is_small(each)}
    written = sorted(
        each
        for each in numbers & constants
        if not re.search(rf"(?<![\d.]){re.escape(each)}(?![\d.]*\d)", prompt)
    )
    return written if len(written) >= max(_FEWEST_NUMBERS, _SHARE_NUMBERS * len(numbers)) else []


def _is_small(value: Any) -> bool:
    """Whether a value is so common that many programs contain it."""
    return value is None or isinstance(value, bool) or value in (0, 1, 2, -1, "", [], {}, ())


def _constants(code: ParsedCode) -> Iterator[str]:
    """The literals of a program, without documentation."""
    documentation = {id(node.value) for node in code.nodes if isinstance(node, ast.Expr)}
    for node in code.nodes:
        if isinstance(node, ast.Constant | ast.List | ast.Tuple | ast.Dict | ast.Set | ast.UnaryOp):
            if id(node) in documentation:
                continue
            try:
                yield repr(ast.literal_eval(node))
            except (ValueError, TypeError):
                continue


TABLE_GATES: tuple[GateOpener, ...] = (written_answers,)
