"""What in a Python test file only the tests cut out of it used: helpers, fixtures, classes, tables of data.

Something goes when what is cut names it and no word of what stays does, be it a name or a word in a text.
Fixtures that apply by themselves stay, and so does whatever a decorator, a base class or a call could have
made known elsewhere.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from functools import lru_cache

from benchwright.lang.python.collecting import is_fixture
from benchwright.lang.python.tree import Function, bound_names, decorator_name, dotted

_WORD = re.compile(r"[^\W\d]\w*")
_HOOKS_TEXT = """
setup teardown setup_module teardown_module setup_function teardown_function setup_class teardown_class
setup_method teardown_method setUp tearDown setUpClass tearDownClass setUpModule tearDownModule asyncSetUp
asyncTearDown runTest maxDiff longMessage failureException pytestmark pytest_plugins load_tests
collect_ignore
"""
_HOOKS = frozenset(_HOOKS_TEXT.split())
_PLAIN_BASES_TEXT = """
object Exception ValueError TypeError RuntimeError Enum IntEnum NamedTuple Protocol
"""
_PLAIN_BASES = frozenset(_PLAIN_BASES_TEXT.split())
_PLAIN_DECORATORS_TEXT = """
fixture yield_fixture staticmethod classmethod property contextmanager dataclass wraps lru_cache cache
"""
_PLAIN_DECORATORS = frozenset(_PLAIN_DECORATORS_TEXT.split())
_MAKERS_TEXT = """
frozenset set dict tuple list range compile Decimal Fraction date datetime timedelta Path namedtuple TypeVar
object dedent bytes bytearray int float str OrderedDict
"""
_MAKERS = frozenset(_MAKERS_TEXT.split())
_LOOKS_UP = frozenset(["globals", "locals", "vars", "eval", "exec", "getattr"])


def unused_statements(
    module: ast.Module, cut: Collection[int], can_go: Callable[[ast.stmt], bool]
) -> set[int]:
    """Return the statements to remove with the cut ones, by identity.

    `can_go` says whether a statement contains no test and has its lines for itself.
    """
    staying = list(_units(module, cut))
    words = {id(each): _words(each, cut) for each in staying}
    if any(not _LOOKS_UP.isdisjoint(found) for found in words.values()):
        return set()
    before = set(_cut_words(module, cut))
    count = Counter(word for each in staying for word in words[id(each)])
    gone: set[int] = set()
    while True:
        lost = [
            each
            for each in staying
            if id(each) not in gone and _is_lost(each, before, count) and can_go(each)
        ]
        if not lost:
            return gone
        for each in [inner for node in lost for inner in (node, *_members(node))]:
            if id(each) in words and id(each) not in gone:
                gone.add(id(each))
                count.subtract(words[id(each)])
                before |= words[id(each)]


def _units(module: ast.Module, cut: Collection[int]) -> Iterator[ast.stmt]:
    """Yield statements that can be removed by themselves: the module's, and those of plain classes."""
    for node in module.body:
        if id(node) not in cut:
            yield node
            if isinstance(node, ast.ClassDef) and _bases(node) <= {*_PLAIN_BASES, "TestCase"}:
                yield from (each for each in node.body if id(each) not in cut)


def _members(node: ast.stmt) -> list[ast.stmt]:
    return node.body if isinstance(node, ast.ClassDef) else []


def _is_lost(node: ast.stmt, before: Collection[str], count: Counter[str]) -> bool:
    names = _names(node)
    if not names or any(name in _HOOKS or name.startswith(("__", "pytest_")) for name in names):
        return False
    return all(name in before and count[name] <= 0 for name in names)


def _names(node: ast.stmt) -> list[str]:
    """Return the names that a statement binds if it has no other effect; empty for any other statement."""
    if isinstance(node, Function | ast.ClassDef):
        return [node.name] if _is_plain(node) else []
    if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
        return list(bound_names(node)) if _is_data(node.value) else []
    return []


def _is_plain(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> bool:
    marks = {decorator_name(each).rpartition(".")[2] for each in node.decorator_list}
    if not marks <= _PLAIN_DECORATORS:
        return False
    if isinstance(node, ast.ClassDef):
        return _bases(node) <= _PLAIN_BASES and not node.keywords
    return not (is_fixture(node) and any("autouse" in ast.unparse(each) for each in node.decorator_list))


def _bases(node: ast.ClassDef) -> set[str]:
    return {dotted(base).rpartition(".")[2] for base in node.bases}


def _is_data(value: ast.expr) -> bool:
    calls = [node for node in ast.walk(value) if isinstance(node, ast.Call)]
    deferred = isinstance(value, ast.Lambda)
    return deferred or all(dotted(node.func).rpartition(".")[2] in _MAKERS for node in calls)


def _words(node: ast.stmt, cut: Collection[int]) -> set[str]:
    """Return the words of a unit except the names that it binds; only the head of a class that has units."""
    if isinstance(node, ast.ClassDef) and _bases(node) <= {*_PLAIN_BASES, "TestCase"}:
        parts: list[ast.AST] = [*node.bases, *node.keywords, *node.decorator_list]
        return {word for part in parts for word in _read(part, cut)}
    return set(_read(node, cut))


def _cut_words(module: ast.Module, cut: Collection[int]) -> Iterator[str]:
    stack: list[ast.AST] = [module]
    while stack:
        node = stack.pop()
        if id(node) in cut:
            yield from _all_words(node)
        else:
            stack.extend(ast.iter_child_nodes(node))


@lru_cache(maxsize=1024)  # each case of a file cuts nearly all others
def _all_words(node: ast.AST) -> frozenset[str]:
    return frozenset(_read(node, ()))


def _read(top: ast.AST, cut: Collection[int]) -> Iterator[str]:
    stack = [top]
    while stack:
        node = stack.pop()
        if id(node) in cut:
            continue
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from _WORD.findall(node.value)
        stack.extend(ast.iter_child_nodes(node))
