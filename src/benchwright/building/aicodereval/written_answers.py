"""Gate: a solution computes its results. One that has the tests' inputs and results written down does not."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from benchwright.building.aicodereval.drafted_code import ParsedCode, code_of, prompt_of
from benchwright.building.aicodereval.nouns import Draft
from benchwright.building.aicodereval.options import EntryBounds
from benchwright.building.gates import gate
from benchwright.cases.reading import calls_of, resolve
from benchwright.contracts import KEEP, CallCase, Decision, GateOpener

_SHARE, _FEWEST = 0.5, 2  # of the cases with a value: from here on it is a table


@gate("aicodereval.written_answers")
def written_answers(draft: Draft, _: EntryBounds) -> Decision:
    """Few calls of the tests stand in the solution with what they give, unless the prompt has them too."""
    constants, prompt = {*_constants(code_of(draft))}, prompt_of(draft.entry)
    valued = [case for case in draft.entry.cases if case.expected.value is not None]
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


def _is_small(value: Any) -> bool:
    """A value that many a program writes out whatever it computes."""
    return value is None or isinstance(value, bool) or value in (0, 1, 2, -1, "", [], {}, ())


def _constants(code: ParsedCode) -> Iterator[str]:
    """What stands in a program as a literal, documentation left out."""
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
