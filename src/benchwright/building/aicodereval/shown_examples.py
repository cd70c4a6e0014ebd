"""The doctests of a docstring as cases that the canonical solution must pass."""

from __future__ import annotations

import ast
import doctest
from collections.abc import Iterator

import msgspec

from benchwright.building.aicodereval.nouns import Draft
from benchwright.building.aicodereval.solving import spec_for
from benchwright.cases.reading import LITERAL
from benchwright.contracts import CallCase, Decision
from benchwright.contracts.cases import CaseInput, CaseLevel, Expected
from benchwright.executing.trials import Trial, Tried
from benchwright.records import Outcome
from benchwright.text.literal import parse_literal
from benchwright.tracks.aicodereval.program import entry_point_of, program_of

EXAMPLES = "aicodereval.examples"  # the name of the gate
CONTRADICTED = "example_contradicted"
_TOLERANCE = 1e-6


def example_trial(draft: Draft) -> Trial | None:
    """The trial of the canonical solution on the examples of its docstring; None without readable ones."""
    cases = [*_shown(draft.entry.docstring, entry_point_of(draft.entry))]
    if not cases:
        return None
    spec = msgspec.structs.replace(spec_for(draft.entry), cases=cases, twin_links={})
    return Trial(program_of(draft.entry), spec)


def examples_decision(end: Tried) -> Decision:
    """The examples in the prompt agree with the solution; otherwise `example_contradicted`."""
    if end.outcome is Outcome.passed or end.outcome.is_missing:
        return Decision()
    return Decision(
        reason=CONTRADICTED, detail=f"a doctest of the docstring: {end.detail}"[:300], cpu_s=end.cpu_s
    )


def _shown(docstring: str, name: str) -> Iterator[CallCase]:
    try:
        examples = doctest.DocTestParser().get_examples(docstring)
    except ValueError:
        return  # not a valid doctest
    for number, each in enumerate(examples):
        given, value = _call(each.source, name), _literal(each.want)
        if given is not None and value is not None:
            tolerance = _TOLERANCE if "." in each.want else 0.0
            expected = Expected(value=value, rel_tol=tolerance, abs_tol=tolerance)
            yield CallCase(
                name=f"example {number + 1}", level=CaseLevel.normal, input=given, expected=expected
            )


def _literal(text: str) -> dict[str, str] | None:
    """A literal as cases write it; None for other texts and for the literal None."""
    try:
        value = parse_literal(text.strip())
    except ValueError:
        return None
    return None if value is None else {LITERAL: text.strip()}


def _call(source: str, name: str) -> CaseInput | None:
    try:
        node = ast.parse(source.strip(), mode="eval").body
    except SyntaxError:
        return None
    if not isinstance(node, ast.Call) or ast.unparse(node.func) != name:
        return None
    args = [_literal_or_none(each) for each in node.args]
    kwargs = {each.arg: _literal_or_none(each.value) for each in node.keywords if each.arg}
    if None in args or None in kwargs.values() or len(kwargs) != len(node.keywords):
        return None
    return CaseInput(args=args, kwargs=kwargs)


def _literal_or_none(node: ast.expr) -> dict[str, str] | None:
    text = ast.unparse(node)
    try:
        parse_literal(text)
    except ValueError:
        return None
    return {LITERAL: text}
