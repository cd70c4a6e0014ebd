"""Imports of a Python file that only the tests cut out of it used.

An import that nobody used before is its author's and stays, as do star imports and those of `__future__`. So
does a name that any function takes as a parameter: it may be a fixture, and fixtures ask for each other by
name. What stays keeps a name by reading it, or by a text that may mean it: a dotted path as `mock.patch`
takes, a member of `__all__`, an annotation, a doctest. Where what stays looks names up by itself (`eval`,
`globals()`), each word of each text counts.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

from benchwright.lang.python.tree import Function, all_nodes, dotted, scope

Imported = ast.Import | ast.ImportFrom

_Holder = ast.If | ast.Try | ast.With
_WORD = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_CODE = re.compile(r"\.?[^\W\d][\w.]*\s*(?:[\[|][\w.\[\], |'\"]*)?")  # "a.b", ".b", "List[int]", "A | None"
_DOCTEST = re.compile(r"^\s*(?:>>>|\.\.\.) (.*)$", re.MULTILINE)
_LOOKS_UP = {"eval", "exec", "compile", "globals", "locals", "vars", "timeit"}


class Lost(NamedTuple):
    """What goes: whole statements, by identity, and of other imports the positions of some names."""

    whole: set[int]
    names: dict[int, set[int]]


class _Unit(NamedTuple):
    """A statement that can be cut by itself, with the dotted names in it but not in the units inside it."""

    key: int
    above: int  # key of the unit around it
    read: frozenset[str]
    texts: tuple[str, ...]


class _Names:
    """Dotted names in use, and what that says of the name of an import."""

    def __init__(self, names: Iterable[str]) -> None:
        self.full = set(names)
        self.heads = {head for name in self.full for head in _heads(name)}

    def use(self, path: str) -> bool:
        """True for `a.b` when there is `a.b`, `a.b.c`, or `a` alone, through which anything is reached."""
        return path in self.heads or any(head in self.full for head in _heads(path))


def lost_imports(module: ast.Module, cut: Collection[int], can_go: Callable[[ast.stmt], bool]) -> Lost:
    """The imports that only what is `cut` used. `can_go` says of a statement whether its lines are its own.

    An `if` or `try` of nothing but lost imports goes with the names in its head, so it is asked again then.
    """
    whole: set[int] = set()
    while True:
        lost = _lost_aliases(module, {*cut, *whole})
        found = [node for node in _open(module) if _is_lost(node, lost) and can_go(node)]
        heads = {id(node) for node in found if isinstance(node, _Holder)} - whole
        whole.update(id(node) for node in found)
        if not heads:
            break
    names = {
        id(node): positions
        for node in _open(module)
        if isinstance(node, Imported)
        and (positions := {at for at, each in enumerate(node.names) if id(each) in lost})
        and len(positions) < len(node.names)
        and can_go(node)
    }
    return Lost(whole, names)


def _open(module: ast.Module) -> Iterator[ast.stmt]:
    """Statements of the module and of a plain `if`. Under `try` and `else` it is all or nothing."""
    stack: list[ast.stmt] = list(module.body)
    while stack:
        node = stack.pop()
        yield node
        if isinstance(node, ast.If) and not node.orelse:
            stack += node.body


def _is_lost(node: ast.stmt, lost: set[int]) -> bool:
    """True for an import without a name left, and for `try: import a` with `except ImportError: a = None`."""
    if not isinstance(node, Imported | _Holder):
        return False
    inside = [each for each in scope([node]) if not isinstance(each, _Holder)]
    aliases = [alias for each in inside if isinstance(each, Imported) for alias in each.names]
    names = {_local(alias) for alias in aliases}
    others = (each for each in inside if not isinstance(each, Imported))
    return (
        bool(aliases)
        and all(id(alias) in lost for alias in aliases)
        and all(isinstance(each, ast.Pass) or _stands_in(each, names) for each in others)
    )


def _stands_in(node: ast.stmt, names: set[str]) -> bool:
    if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Constant):
        return False
    return all(dotted(each) in names for each in node.targets)


def _lost_aliases(module: ast.Module, cut: set[int]) -> set[int]:
    """Imported names that something used and nothing uses any more, by identity of their `alias` nodes."""
    units = _units(module)
    gone = set(cut)
    for each in units:
        if each.above in gone:  # outer units come first
            gone.add(each.key)
    staying = [each for each in units if each.key not in gone]
    before = _Names(name for each in units if each.key in gone for name in each.read)
    after = _Names(_needed(staying))
    aliases = [each for key, each in _aliases(module) if key not in gone]
    tops = Counter(_top(each) for each in aliases)
    fixtures = _parameters(module)
    lost: dict[int, str] = {}
    for alias in aliases:
        path = _local(alias) if tops[_top(alias)] > 1 else _top(alias)
        if before.use(path) and not after.use(path) and path not in fixtures:
            lost[id(alias)] = _top(alias)
    bare = {top for top, count in Counter(lost.values()).items() if count == tops[top] and top in after.heads}
    return {key for key, top in lost.items() if top not in bare}


def _needed(staying: list[_Unit]) -> Iterator[str]:
    read = {name for each in staying for name in each.read}
    yield from read
    texts = [text for each in staying for text in each.texts]
    if any(not _LOOKS_UP.isdisjoint(name.split(".")) for name in read):
        yield from (word for text in texts for word in _ends(_WORD.findall(text)))
    else:
        yield from (word for text in texts for word in _meant(text))


def _meant(text: str) -> Iterator[str]:
    """The names that a text may stand for where code is given as text."""
    if len(text) <= 200 and _CODE.fullmatch(text):
        yield from _ends(_WORD.findall(text))
    elif ">>>" in text:
        yield from (word for line in _DOCTEST.findall(text) for word in _WORD.findall(line))


def _ends(names: Iterable[str]) -> Iterator[str]:
    """`tests.test_x.json` names `json` of the test file itself, so all ends of a dotted name count."""
    for name in names:
        parts = name.split(".")
        yield from (".".join(parts[at:]) for at in range(len(parts)))


def _heads(name: str) -> Iterator[str]:
    return accumulate(name.split("."), "{}.{}".format)


def _local(alias: ast.alias) -> str:
    return alias.asname or alias.name


def _top(alias: ast.alias) -> str:
    return _local(alias).partition(".")[0]


@lru_cache(maxsize=4)  # as trees are: the same file is asked about for each of its cases
def _aliases(module: ast.Module) -> tuple[tuple[int, ast.alias], ...]:
    """All names that imports of the module's scope bind, each with its statement's identity."""
    return tuple(
        (id(node), alias)
        for node in scope(module.body)
        if isinstance(node, Imported) and getattr(node, "module", "") != "__future__"
        for alias in node.names
        if alias.name != "*"
    )


@lru_cache(maxsize=4)
def _parameters(module: ast.Module) -> frozenset[str]:
    return frozenset(node.arg for node in all_nodes(module) if isinstance(node, ast.arg))


@lru_cache(maxsize=4)
def _units(module: ast.Module) -> tuple[_Unit, ...]:
    """All statements outside of functions, each before those inside it."""
    found: list[_Unit] = []
    stack: list[tuple[ast.stmt, int]] = [(node, 0) for node in reversed(module.body)]
    while stack:
        node, above = stack.pop()
        unit, inner = _unit(node, above)
        found.append(unit)
        stack += [(each, unit.key) for each in inner]
    return tuple(found)


def _unit(statement: ast.stmt, above: int) -> tuple[_Unit, list[ast.stmt]]:
    read: set[str] = set()
    texts: list[str] = []
    inner: list[ast.stmt] = []
    stack: list[ast.AST] = [statement]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.stmt) and node is not statement and not isinstance(statement, Function):
            inner.append(node)
            continue
        read.update(_read(node))
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            texts.append(node.value)
        if not (isinstance(node, ast.Attribute) and dotted(node)):
            stack.extend(ast.iter_child_nodes(node))
    return _Unit(id(statement), above, frozenset(read), tuple(texts)), inner


def _read(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Name(ctx=ast.Load() | ast.Del()) | ast.Attribute():
            yield dotted(node)
        case ast.AugAssign(target=ast.Name(id=name)):
            yield name
        case ast.Global(names=names):
            yield from names
