"""Facts about Python source from its syntax tree and tokens. Nothing is executed."""

from __future__ import annotations

import ast
import io
import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import zip_longest
from types import CodeType
from typing import Literal, NamedTuple

from benchwright.parser_limits import slow_to_parse

# Nodes whose contents are another scope, or that have none.
_CLOSED_NODES = (
    ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp,
    ast.GeneratorExp, ast.Name, ast.Constant, ast.expr_context,
)  # fmt: skip
_BLOCKS = (
    "body",
    "orelse",
    "finalbody",
    "handlers",
    "cases",
)  # fields that hold statements, or holders of them
_WORDS = (
    ast.Name, ast.Constant, ast.Attribute, ast.Tuple, ast.List, ast.BoolOp, ast.Compare, ast.UnaryOp,
    ast.BinOp, ast.expr_context, ast.boolop, ast.cmpop, ast.unaryop, ast.operator,
)  # fmt: skip


# 4,300 decimal digits in base 16; those of the other bases are longer.
_LONG_INTEGER = re.compile(r"0[xX_oObB][0-9a-fA-F_]{3500}")
MAX_COMPILED = 32 << 10
MOST_BLOCKS = 16  # for the compiler: it has room for 20 at least, and some need one or two more than they are
_WITH = re.compile(r"(?:^|[\r\n])\s*(?:async\s+)?with\b")


class ParseFault(NamedTuple):
    """Reason why source does not parse, and the line, counted from 1; 0 if unknown.

    `column`, counted from 1, is set for expressions only.
    """

    message: str
    line: int
    column: int = 0

    def __str__(self) -> str:
        return f"{self.message} (line {self.line})" if self.line else self.message


def parse(source: str) -> ast.Module | ParseFault:
    """Parse a module into a tree or a fault. Never raises."""
    tree = _parse_source(source, "exec")
    if isinstance(tree, ParseFault):
        return tree._replace(column=0)
    assert isinstance(tree, ast.Module)
    return tree


def parse_expression(source: str) -> ast.expr | ParseFault:
    """Parse an expression into a tree or a fault. Never raises."""
    tree = _parse_source(source, "eval")
    if isinstance(tree, ParseFault):
        return tree
    assert isinstance(tree, ast.Expression)
    return tree.body


def _parse_source(source: str, mode: Literal["exec", "eval"]) -> ast.mod | ParseFault:
    slow = slow_to_parse(source)
    if slow is not None:
        return ParseFault(slow.message, slow.line, 1)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # ignore warnings about invalid escapes in the model's code
            return ast.parse(source, mode=mode)
    except SyntaxError as error:
        return ParseFault(
            error.msg, error.lineno or _line(source, source.find("\0")), max(error.offset or 1, 1)
        )
    except UnicodeEncodeError as error:
        return ParseFault("lone surrogate in source code", _line(source, error.start))
    except ValueError as error:  # NUL, before Python 3.12
        return ParseFault(str(error), _line(source, source.find("\0")))
    except (RecursionError, MemoryError):
        return ParseFault("source code is nested too deeply for the parser", 0)


def writes_long_integer(source: str) -> bool:
    """Return whether source contains an integer with more digits than Python prints."""
    return _LONG_INTEGER.search(source) is not None


def parse_program(source: str) -> ast.Module | ParseFault:
    """Parse a module; a `return` outside a function, which only the compiler rejects, is a fault too."""
    tree = parse(source)
    if isinstance(tree, ParseFault):
        return tree
    stray = next((node for node in _own_statements(tree.body) if isinstance(node, ast.Return)), None)
    return tree if stray is None else ParseFault("'return' outside function", stray.lineno)


def same_program(first: str, second: str) -> bool:
    """Return whether two sources parse to the same tree; False if one does not parse."""
    one, other = parse_program(first), parse_program(second)
    if isinstance(one, ParseFault) or isinstance(other, ParseFault):
        return False
    return all(mine == theirs for mine, theirs in zip_longest(_outline(one), _outline(other)))


def _outline(tree: ast.AST) -> Iterator[object]:
    """Yield the nodes in the order of a walk, with plain values and the number of nodes in each field."""
    for node in ast.walk(tree):
        values = [value if isinstance(value, list) else [value] for _, value in ast.iter_fields(node)]
        yield (
            type(node),
            [
                [(type(each), None if isinstance(each, ast.AST) else each) for each in value]
                for value in values
            ],
        )


def is_cheap_to_compile(program: str) -> bool:
    """Return whether compiling takes linear time and memory, and cannot crash the process.

    False with `finally`, whose block is compiled once for each exit. False also with many nested blocks:
    CPython writes beyond the end of their array, from 3.12 for comprehensions, which it compiles in place
    (gh-156091), and up to 3.12.3 for `try` and `with` (gh-113297, gh-116767). Such code is compiled in the
    sandbox.
    """
    if len(program) > MAX_COMPILED or "finally" in program or _nesting(program) > MOST_BLOCKS:
        return False
    return not ("with" in program and _WITH.search(program))


def _nesting(program: str) -> int:
    """Return an upper bound on nested blocks; comprehensions and `try` count twice."""
    return program.count("for") + 2 * program.count("try")


@lru_cache(maxsize=1)  # the extraction and the judge compile the same program
def compile_program(program: str) -> CodeType:
    """Compile a program without running it. Raises any exception of the compiler."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return compile(program, "<solution>", "exec", dont_inherit=True, optimize=0)


def compiles(program: str) -> bool:
    """Return whether a program compiles; False also if it is expensive to compile or to parse."""
    if not is_cheap_to_compile(program) or slow_to_parse(program) is not None:
        return False
    try:
        compile_program(program)
    except (SyntaxError, ValueError, OverflowError, RecursionError, MemoryError):
        return False
    return True


def _line(source: str, at: int) -> int:
    return source.count("\n", 0, at) + 1 if at >= 0 else 0


def own_nodes(statements: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Yield the nodes of a scope, without the contents of inner functions, classes and comprehensions."""
    stack = list(statements)[::-1]
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, _CLOSED_NODES):
            stack.extend(ast.iter_child_nodes(node))


def _own_statements(statements: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements of a scope, including nested ones, without visiting expressions."""
    stack = list(statements)[::-1]
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, _CLOSED_NODES):
            for name in _BLOCKS:
                for item in getattr(node, name, ()):
                    stack.extend((item,) if isinstance(item, ast.stmt) else item.body)


def has_return(statements: Sequence[ast.stmt]) -> bool:
    """Return whether code returns or yields, so that it must be inside a function."""
    return any(isinstance(node, ast.Return) for node in _own_statements(statements)) or any(
        isinstance(node, ast.Yield | ast.YieldFrom) for node in own_nodes(statements)
    )


def bound_names(statements: Iterable[ast.stmt]) -> set[str]:
    """Return names that statements bind in their own scope; "*" for a star import."""
    names: set[str] = set()
    declared: set[int] = set()  # targets of `name: type`, which binds nothing
    for node in own_nodes(statements):
        if isinstance(node, ast.AnnAssign) and node.value is None:
            declared.add(id(node.target))
        elif id(node) not in declared:
            names.update(_bound_by(node))
    return names


def _bound_by(node: ast.AST) -> Iterable[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return (node.name,)
    if isinstance(node, ast.Import | ast.ImportFrom):
        return [alias.asname or alias.name.partition(".")[0] for alias in node.names]
    if isinstance(node, ast.Name):
        return (node.id,) if isinstance(node.ctx, ast.Store) else ()
    return ()


def used_names(nodes: Iterable[ast.AST]) -> set[str]:
    """Return names that the nodes read, including inner scopes."""
    return {
        inner.id
        for node in nodes
        for inner in ast.walk(node)
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Load)
    }


def is_prose(statement: ast.stmt) -> bool:
    """Return whether a statement only looks up names: `WorkerResult`, `yes or no`, `Output: 3`.

    This is prose that happens to parse. As code it could only raise NameError, so it can be removed.
    """
    if isinstance(statement, ast.AnnAssign):
        return statement.value is None
    return isinstance(statement, ast.Expr) and _is_words(statement.value)


def _is_words(expression: ast.expr) -> bool:
    if isinstance(expression, ast.Name | ast.Constant | ast.Call):  # the common cases, without a walk
        return isinstance(expression, ast.Name)
    nodes = list(ast.walk(expression))
    return all(isinstance(node, _WORDS) for node in nodes) and any(
        isinstance(node, ast.Name) for node in nodes
    )


def is_hollow(function: ast.stmt) -> bool:
    """Return whether a function has no body except a docstring, `pass` or `...`."""
    if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
        return False
    return all(
        isinstance(item, ast.Pass) or (isinstance(item, ast.Expr) and isinstance(item.value, ast.Constant))
        for item in function.body
    )


def always_leaves(statement: ast.stmt) -> bool:
    """Return whether nothing after the statement, in the same block, can run. False if unknown.

    `with` is unknown even if it ends with a return: it may suppress an earlier exception.
    """
    stack = [statement]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Return | ast.Raise):
            continue
        if isinstance(node, ast.If) and node.orelse:
            stack += [node.body[-1], node.orelse[-1]]
        else:
            return False
    return True


def first_line(statement: ast.stmt) -> int:
    """Return the first line of a statement, including decorators."""
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(item.lineno for item in decorators)])


def string_lines(tree: ast.AST) -> set[int]:
    """Return lines that begin inside a string literal, so that their indentation is part of a value.

    Parts of an f-string may all report the lines of the whole, so each line is counted once.
    """
    spans = {
        (node.lineno + 1, node.end_lineno or 0)
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr | ast.Constant) and (node.end_lineno or 0) > node.lineno
    }
    lines: set[int] = set()
    done = 0  # all lines up to here are in, where any span so far had them
    for first, last in sorted(spans):
        lines.update(range(max(first, done + 1), last + 1))
        done = max(done, last)
    return lines


def free_names(tree: ast.AST) -> set[str]:
    """Return names that a tree reads but binds in none of its scopes."""
    bound: set[str] = set()
    for node in ast.walk(tree):
        bound.update((node.arg,) if isinstance(node, ast.arg) else _bound_by(node))
        if isinstance(node, ast.ExceptHandler) and node.name:
            bound.add(node.name)
    return used_names([tree]) - bound


def code_size(program: str) -> dict[str, float]:
    """Return {"code_lines": …, "code_tokens": …} of a Python program; invalid programs count up to the error.

    Lines are those with a token or part of one: neither empty lines nor comments. Tokens are names, numbers,
    strings and operators of Python's tokenizer.
    """
    import tokenize  # noqa: PLC0415 (a worker does not need it)

    ignored = {
        *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT),
        *(tokenize.ENCODING, tokenize.ENDMARKER),
    }
    lines: set[int] = set()
    tokens = 0
    try:
        for token in tokenize.generate_tokens(io.StringIO(program).readline):
            if token.type not in ignored:
                tokens += 1
                lines.update(range(token.start[0], token.end[0] + 1))
    except (tokenize.TokenError, SyntaxError):
        pass
    return {"code_lines": float(len(lines)), "code_tokens": float(tokens)}
