"""Convert asserts of an own task into a `check(candidate)` for the judge of calls."""

from __future__ import annotations

import ast
import builtins

from benchwright.text.syntax import ParseFault, bound_names, free_names, parse_program, used_names
from benchwright.tracks.asserts import MAX_TEST

_KNOWN = frozenset(dir(builtins))


class BadAsserts(ValueError):
    """Invalid asserts: the reason, the line, and a hint."""

    def __init__(self, message: str, *, hint: str, line: int = 0) -> None:
        super().__init__(message)
        self.hint, self.line = hint, line


def check_source(asserts: str, entry_point: str) -> str:
    """Source of a `check(candidate)` with these statements as its body. Raises BadAsserts.

    The judge binds the entry point's name to a proxy of the answer's function, so statements call it by
    name. The source is generated from the syntax tree, because indenting the text would change multi-line
    strings.

    >>> print(check_source("assert add(1, 2) == 3", "add"))
    def check(candidate):
        assert add(1, 2) == 3
    """
    tree = _parsed(asserts)
    _check_names(tree, entry_point)
    check = ast.parse("def check(candidate): pass")
    function = check.body[0]
    assert isinstance(function, ast.FunctionDef)
    function.body = tree.body
    try:
        source = ast.unparse(ast.fix_missing_locations(check))
        compile(source, "<asserts>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise BadAsserts(f"cannot be a test: {error}", hint="write plain asserts, one per line") from None
    return source


def _parsed(asserts: str) -> ast.Module:
    if len(asserts) > MAX_TEST:
        raise BadAsserts(f"more than {MAX_TEST:,} characters", hint="split it into several tasks")
    tree = parse_program(asserts)
    if isinstance(tree, ParseFault):
        hint = "write Python: assert add(1, 2) == 3"
        raise BadAsserts(f"invalid Python: {tree.message}", hint=hint, line=tree.line)
    return tree


def _check_names(tree: ast.Module, entry_point: str) -> None:
    """Raise BadAsserts unless the statements use the entry point and only known names."""
    asserts = any(isinstance(node, ast.Assert) for node in ast.walk(tree))
    if not asserts or entry_point not in used_names([tree]):
        hint = f"write at least one: assert {entry_point}(…) == …"
        raise BadAsserts(f"no assert calls `{entry_point}`", hint=hint)
    bound = bound_names(tree.body)
    if entry_point in bound:
        raise BadAsserts(
            f"binds `{entry_point}`, which is the answer's", hint=f"remove the definition of `{entry_point}`"
        )
    if "*" in bound:
        raise BadAsserts("has a star import", hint="import each name that is used")
    missing = sorted(free_names(tree) - _KNOWN - {entry_point, "candidate"})
    if missing:
        name = missing[0]
        hint = f"import or define `{name}` before the asserts, or call `{entry_point}`"
        raise BadAsserts(f"uses `{name}`, which is not defined", hint=hint)
