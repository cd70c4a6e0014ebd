"""Gates that compare the words of a prompt with the tests: the prompt must mention what tests require.

They execute nothing. An entry that they refuse is not certified, but may be used for training.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

from benchwright.building.aicodereval.draft_records import Draft, ParsedCode, code_of, prompt_of
from benchwright.building.aicodereval.lint_gates import Flaw, decision_of
from benchwright.building.aicodereval.prompt_results import prompt_states_result, unspecified_forms
from benchwright.building.aicodereval.release_options import EntryBounds
from benchwright.building.engine.gates import gate
from benchwright.building.unspecified_texts import TestTexts, unspecified_texts
from benchwright.cases.reading import resolve
from benchwright.contracts import CallCase, Decision, GateOpener
from benchwright.tracks.aicodereval.entry import entry_point_of

_ANY_EXCEPTION = ("Exception", "BaseException")
_ERROR = re.compile(r"\b\w*(?:Error|Exception|Interrupt|Exit|Iteration)\b")
_RULED_OUT = re.compile(
    r"\b(?:never|not|n't|no|without|nothing|instead of|rather than|neither)\b[^.;:]{0,60}?"
    r"\b(?:rais\w*|throw\w*|exceptions?|errors?)\b",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.;])\s+|\n\s*\n|\n(?=\s*\w+:)")


@gate("aicodereval.prompt", version=2)
def prompt(draft: Draft, _: EntryBounds) -> Decision:
    """The prompt reveals no result of a graded call, and names each required exception."""
    text, name = prompt_of(draft.entry), entry_point_of(draft.entry)
    flaws = [
        Flaw("graded_assertion_in_prompt", f"cases.{case.name}")
        for case in draft.entry.cases
        if prompt_states_result(case, name, text)
    ]
    flaws += [
        Flaw("exception_unnamed", f"cases.{case.name}: {case.expected.raises}")
        for case in draft.entry.cases
        if case.expected.raises and case.expected.raises.rpartition(".")[2] not in text
    ]
    return decision_of(flaws)


@gate("aicodereval.exceptions_asked")
def exceptions_asked(draft: Draft, _: EntryBounds) -> Decision:
    """A case requires one kind of exception, and none that the prompt rules out."""
    flaws = []
    for case in draft.entry.cases:
        if case.expected.raises.rpartition(".")[2] in _ANY_EXCEPTION:
            flaws.append(Flaw("any_exception_expected", f"cases.{case.name}: {case.expected.raises}"))
        elif sentence := _contradiction(draft, case):
            flaws.append(Flaw("exception_ruled_out", f"cases.{case.name}: {sentence[:120]!r}"))
    return decision_of(flaws)


def _contradiction(draft: Draft, case: CallCase) -> str:
    """The sentence of the prompt that contradicts it; empty without one."""
    name = case.expected.raises.rpartition(".")[2]
    for sentence in _sentences(draft):
        if name and _rules_out(sentence, name):
            return sentence
        if _is_empty_call(case) and re.search(
            r"\b(?:empty|blank|no items|nothing)\b", sentence, re.IGNORECASE
        ):
            names_error = bool(_ERROR.search(sentence))
            returns = bool(re.search(r"\b(?:return|give|yield|result is)", sentence, re.IGNORECASE))
            if (name and returns and not names_error) or (
                not name and names_error and not returns and _raises(sentence)
            ):
                return sentence
    return ""


def _sentences(draft: Draft) -> list[str]:
    texts = (draft.entry.description, draft.entry.docstring)
    return [" ".join(each.split()) for text in texts for each in _SENTENCE.split(text) if each.strip()]


def _rules_out(sentence: str, name: str) -> bool:
    found = _RULED_OUT.search(sentence)
    if found is None:
        return False
    clause = sentence[found.start() : found.end() + 40]
    errors = set(_ERROR.findall(clause)) - {"Error", "Exception"}
    before = _ERROR.search(sentence[: found.start()])
    return name in errors or (not errors and before is None)


def _raises(sentence: str) -> bool:
    return not _RULED_OUT.search(sentence) and not re.search(r"\bif not\b|\bunless\b|non-empty", sentence)


def _is_empty_call(case: CallCase) -> bool:
    """Whether the only argument of a call is empty, which clarifies `empty` in a prompt."""
    given = [*case.input.args, *case.input.kwargs.values()]
    return len(given) == 1 and given[0] in ("", [], {})


def _demands(draft: Draft) -> TestTexts:
    cases = draft.entry.cases
    values = (
        resolve(each, lambda name: name) for case in cases for each in _demanded(case.expected.value, case)
    )
    return TestTexts.of(values, ([case.input.args, case.input.kwargs, case.input.files] for case in cases))


def _demanded(value: Any, case: CallCase) -> Iterator[Any]:
    properties = case.expected.properties
    yield value
    yield from (properties[name] for name in ("one_of", "contains") if name in properties)
    yield from ({str(each): 0} for each in properties.get("keys", []))
    yield from ({str(each): 0} for each in properties.get("at", {}) if not str(each).lstrip("-").isdigit())


@gate("aicodereval.literals", version=2)
def literals(draft: Draft, _: EntryBounds) -> Decision:
    """The tests require no key, word, sign or form of a result that the prompt does not mention."""
    text, demands, code = prompt_of(draft.entry), _demands(draft), code_of(draft)
    unnamed = unspecified_texts(text, demands, code.nodes)
    flaws = [Flaw("unnamed_literal", repr(each)) for each in unnamed]
    flaws += [Flaw("unnamed_format", about) for about in unspecified_forms(text, demands, code)]
    return decision_of(flaws)


_KINDS: dict[str, tuple[type, ...]] = {
    "int": (int,), "float": (int, float), "str": (str,), "bool": (bool,), "list": (list,), "dict": (dict,),
    "tuple": (tuple, list), "set": (set, frozenset, list), "bytes": (bytes,), "List": (list,),
    "Dict": (dict,),
}  # fmt: skip


@gate("aicodereval.result_type")
def result_type(draft: Draft, _: EntryBounds) -> Decision:
    """The expected values have the type of the signature."""
    stated = _stated(code_of(draft), entry_point_of(draft.entry))
    flaws = []
    for case in draft.entry.cases:
        value = resolve(case.expected.value, lambda name: name)
        if stated and value is not None and not isinstance(value, stated):
            flaws.append(Flaw("signature_contradicted", f"cases.{case.name}: {type(value).__name__}"))
    return decision_of(flaws)


def _stated(code: ParsedCode, name: str) -> tuple[type, ...]:
    """The types of an annotation that is one plain name; none for any other."""
    for node in code.nodes:
        if isinstance(node, ast.FunctionDef) and node.name == name and node.returns is not None:
            outer = node.returns.value if isinstance(node.returns, ast.Subscript) else node.returns
            return _KINDS.get(ast.unparse(outer).rpartition(".")[2], ())
    return ()


WORDING_GATES: tuple[GateOpener, ...] = (prompt, exceptions_asked, literals, result_type)
