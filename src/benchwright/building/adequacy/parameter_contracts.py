"""Parameter contracts: allowed values by type hint, by bounds in the prompt, and by use in the solution.

Each contract tests one value. It is binding only if all tests satisfy it, which `promises` checks.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from typing import Any

from benchwright.text.syntax import ParseFault, parse

Holds = Callable[[Any], bool]
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


def contracts(program: str, entry_point: str, prompt: str) -> dict[str, list[Holds]]:
    """The contracts of each parameter, by name."""
    counts = _counts(program)
    found: dict[str, list[Holds]] = {}
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


def _by_bounds(name: str, prompt: str) -> Iterator[Holds]:
    """The bounds in the prompt on a parameter: `n <= 100`, "n is less than 10", "1 <= n"."""
    word = rf"(?<![\w.]){re.escape(name)}(?!\w)"
    for behind, sign in _BEHIND:
        for found in re.finditer(word + behind + _NUMBER, prompt):
            yield _bound(float(found[1]), sign)
    for before, sign in _BEFORE:
        for found in re.finditer(_NUMBER + before + word, prompt):
            yield _bound(float(found[1]), sign)


def _bound(limit: float, sign: str) -> Holds:
    """Whether all numbers satisfy a bound.

    The bound itself is allowed, since prompts are rarely precise about it.
    """
    if sign == "<=":
        return lambda value: all(each <= limit for each in numbers(value))
    return lambda value: all(each >= limit for each in numbers(value))


def _by_hint(hint: ast.expr) -> Holds:
    """Whether a value has the hinted type; True for an unknown hint."""
    if isinstance(hint, ast.Constant) and hint.value is None:
        return lambda value: value is None
    if isinstance(hint, ast.BinOp) and isinstance(hint.op, ast.BitOr):
        return _either(hint.left, hint.right)
    if isinstance(hint, ast.Subscript):
        return _by_container(_name(hint.value), hint.slice)
    return _of_types({**_PLAIN, **_CONTAINERS}.get(_name(hint), ()))


def _by_container(name: str, inner: ast.expr) -> Holds:
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


def _either(*hints: ast.expr) -> Holds:
    tests = [_by_hint(each) for each in hints]
    return lambda value: any(test(value) for test in tests)


def _of_types(kinds: tuple[type, ...]) -> Holds:
    """Whether a value has one of the types; booleans are not integers, and no types allow everything."""
    return lambda value: not kinds or type(value) in kinds


def _name(hint: ast.expr) -> str:
    """The name of a type without its module: `typing.List` and `list` are the same."""
    name = hint.attr if isinstance(hint, ast.Attribute) else hint.id if isinstance(hint, ast.Name) else ""
    return name.lower() if name.lower() in _CONTAINERS else name
