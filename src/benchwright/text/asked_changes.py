"""Compare two Python programs by their trees, apart from changes that findings of the linter ask for.

Trees contain neither layout nor comments. Some findings ask for more: `E711` for `is None`, `F401` to remove
an import. Both trees are rewritten by the rules of the codes that the feedback names, then compared.
A rule may allow a change of behaviour if its finding asks for one: E712 turns `x == True` into `x`.
The codes are those of pycodestyle and pyflakes.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping

from benchwright.text.syntax import ParseFault, parse_program

_CODE = re.compile(r"\b([A-Z]\d{3})\b")
_IMPORTS = ("E401", "E402", "F401", "F811")
Rule = Callable[[ast.Module], ast.Module]


def codes_in(feedback: str) -> tuple[str, ...]:
    """Codes of the findings in a feedback, sorted.

    >>> codes_in("E231: missing whitespace after ',' in 2 line\\nE111: indentation in 4 line")
    ('E111', 'E231')
    """
    return tuple(sorted(set(_CODE.findall(feedback))))


def is_same(code: str, other: str, codes: tuple[str, ...]) -> bool:
    """Return whether two programs have equal trees after the changes that the codes ask for.

    False if one of them does not parse.
    """
    first, second = _outline(code, codes), _outline(other, codes)
    return first is not None and first == second


def _outline(code: str, codes: tuple[str, ...]) -> str | None:
    tree = parse_program(code)
    if isinstance(tree, ParseFault):
        return None
    try:
        for rule in _rules(codes):
            tree = rule(tree)
        return ast.dump(tree)
    except RecursionError:
        return None


def _rules(codes: tuple[str, ...]) -> Iterator[Rule]:
    yield _Docstrings().visit
    for code, rule in _BY_CODE.items():
        if code in codes:
            yield rule
    if any(code in codes for code in _IMPORTS):
        yield _tidy_imports


class _Docstrings(ast.NodeTransformer):
    """White space in docstrings, which layout findings (W291, E501, W191) ask to change."""

    def visit_Expr(self, node: ast.Expr) -> ast.Expr:
        if isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            node.value.value = " ".join(node.value.value.split())
        return node


class _Comparisons(ast.NodeTransformer):
    """E711, E713, E714, F632: `is None`, `not in`, `is not`, and `==` with a literal."""

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        node.ops = [_operator(*each) for each in zip(node.ops, node.comparators, strict=True)]
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        inner = node.operand
        if isinstance(node.op, ast.Not) and isinstance(inner, ast.Compare) and len(inner.ops) == 1:
            if isinstance(inner.ops[0], ast.In):
                return ast.Compare(inner.left, [ast.NotIn()], inner.comparators)
            if isinstance(inner.ops[0], ast.Is):
                return ast.Compare(inner.left, [ast.IsNot()], inner.comparators)
        return node


def _operator(operator: ast.cmpop, right: ast.expr) -> ast.cmpop:
    if not isinstance(right, ast.Constant):
        return operator
    with_none = right.value is None
    if with_none and isinstance(operator, ast.Eq | ast.NotEq):
        return ast.Is() if isinstance(operator, ast.Eq) else ast.IsNot()
    if isinstance(right.value, int | float | str) and isinstance(operator, ast.Is | ast.IsNot):
        return ast.Eq() if isinstance(operator, ast.Is) else ast.NotEq()
    return operator


class _Truth(ast.NodeTransformer):
    """E712: `x == True`, `x is True` and `x` alone, and the same with False."""

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        right = node.comparators[0]
        if len(node.ops) > 1 or not isinstance(right, ast.Constant) or not isinstance(right.value, bool):
            return node
        if isinstance(node.ops[0], ast.Eq | ast.Is):
            holds = right.value
        elif isinstance(node.ops[0], ast.NotEq | ast.IsNot):
            holds = not right.value
        else:
            return node
        return node.left if holds else ast.UnaryOp(ast.Not(), node.left)


class _BareExcept(ast.NodeTransformer):
    """E722: a handler without a type, and one of Exception or BaseException."""

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.type, ast.Name) and node.type.id in ("Exception", "BaseException"):
            node.type = None
        return node


class _Lambdas(ast.NodeTransformer):
    """E731: a lambda that is assigned to a name becomes a function."""

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        self.generic_visit(node)
        if len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            return _function(node.targets[0].id, node.value) or node
        return node


def _function(name: str, value: ast.expr) -> ast.FunctionDef | None:
    if not isinstance(value, ast.Lambda):
        return None
    body: list[ast.stmt] = [ast.Return(value.body)]
    empty = ast.parse("def f(): pass").body[0]
    assert isinstance(empty, ast.FunctionDef)
    empty.name, empty.args, empty.body = name, value.args, body
    return empty


class _PlainStrings(ast.NodeTransformer):
    """F541: an f-string without placeholders."""

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        if all(isinstance(each, ast.Constant) for each in node.values):
            return ast.Constant("".join(str(each.value) for each in node.values))  # type: ignore[attr-defined]
        return node


class _UnreadNames(ast.NodeTransformer):
    """F841: a value that a function assigns to a name which nothing reads; what computes the value stays."""

    def __init__(self, read: set[str]) -> None:
        self._read, self._inside = read, False

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self._in_function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        return self._in_function(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return self._visited(node, inside=False)

    def _in_function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.AST:
        return self._visited(node, inside=True)

    def _visited(self, node: ast.AST, *, inside: bool) -> ast.AST:
        before, self._inside = self._inside, inside
        visited: ast.AST = self.generic_visit(node)
        self._inside = before
        return visited

    def visit_Assign(self, node: ast.Assign) -> ast.AST | None:
        target = node.targets[0]
        is_read = not isinstance(target, ast.Name) or target.id in self._read
        if not self._inside or len(node.targets) > 1 or is_read:
            return node
        return None if isinstance(node.value, ast.Constant | ast.Name) else ast.Expr(node.value)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.AST:
        self.generic_visit(node)
        node.name = node.name if node.name in self._read else None
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        return None if self._inside and isinstance(node.value, ast.Constant | ast.Name) else node


class _NamesInOrder(ast.NodeTransformer):
    """E741, E742, E743: bound names by the order in which they are bound."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names

    def visit_Name(self, node: ast.Name) -> ast.AST:
        node.id = self._names.get(node.id, node.id)
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        self.generic_visit(node)
        node.arg = self._names.get(node.arg, node.arg)
        return node


def _rename(tree: ast.Module) -> ast.Module:
    bound = [name for node in _in_order(tree) for name in _bound_by(node)]
    renamed: ast.Module = _NamesInOrder(
        {name: f"v{at}" for at, name in enumerate(dict.fromkeys(bound))}
    ).visit(tree)
    return renamed


def _in_order(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    for child in ast.iter_child_nodes(node):
        yield from _in_order(child)


def _bound_by(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        yield node.id


def _read_names(tree: ast.Module) -> set[str]:
    """Names that are read or global, and texts that are names, such as those of `__all__`."""
    read: set[str] = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and not _stores(node)}
    read.update(
        name for node in ast.walk(tree) if isinstance(node, ast.Global | ast.Nonlocal) for name in node.names
    )
    return read | {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }


def _stores(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Store)


def _drop_unused(tree: ast.Module) -> ast.Module:
    dropped: ast.Module = _UnreadNames(_read_names(tree)).visit(tree)
    return dropped


def _tidy_imports(tree: ast.Module) -> ast.Module:
    """E401, E402, F401, F811: the used imports of the module first, one name each, sorted."""
    read = _read_names(tree)
    imports = [each for each in tree.body if isinstance(each, ast.Import | ast.ImportFrom)]
    rest = [each for each in tree.body if each not in imports]
    single = {ast.dump(one): one for each in imports for one in _single_imports(each, read)}
    tree.body = [*(single[name] for name in sorted(single)), *rest]
    return tree


def _single_imports(node: ast.Import | ast.ImportFrom, read: set[str]) -> Iterator[ast.stmt]:
    for alias in node.names:
        name = (alias.asname or alias.name).partition(".")[0]
        if name not in read and name != "*" and getattr(node, "module", "") != "__future__":
            continue
        if isinstance(node, ast.Import):
            yield ast.Import([alias])
        else:
            yield ast.ImportFrom(node.module, [alias], node.level)


_BY_CODE: Mapping[str, Rule] = {
    **dict.fromkeys(("E711", "E713", "E714", "F632"), _Comparisons().visit),
    "E712": _Truth().visit,
    "E722": _BareExcept().visit,
    "E731": _Lambdas().visit,
    "F541": _PlainStrings().visit,
    "F841": _drop_unused,
    **dict.fromkeys(("E741", "E742", "E743"), _rename),
}
