"""Preconditions: the inputs that a task allows, by its prompt, its type hints and its solution.

A precondition counts only if every test satisfies it. `parameter_contracts` derives conditions of single
parameters from hints, bounds in the prompt and the use of the parameter in the solution.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from benchwright.building.adequacy.examination_records import SolvedTask
from benchwright.building.adequacy.generated_inputs import Arguments, calls_of_tests
from benchwright.text.literal import source_text
from benchwright.text.syntax import ParseFault, parse

ValueCheck = Callable[[Any], bool]
_NUMBER = r"((?<![\w.])-?\d{1,20}(?:\.\d{1,20})?)"
_BEHIND = (  # text after a parameter's name: a comparison sign and the number
    (r"\s{0,4}<=?\s{0,4}", "<="),
    (r"\s{0,4}>=?\s{0,4}", ">="),
    (r"[^.\n]{0,40}?\b(?:less|smaller|lower)\s{1,4}than\s{1,4}(?:or\s{1,4}equal\s{1,4}to\s{1,4})?", "<="),
    (
        r"[^.\n]{0,40}?\b(?:greater|larger|more|bigger)\s{1,4}than\s{1,4}(?:or\s{1,4}equal\s{1,4}to\s{1,4})?",
        ">=",
    ),
    (r"[^.\n]{0,40}?\bat\s{1,4}most\s{1,4}", "<="),
    (r"[^.\n]{0,40}?\bat\s{1,4}least\s{1,4}", ">="),
    (r"[^.\n]{0,40}?\bbetween\s{1,4}", ">="),
    (r"[^.\n]{0,40}?\bbetween\s{1,4}-?\d{1,20}\s{1,4}and\s{1,4}", "<="),
)
_BEFORE = ((r"\s{0,4}<=?\s{0,4}", ">="), (r"\s{0,4}>=?\s{0,4}", "<="))
_PLAIN: dict[str, tuple[type, ...]] = {
    "int": (int,),
    "float": (int, float),
    "complex": (int, float, complex),
    "str": (str,),
    "bool": (bool,),
    "None": (type(None),),
}
_CONTAINERS: dict[str, tuple[type, ...]] = {
    "list": (list,),
    "Sequence": (list, tuple, str),
    "Iterable": (list, tuple, set, str, dict),
    "tuple": (tuple,),
    "set": (set,),
    "frozenset": (frozenset,),
    "dict": (dict,),
}


def parameters(program: str, entry_point: str) -> list[ast.arg]:
    """The parameters of a function in a program, in order; empty if there is no such function."""
    tree = parse(program)
    for node in [] if isinstance(tree, ParseFault) else tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == entry_point:
            return [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    return []


def parameter_contracts(program: str, entry_point: str, prompt: str) -> dict[str, list[ValueCheck]]:
    """The contracts of each parameter, by name."""
    counts = _counts(program)
    found: dict[str, list[ValueCheck]] = {}
    for each in parameters(program, entry_point):
        of_hint = [_by_hint(each.annotation)] if each.annotation is not None else []
        of_use = [_is_not_negative] if each.arg in counts else []
        found[each.arg] = [*of_hint, *_by_bounds(each.arg, prompt), *of_use]
    return found


def numbers(value: Any) -> Iterator[float]:
    """The numbers in a value, without booleans."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        yield value
    inner = [*value, *value.values()] if isinstance(value, dict) else value
    for each in inner if isinstance(inner, list | tuple | set | frozenset) else ():
        yield from numbers(each)


def _is_not_negative(value: Any) -> bool:
    return all(each >= 0 for each in numbers(value))


def _counts(program: str) -> set[str]:
    """The names that a program uses in `range` or after `%`; their values are rarely negative."""
    tree = parse(program)
    names: set[str] = set()
    for node in ast.walk(tree) if not isinstance(tree, ParseFault) else ():
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range":
            names |= {each.id for each in node.args if isinstance(each, ast.Name)}
        elif (
            isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod) and isinstance(node.right, ast.Name)
        ):
            names.add(node.right.id)
    return names


def _by_bounds(name: str, prompt: str) -> Iterator[ValueCheck]:
    """The bounds in the prompt on a parameter: `n <= 100`, "n is less than 10", "1 <= n"."""
    word = rf"(?<![\w.]){re.escape(name)}(?!\w)"
    for behind, sign in _BEHIND:
        for found in re.finditer(word + behind + _NUMBER, prompt):
            yield _bound_check(float(found[1]), sign)
    for before, sign in _BEFORE:
        for found in re.finditer(_NUMBER + before + word, prompt):
            yield _bound_check(float(found[1]), sign)


def _bound_check(limit: float, sign: str) -> ValueCheck:
    """Whether all numbers satisfy a bound.

    The bound itself is allowed, since prompts are rarely precise about it.
    """
    if sign == "<=":
        return lambda value: all(each <= limit for each in numbers(value))
    return lambda value: all(each >= limit for each in numbers(value))


def _by_hint(hint: ast.expr) -> ValueCheck:
    """Whether a value has the hinted type; True for an unknown hint."""
    if isinstance(hint, ast.Constant) and hint.value is None:
        return lambda value: value is None
    if isinstance(hint, ast.BinOp) and isinstance(hint.op, ast.BitOr):
        return _either(hint.left, hint.right)
    if isinstance(hint, ast.Subscript):
        return _by_container(_name(hint.value), hint.slice)
    return _of_types({**_PLAIN, **_CONTAINERS}.get(_name(hint), ()))


def _by_container(name: str, inner: ast.expr) -> ValueCheck:
    parts = inner.elts if isinstance(inner, ast.Tuple) else [inner]
    if name == "Optional":
        return _either(inner, ast.Constant(None))
    if name == "Union":
        return _either(*parts)
    outer, items = _of_types(_CONTAINERS.get(name, ())), [_by_hint(each) for each in parts]
    if name == "dict" and len(items) == 2:
        return lambda value: (
            outer(value) and all(items[0](key) and items[1](each) for key, each in value.items())
        )
    if name in ("list", "set", "frozenset", "Sequence", "Iterable") and len(items) == 1:
        return lambda value: outer(value) and all(map(items[0], value))
    return outer


def _either(*hints: ast.expr) -> ValueCheck:
    tests = [_by_hint(each) for each in hints]
    return lambda value: any(test(value) for test in tests)


def _of_types(kinds: tuple[type, ...]) -> ValueCheck:
    """Whether a value has one of the types; booleans are not integers, and no types allow everything."""
    return lambda value: not kinds or type(value) in kinds


def _name(hint: ast.expr) -> str:
    """The name of a type without its module: `typing.List` and `list` are the same."""
    name = hint.attr if isinstance(hint, ast.Attribute) else hint.id if isinstance(hint, ast.Name) else ""
    return name.lower() if name.lower() in _CONTAINERS else name


_PAIRS = {")": "(", "]": "[", "}": "{", ">": "<"}
_LEAST = 2  # tests that a precondition must apply to


class Precondition(NamedTuple):
    """A property of one value: the values it applies to, and a check."""

    concerns: Callable[[Any], bool]
    holds: Callable[[Any], bool]


def _is_list(value: Any) -> bool:
    return isinstance(value, list | tuple) and len(value) > 1


def _rises(value: Any) -> bool:
    try:
        return all(first <= second for first, second in pairwise(value))
    except TypeError:
        return False


def _is_distinct(value: Any) -> bool:
    return len({source_text(each) for each in value}) == len(value)


def _has_brackets(value: Any) -> bool:
    return isinstance(value, str) and any(each in value for each in "()[]{}<>")


def _is_balanced(value: Any) -> bool:
    waiting: list[str] = []
    for each in value:
        if each in _PAIRS.values():
            waiting.append(each)
        elif each in _PAIRS and (not waiting or waiting.pop() != _PAIRS[each]):
            return False
    return not waiting


def _has_numbers(value: Any) -> bool:
    return any(True for _ in numbers(value))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    inner = [*value, *value.values()] if isinstance(value, dict) else value
    for each in inner if isinstance(inner, list | tuple | set | frozenset) else ():
        yield from _texts(each)


def _has_texts(value: Any) -> bool:
    return any(True for _ in _texts(value))


_SORTED = r"sorted|ascending|increasing|in order|упорядоч|отсортир|возраст"
_DISTINCT = r"distinct|unique|duplicate|различн|уникальн|повтор"
_BALANCED = r"balanced|nested|paren|bracket|скоб|вложен"
_NOUN = r"(?:integer|number|int|float|value|element|item|count|длин|цел|числ)"
_POSITIVE = (
    rf"(?<!non-)(?<!non)\bpositive\s+(?:\w+\s+){{0,2}}{_NOUN}|natural number"
    rf"|{_NOUN}s?\s+(?:is|are)\s+positive"
    r"|(?<!\w)(?:положительн|натуральн)\w*\s+(?:\w+\s+)?(?:цел|числ)"
)
_NOT_NEGATIVE = rf"non-?\s?negative|неотрицательн|{_POSITIVE}"
_PROMISES = tuple(
    (re.compile(words, re.IGNORECASE), Precondition(concerns, holds))
    for words, concerns, holds in (
        (_SORTED, _is_list, _rises),
        (_DISTINCT, _is_list, _is_distinct),
        (_BALANCED, _has_brackets, _is_balanced),
        (_POSITIVE, _has_numbers, lambda value: all(each > 0 for each in numbers(value))),
        (_NOT_NEGATIVE, _has_numbers, lambda value: all(each >= 0 for each in numbers(value))),
        (
            "lower ?-?case|строчн",
            _has_texts,
            lambda value: all(each == each.lower() for each in _texts(value)),
        ),
        (
            "upper ?-?case|заглавн",
            _has_texts,
            lambda value: all(each == each.upper() for each in _texts(value)),
        ),
        ("", _has_texts, lambda value: all(map(str.isascii, _texts(value)))),
    )
)
_FORMAT = re.compile(
    r"(?<!\w)(?:y{4}|y{2}|m{2}|d{2}|h{2}|s{2})(?:[-/.:](?:y{4}|y{2}|m{2}|d{2}|h{2}|s{2})){1,2}(?!\w)",
    re.IGNORECASE,
)
Place = int | str


class Preconditions:
    """The preconditions of one task: for each parameter those that the task mentions and all tests
    satisfy.
    """

    def __init__(self, task: SolvedTask) -> None:
        calls = calls_of_tests(task.spec)
        value_places = [_places(call) for call in calls]
        general = [*_general(task.prompt)]
        of_parameters = _of_parameters(task)
        self._checks = {
            place: [
                each
                for each in (*general, *of_parameters.get(place, ()))
                if _is_kept(each, [call[place] for call in value_places if place in call])
            ]
            for place in {place for call in value_places for place in call}
        }

    def are_kept(self, call: Arguments) -> bool:
        """Whether a call satisfies all preconditions."""
        values = _places(call)
        return all(
            each.holds(values[place])
            for place, promises in self._checks.items()
            if place in values
            for each in promises
            if each.concerns(values[place])
        )


def _general(prompt: str) -> Iterator[Precondition]:
    """The preconditions whose words occur in the prompt, and the date and time formats that it mentions."""
    for words, promise in _PROMISES:
        if words.search(prompt):
            yield promise
    for found in dict.fromkeys(_FORMAT.findall(prompt)):
        pattern = re.compile(re.sub(r"[a-zA-Z]", r"\\d", found.replace(".", "\\.")), re.ASCII)
        yield Precondition(
            _has_texts,
            lambda value, pattern=pattern: all(map(pattern.fullmatch, _texts(value))),  # type: ignore[misc]
        )


def _of_parameters(task: SolvedTask) -> dict[Place, list[Precondition]]:
    """The preconditions of each parameter, by its position and by its name."""
    names = [each.arg for each in parameters(task.gold, task.entry_point)]
    found = parameter_contracts(task.gold, task.entry_point, task.prompt)
    by_name: dict[Place, list[Precondition]] = {
        name: [Precondition(lambda _: True, each) for each in tests] for name, tests in found.items()
    }
    return {**by_name, **{at: by_name[name] for at, name in enumerate(names)}}


def _is_kept(promise: Precondition, values: Sequence[Any]) -> bool:
    """Whether every test satisfies it, and at least two tests are concerned."""
    concerned = [value for value in values if promise.concerns(value)]
    return len(concerned) >= _LEAST and all(map(promise.holds, concerned))


def _places(call: Arguments) -> Mapping[Place, Any]:
    values: dict[Place, Any] = dict(enumerate(call.args))
    return values | call.kwargs
