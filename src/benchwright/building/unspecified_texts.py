"""Texts and keys that tests require although no word of the prompt mentions them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from benchwright.text.literal import source_text

CASE_WORDS = re.compile(r"case|capital|upper|lower|small letter|title|letters", re.IGNORECASE)
_SIGNS = {
    ",": "comma", "-": "dash|hyphen|minus|range", "_": "underscore|snake", ":": "colon", ";": "semicolon",
    "/": "slash", "|": "pipe|bar", ".": "dot|period|stop|point|decimal", "%": "percent", "#": "hash",
    "+": "plus", "=": "equal", "@": "at sign", "&": "ampersand|and", "*": "star|asterisk", "→": "arrow",
    ">": "arrow|greater", "<": "less|angle", "(": "parenthes|bracket", "[": "bracket", "{": "brace",
    "!": "exclamation", "?": "question", '"': "quot", "'": "quot|apostrophe", "~": "tilde", "…": "ellips",
    "–": "dash",
}  # fmt: skip


class TestTexts(NamedTuple):
    """The texts that tests expect as results, and those that they pass as inputs."""

    texts: set[str]
    keys: set[str]
    given: str  # all texts of the inputs, in small letters
    values: list[Any]

    @classmethod
    def of(cls, values: Iterable[Any], inputs: Iterable[Any]) -> TestTexts:
        """Collect the texts of expected values and of arguments."""
        texts, keys, values = set[str](), set[str](), list(values)
        for value in values:
            _sort_texts(value, texts, keys)
        return cls(texts, keys, " ".join(map(plain_text, inputs)).lower(), values)


def plain_text(value: Any) -> str:
    """All texts and keys in a value, joined."""
    if isinstance(value, dict):
        return " ".join(f"{plain_text(key)} {plain_text(inner)}" for key, inner in value.items())
    if isinstance(value, list | tuple | set | frozenset):
        return " ".join(map(plain_text, value))
    return value if isinstance(value, str) else source_text(value)


def _sort_texts(value: Any, texts: set[str], keys: set[str]) -> None:
    if isinstance(value, str):
        texts.add(value)
    elif isinstance(value, dict):
        keys.update(key for key in value if isinstance(key, str))
        for inner in [*value, *value.values()]:
            _sort_texts(inner, texts, keys)
    elif isinstance(value, list | tuple | set | frozenset):
        for inner in value:
            _sort_texts(inner, texts, keys)


def unspecified_texts(prompt: str, demands: TestTexts, solution: Iterable[ast.AST]) -> list[str]:
    """Unmentioned texts that the nodes of a solution contain, and unmentioned keys of results, in order."""
    return sorted({*_unnamed_texts(prompt, demands, list(solution)), *_unnamed_keys(prompt, demands)})


def _unnamed_texts(prompt: str, demands: TestTexts, solution: list[ast.AST]) -> Iterator[str]:
    """Texts of the solution that occur in its results but in neither prompt nor input."""
    for core in map(str.strip, _written(solution)):
        if not core or core.lower() in demands.given or not _is_demanded(core, demands):
            continue
        if core in prompt or (CASE_WORDS.search(prompt) and core.lower() in prompt.lower()):
            continue
        if any(each.isalnum() for each in core) or not _is_sign_named(core, prompt):
            yield core


def _is_demanded(core: str, demands: TestTexts) -> bool:
    if len(core) < 3 and core.isalnum():
        return core in demands.texts
    return any(core in each for each in demands.texts)


def _is_sign_named(core: str, prompt: str) -> bool:
    if len(core) > 4:
        return False
    return all(
        re.search(_SIGNS.get(sign, "^$"), prompt, re.IGNORECASE) for sign in core if not sign.isspace()
    )


def _written(solution: list[ast.AST]) -> Iterator[str]:
    """The string literals of a program, without docstrings and messages of exceptions."""
    idle = set[int]()
    for node in solution:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            idle.add(id(node.value))
        elif isinstance(node, ast.Raise):
            idle.update(id(inner) for inner in ast.walk(node))
    for node in solution:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in idle:
            yield node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "dict":
            yield from (each.arg for each in node.keywords if each.arg)


def _unnamed_keys(prompt: str, demands: TestTexts) -> Iterator[str]:
    """Keys of results that derive from no input, however the solution makes them."""
    lowered = prompt.lower()
    for key in demands.keys:
        core = key.strip()
        if len(core) > 2 and re.fullmatch(r"[A-Za-z_][\w -]*", core):
            words = [each for each in re.split(r"[\W_]+", core.lower()) if each]
            if core.lower() not in lowered and not all(each in demands.given for each in words):
                yield core
