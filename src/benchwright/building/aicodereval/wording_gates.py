"""Gates that hold the words of a prompt against the tests: what tests demand, some word must name.

Read and not executed. What they refuse is not certified, and may still be trained on.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

from benchwright.building.aicodereval.drafted_code import ParsedCode, code_of, prompt_of
from benchwright.building.aicodereval.lint_gates import Flaw, decision_of
from benchwright.building.aicodereval.nouns import Draft
from benchwright.building.aicodereval.options import EntryBounds
from benchwright.building.aicodereval.told_answers import tells
from benchwright.building.gates import gate
from benchwright.building.unnamed_texts import CASE_WORDS, Demands, plain_text, unnamed_literals
from benchwright.cases.reading import resolve
from benchwright.contracts import CallCase, Decision, GateOpener
from benchwright.tracks.aicodereval.program import entry_point_of

_ANY_EXCEPTION = ("Exception", "BaseException")
_ERROR = re.compile(r"\b\w*(?:Error|Exception|Interrupt|Exit|Iteration)\b")
_RULED_OUT = re.compile(
    r"\b(?:never|not|n't|no|without|nothing|instead of|rather than|neither)\b[^.;:]{0,60}?"
    r"\b(?:rais\w*|throw\w*|exceptions?|errors?)\b",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.;])\s+|\n\s*\n|\n(?=\s*\w+:)")
# What makes a result's form, and the words of which one must say so.
_CASE_METHODS = ("upper", "lower", "title", "capitalize", "casefold", "swapcase")
_ROUND_WORDS = re.compile(
    r"round|decimal|digit|place|precision|nearest|whole|integer|truncat|format|two|three|%\.", re.IGNORECASE
)
_ORDER_WORDS = re.compile(
    r"sort|order|ascend|descend|first|last|rank|alphabet|largest|greatest|highest|smallest|least|lowest|most"
    r"|best|top|by\b|increas|decreas|earliest|latest|median|quantile",
    re.IGNORECASE,
)
_OFFSET_WORDS = re.compile(
    r"\b(?:plus|one|two|three|add(?:ed|s)?|increment\w*|inclusive|including|both ends|based|position|offset"
    r"|next|complement|remain\w*|other|minus (?:the|its)|less (?:the|its)|error|loss|distance|smooth\w*)\b",
    re.IGNORECASE,
)
_FACTOR_WORDS = re.compile(
    r"twice|doubl|half|halv|two|three|tripl|third|quarter|four|mean|average|middle|midpoint|times|multipl|divid"
    r"|ratio|scale|convert|weigh|hour|minute|second|day|milli|kilo|mega|byte|bit|degree|radian|unit",
    re.IGNORECASE,
)
_MOST_WORDS = re.compile(r"\b(?:largest|greatest|highest|biggest|longest|maxim\w+)\b", re.IGNORECASE)
_LEAST_WORDS = re.compile(r"\b(?:smallest|lowest|shortest|fewest|minim\w+)\b", re.IGNORECASE)
_BOUND_WORDS = re.compile(
    r"\bat (?:least|most)\b|\b(?:cap|clip|clamp|limit|bound)\w*|\b(?:floor|up to|no more|less|than)\b",
    re.IGNORECASE,
)
_SCALE_WORDS = re.compile(r"percent|%|100|hundred|cent", re.IGNORECASE)


@gate("aicodereval.prompt", version=2)
def prompt(draft: Draft, _: EntryBounds) -> Decision:
    """No graded call stands in the prompt with its result, and each exception asked for is named there."""
    text, name = prompt_of(draft.entry), entry_point_of(draft.entry)
    flaws = [
        Flaw("graded_assertion_in_prompt", f"cases.{case.name}")
        for case in draft.entry.cases
        if tells(case, name, text)
    ]
    flaws += [
        Flaw("exception_unnamed", f"cases.{case.name}: {case.expected.raises}")
        for case in draft.entry.cases
        if case.expected.raises and case.expected.raises.rpartition(".")[2] not in text
    ]
    return decision_of(flaws)


@gate("aicodereval.exceptions_asked")
def exceptions_asked(draft: Draft, _: EntryBounds) -> Decision:
    """A case asks for one kind of exception, and for none that the prompt rules out."""
    flaws = []
    for case in draft.entry.cases:
        if case.expected.raises.rpartition(".")[2] in _ANY_EXCEPTION:
            flaws.append(Flaw("any_exception_expected", f"cases.{case.name}: {case.expected.raises}"))
        elif sentence := _contradiction(draft, case):
            flaws.append(Flaw("exception_ruled_out", f"cases.{case.name}: {sentence[:120]!r}"))
    return decision_of(flaws)


def _contradiction(draft: Draft, case: CallCase) -> str:
    """The sentence of the prompt that says otherwise; empty without one."""
    name = case.expected.raises.rpartition(".")[2]
    for sentence in _sentences(draft):
        if name and _rules_out(sentence, name):
            return sentence
        if _is_empty_call(case) and re.search(
            r"\b(?:empty|blank|no items|nothing)\b", sentence, re.IGNORECASE
        ):
            named = bool(_ERROR.search(sentence))
            returns = bool(re.search(r"\b(?:return|give|yield|result is)", sentence, re.IGNORECASE))
            if (name and returns and not named) or (not name and named and not returns and _raises(sentence)):
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
    named = set(_ERROR.findall(clause)) - {"Error", "Exception"}
    before = _ERROR.search(sentence[: found.start()])
    return name in named or (not named and before is None)


def _raises(sentence: str) -> bool:
    return not _RULED_OUT.search(sentence) and not re.search(r"\bif not\b|\bunless\b|non-empty", sentence)


def _is_empty_call(case: CallCase) -> bool:
    """A call whose only argument is empty: it is clear then what `empty` in a prompt is about."""
    given = [*case.input.args, *case.input.kwargs.values()]
    return len(given) == 1 and given[0] in ("", [], {})


def _demands(draft: Draft) -> Demands:
    cases = draft.entry.cases
    values = (
        resolve(each, lambda name: name) for case in cases for each in _demanded(case.expected.value, case)
    )
    return Demands.of(values, ([case.input.args, case.input.kwargs, case.input.files] for case in cases))


def _demanded(value: Any, case: CallCase) -> Iterator[Any]:
    properties = case.expected.properties
    yield value
    yield from (properties[name] for name in ("one_of", "contains") if name in properties)
    yield from ({str(each): 0} for each in properties.get("keys", []))
    yield from ({str(each): 0} for each in properties.get("at", {}) if not str(each).lstrip("-").isdigit())


@gate("aicodereval.literals", version=2)
def literals(draft: Draft, _: EntryBounds) -> Decision:
    """No key, word, sign or form of a result is asked for that no word of the prompt names."""
    text, demands, code = prompt_of(draft.entry), _demands(draft), code_of(draft)
    unnamed = unnamed_literals(text, demands, code.nodes)
    flaws = [Flaw("unnamed_literal", repr(each)) for each in unnamed]
    flaws += [Flaw("unnamed_format", about) for about in _unnamed_forms(text, demands, code)]
    return decision_of(flaws)


def _unnamed_forms(prompt: str, demands: Demands, code: ParsedCode) -> Iterator[str]:
    methods = {
        node.func.attr
        for node in code.nodes
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    }
    changed = [name for name in _CASE_METHODS if name in methods]
    if changed and not CASE_WORDS.search(prompt) and not _is_caseless(demands):
        yield f"letters are changed by {changed[0]}()"
    if _rounds(code) and not _ROUND_WORDS.search(prompt) and _has_float_or_text(demands.values):
        yield "the result is rounded"
    if (
        _sorts(code)
        and not _ORDER_WORDS.search(prompt)
        and any(_is_long_list(each) for each in demands.values)
    ):
        yield "the result is sorted"
    for number in _offsets(code):
        if not _OFFSET_WORDS.search(prompt) and not re.search(rf"(?<![\d.]){number:g}(?![\d.])", prompt):
            yield f"{number:g} is added to the result"
    for number in _factors(code):
        if not _FACTOR_WORDS.search(prompt) and not re.search(rf"(?<![\d.]){number:g}(?![\d.])", prompt):
            yield f"the result is multiplied or divided by {number:g}"
    if _scales(code) and not _SCALE_WORDS.search(prompt):
        yield "the result is scaled by 100"
    yield from _opposites(prompt, code)


def _is_caseless(demands: Demands) -> bool:
    """Whether no text of the tests has a capital letter: then nothing shows what becomes of one."""
    return all(each == each.lower() for each in demands.texts) and not re.search(r"[a-z]", demands.given)


def _rounds(code: ParsedCode) -> bool:
    formats = (
        node.format_spec for node in code.nodes if isinstance(node, ast.FormattedValue) and node.format_spec
    )
    if any(re.search(r"\.\d", ast.unparse(each)) for each in formats):
        return True
    return any(name.rpartition(".")[2] in ("round", "around", "quantize") for name, _ in code.calls())


def _sorts(code: ParsedCode) -> bool:
    """Whether a sorted list is what is returned."""
    return any(
        isinstance(node, ast.Return)
        and isinstance(node.value, ast.Call)
        and code.full(node.value.func) == "sorted"
        for node in code.nodes
    )


def _offsets(code: ParsedCode) -> Iterator[float]:
    """Numbers that are added to what is returned, or taken from it, as the last thing that is done."""
    return _last_numbers(code, ast.Add, ast.Sub)


def _factors(code: ParsedCode) -> Iterator[float]:
    """Numbers by which what is returned is multiplied or divided, as the last thing that is done; not 100."""
    found = _last_numbers(code, ast.Mult, ast.Div, ast.FloorDiv)
    return (each for each in found if each not in (1, 100))


def _last_numbers(code: ParsedCode, both: type[ast.operator], *right: type[ast.operator]) -> Iterator[float]:
    """The numbers of the outermost operations of results: on both sides of `both`, else on the right one."""
    for node in code.nodes:
        value = node.value if isinstance(node, ast.Return) else None
        if isinstance(value, ast.BinOp) and isinstance(value.op, (both, *right)):
            for each in [value.left, value.right] if isinstance(value.op, both) else [value.right]:
                if isinstance(each, ast.Constant) and type(each.value) in (int, float) and each.value:
                    yield float(str(each.value))


def _opposites(prompt: str, code: ParsedCode) -> Iterator[str]:
    """A least value that is returned where the prompt speaks of a greatest one, or the other way round."""
    most, least = _MOST_WORDS.search(prompt), _LEAST_WORDS.search(prompt)
    if bool(most) == bool(least) or _BOUND_WORDS.search(prompt):
        return
    wrong, word = ("min", most) if most else ("max", least)
    for node in code.nodes:
        value = node.value if isinstance(node, ast.Return) else None
        if isinstance(value, ast.Call) and code.full(value.func) == wrong and not value.keywords and word:
            yield f"{wrong}() is returned, and the prompt says {word.group()}"


def _scales(code: ParsedCode) -> bool:
    return any(
        isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.Mult | ast.Div)
        and any(
            isinstance(each, ast.Constant) and each.value in (100, 100.0) for each in (node.left, node.right)
        )
        for node in code.nodes
    )


def _has_float_or_text(values: list[Any]) -> bool:
    return any(re.search(r"\d\.\d", plain_text(each)) for each in values)


def _is_long_list(value: Any) -> bool:
    return isinstance(value, list) and len(value) > 1


_KINDS: dict[str, tuple[type, ...]] = {
    "int": (int,), "float": (int, float), "str": (str,), "bool": (bool,), "list": (list,), "dict": (dict,),
    "tuple": (tuple, list), "set": (set, frozenset, list), "bytes": (bytes,), "List": (list,),
    "Dict": (dict,),
}  # fmt: skip


@gate("aicodereval.result_type")
def result_type(draft: Draft, _: EntryBounds) -> Decision:
    """The values that tests demand are of the type that the signature states."""
    stated = _stated(code_of(draft), entry_point_of(draft.entry))
    flaws = []
    for case in draft.entry.cases:
        value = resolve(case.expected.value, lambda name: name)
        if stated and value is not None and not isinstance(value, stated):
            flaws.append(Flaw("signature_contradicted", f"cases.{case.name}: {type(value).__name__}"))
    return decision_of(flaws)


def _stated(code: ParsedCode, name: str) -> tuple[type, ...]:
    """The types that an annotation of one plain name stands for; none for any other."""
    for node in code.nodes:
        if isinstance(node, ast.FunctionDef) and node.name == name and node.returns is not None:
            outer = node.returns.value if isinstance(node.returns, ast.Subscript) else node.returns
            return _KINDS.get(ast.unparse(outer).rpartition(".")[2], ())
    return ()


WORDING_GATES: tuple[GateOpener, ...] = (prompt, exceptions_asked, literals, result_type)
