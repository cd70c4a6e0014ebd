"""Results and prompts: results that a prompt reveals, and result forms that a prompt leaves unspecified.

A prompt reveals a result as a call, in prose or in another notation. Unspecified forms are rounding, order,
factors and opposites that the tests require.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from typing import Any

from benchwright.building.aicodereval.draft_records import ParsedCode
from benchwright.building.unspecified_texts import CASE_WORDS, TestTexts, plain_text
from benchwright.cases.reading import resolve
from benchwright.contracts import CallCase

# Operations that decide the form of a result, and the words in a prompt that specify each.
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
_POWER_WORDS = re.compile(
    r"squar|cub|power|root|norm|deviation|varian|energy|distance|exponent|quadrat|\*\*|\^", re.IGNORECASE
)
_REVERSED_WORDS = re.compile(
    r"revers|backward|last|from the end|right to left|descend|order|palindrom|mirror|flip|newest"
    r"|highest|largest",
    re.IGNORECASE,
)
_FIRST_WORDS = re.compile(r"\bfirst\b", re.IGNORECASE)
_LAST_WORDS = re.compile(r"\blast\b|\bfinal\b", re.IGNORECASE)
_FILLING = ("ljust", "rjust", "center", "zfill")
_MOST_WORDS = re.compile(r"\b(?:largest|greatest|highest|biggest|longest|maxim\w+)\b", re.IGNORECASE)
_LEAST_WORDS = re.compile(r"\b(?:smallest|lowest|shortest|fewest|minim\w+)\b", re.IGNORECASE)
_BOUND_WORDS = re.compile(
    r"\bat (?:least|most)\b|\b(?:cap|clip|clamp|limit|bound)\w*|\b(?:floor|up to|no more|less|than)\b",
    re.IGNORECASE,
)
_SCALE_WORDS = re.compile(r"percent|%|100|hundred|cent", re.IGNORECASE)


def unspecified_forms(prompt: str, demands: TestTexts, code: ParsedCode) -> Iterator[str]:
    """The unspecified forms of a result, each in words."""
    yield from _of_texts(prompt, demands, code)
    yield from _of_numbers(prompt, code)
    for bound in _bounds(code):
        if not _is_number_named(bound, prompt):
            yield f"the result is cut or filled at {bound}"
    yield from _opposites(prompt, code)
    yield from _turned(prompt, code)


def _of_texts(prompt: str, demands: TestTexts, code: ParsedCode) -> Iterator[str]:
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


def _of_numbers(prompt: str, code: ParsedCode) -> Iterator[str]:
    """Arithmetic with constants as the last operation."""
    for number in _offsets(code):
        if not _OFFSET_WORDS.search(prompt) and not _is_written(number, prompt):
            yield f"{number:g} is added to the result"
    for number in _factors(code):
        if not _FACTOR_WORDS.search(prompt) and not _is_written(number, prompt):
            yield f"the result is multiplied or divided by {number:g}"
    if _scales(code) and not _SCALE_WORDS.search(prompt):
        yield "the result is scaled by 100"
    if not _POWER_WORDS.search(prompt):
        for number in _last_numbers(code, ast.Pow):
            yield f"the result is raised to the power of {number:g}"


def _is_written(number: float, prompt: str) -> bool:
    """Whether the prompt contains the number in digits, such as 2.5 or 1,000."""
    ungrouped = re.sub(r"(?<=\d),(?=\d{3})", "", prompt)
    return any(float(each) == number for each in re.findall(r"(?<![\w.])\d+(?:\.\d+)?(?!\w)", ungrouped))


def _is_caseless(demands: TestTexts) -> bool:
    """Whether no text of the tests has a capital letter, so that the tests do not show its treatment."""
    return all(each == each.lower() for each in demands.texts) and not re.search(r"[a-z]", demands.given)


def _rounds(code: ParsedCode) -> bool:
    formats = (
        node.format_spec for node in code.nodes if isinstance(node, ast.FormattedValue) and node.format_spec
    )
    if any(re.search(r"\.\d", ast.unparse(each)) for each in formats):
        return True
    return any(name.rpartition(".")[2] in ("round", "around", "quantize") for name, _ in code.calls())


def _sorts(code: ParsedCode) -> bool:
    """Whether the result is a sorted list."""
    return any(
        isinstance(node, ast.Return)
        and isinstance(node.value, ast.Call)
        and code.full(node.value.func) == "sorted"
        for node in code.nodes
    )


def _offsets(code: ParsedCode) -> Iterator[float]:
    """Numbers added to or subtracted from the result as the last operation."""
    return _last_numbers(code, ast.Add, ast.Sub)


def _factors(code: ParsedCode) -> Iterator[float]:
    """Numbers by which the result is multiplied or divided as the last operation, except 100."""
    found = _last_numbers(code, ast.Mult, ast.Div, ast.FloorDiv)
    return (each for each in found if each not in (1, 100))


def _last_numbers(code: ParsedCode, both: type[ast.operator], *right: type[ast.operator]) -> Iterator[float]:
    """The numbers of the outermost operations on results: on both sides of `both`, else on the right side."""
    for node in code.nodes:
        value = node.value if isinstance(node, ast.Return) else None
        if isinstance(value, ast.BinOp) and isinstance(value.op, (both, *right)):
            for each in [value.left, value.right] if isinstance(value.op, both) else [value.right]:
                if isinstance(each, ast.Constant) and type(each.value) in (int, float) and each.value:
                    yield float(str(each.value))


def _bounds(code: ParsedCode) -> Iterator[int]:
    """Limits at which texts and lists are cut, and widths to which texts are filled, except 0, 1 and 2."""
    for node in code.nodes:
        found: list[ast.expr | None] = []
        if isinstance(node, ast.Slice):
            found = [node.lower, node.upper]
        elif (
            isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _FILLING
        ):
            found = [*node.args]
        for each in found:
            if isinstance(each, ast.Constant) and type(each.value) is int and each.value > 2:
                yield each.value


def _is_number_named(number: int, prompt: str) -> bool:
    words = [str(number), *SMALL_NUMBERS[number : number + 1]]
    return re.search(rf"(?<![\d.])\b(?:{'|'.join(words)})\b", prompt, re.IGNORECASE) is not None


def _turned(prompt: str, code: ParsedCode) -> Iterator[str]:
    """Reversed results, and the last item where the prompt mentions only the first, or the reverse."""
    first, last = _FIRST_WORDS.search(prompt), _LAST_WORDS.search(prompt)
    for node in code.nodes:
        value = node.value if isinstance(node, ast.Return) else None
        at = ast.unparse(value.slice) if isinstance(value, ast.Subscript) else ""
        if (at == "-1" and first and not last) or (at == "0" and last and not first):
            yield f"the item {at} is returned, and the prompt says {'first' if first else 'last'}"
        if value is not None and _is_reversed(value) and not _REVERSED_WORDS.search(prompt):
            yield "the result is reversed"


def _is_reversed(value: ast.expr) -> bool:
    steps = (each.step for each in ast.walk(value) if isinstance(each, ast.Slice) and each.step)
    return any(ast.unparse(each) == "-1" for each in steps)


def _opposites(prompt: str, code: ParsedCode) -> Iterator[str]:
    """A returned minimum where the prompt mentions a maximum, or the reverse."""
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


_WORD = re.compile(r"[^\W\d_][\w'-]*|_\w+|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|-?\.\d+")
_BETWEEN = {"and", "or", "then"}  # words between the items of a list
_GAP = 4  # words between two arguments
_REACH = 14  # words between a call and its result
_DISTINCT = 4  # minimum length of an argument mentioned without the function's name
SMALL_NUMBERS = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
]


def prompt_states_result(case: CallCase, entry_point: str, prompt: str) -> bool:
    """Whether the prompt contains the arguments of a case and its value close to them."""
    expected = case.expected
    if expected.raises or expected.properties:
        return False
    value, arguments = [*_of(_safe(expected.value))], [[*_of(_safe(each))] for each in _arguments(case)]
    given = [each for each in arguments if each]
    if not value or not given:
        return False
    alone = len(given) == len(arguments) and _is_distinct(given)  # an empty argument matches everywhere
    words = [*_spelled(prompt)]
    name = [*_spelled(entry_point)]
    for start, end in _places(words, given):
        has_name = _holds(words[max(0, start - 3) : start], name)
        if (has_name or alone) and _near(words, value, start, end):
            return True
    return False


def _arguments(case: CallCase) -> list[Any]:
    return [*case.input.args, *case.input.kwargs.values()]


def _safe(value: Any) -> Any:
    return resolve(value, lambda name: name)


def _of(value: Any) -> Iterator[str]:
    """The words of a value, flattened."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _of(key)
            yield from _of(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _of(inner)
    elif isinstance(value, set | frozenset):
        for inner in sorted(value, key=repr):
            yield from _of(inner)
    else:
        yield from _spelled(str(value))


def _spelled(text: str) -> Iterator[str]:
    for word in _WORD.findall(text):
        if word.lower() in _BETWEEN:
            continue
        yield _number(word) if word[0].isdigit() or word[0] in "-." else word.lower()


def _number(word: str) -> str:
    return f"{float(word):g}"


def _find(words: Sequence[str], part: Sequence[str], first: int = 0) -> Iterator[int]:
    """The position of a part in the words."""
    for at in range(first, len(words) - len(part) + 1):
        if all(_same(a, b) for a, b in zip(words[at : at + len(part)], part, strict=True)):
            yield at


def _holds(words: Sequence[str], part: Sequence[str]) -> bool:
    return next(_find(words, part), None) is not None


def _same(word: str, wanted: str) -> bool:
    return word == wanted or (word in SMALL_NUMBERS and wanted == str(SMALL_NUMBERS.index(word)))


def _places(words: Sequence[str], given: Sequence[Sequence[str]]) -> Iterator[tuple[int, int]]:
    """The ranges where all arguments occur in order and close together."""
    for start in _find(words, given[0]):
        end = start + len(given[0])
        for part in given[1:]:
            at = next(_find(words[: end + _GAP + len(part)], part, end), None)
            if at is None:
                break
            end = at + len(part)
        else:
            yield start, end


def _is_distinct(given: Sequence[Sequence[str]]) -> bool:
    words = [word for part in given for word in part]
    return len(words) > 1 or len(words[0]) >= _DISTINCT


def _near(words: Sequence[str], value: Sequence[str], start: int, end: int) -> bool:
    behind = words[end : end + _REACH + len(value)]
    before = words[max(0, start - _REACH - len(value)) : start]
    return any(_holds(part, each) for part in (behind, before) for each in (value, _in_percent(value)))


def _in_percent(value: Sequence[str]) -> list[str]:
    """A share as a percentage: 93 for 0.93."""
    return [f"{float(each) * 100:g}" if re.fullmatch(r"0\.\d+", each) else each for each in value]
