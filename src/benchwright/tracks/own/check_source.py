"""The asserts of an own task as the `check(candidate)` that the judge of calls runs on the trusted side."""

from __future__ import annotations

import ast
import builtins

from benchwright.text.syntax import ParseFault, bound_names, free_names, parse_program, used_names
from benchwright.tracks.asserts import MAX_TEST

_KNOWN = frozenset(dir(builtins))


class BadAsserts(ValueError):
    """Asserts that cannot judge an answer: why, on which of their lines, and what to write."""

    def __init__(self, message: str, *, hint: str, line: int = 0) -> None:
        super().__init__(message)
        self.hint, self.line = hint, line


def check_source(asserts: str, entry_point: str) -> str:
    """The source of `check(candidate)` whose body these statements are. Raises BadAsserts.

    The judge binds the entry point's name to a proxy of the answer's function, so they call it by its name.
    The source is written anew from the tree: indenting the text would change texts of several lines.

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
        raise BadAsserts(f"cannot be a test: {error}", hint="write plain asserts, a line each") from None
    return source


def _parsed(asserts: str) -> ast.Module:
    if len(asserts) > MAX_TEST:
        raise BadAsserts(f"more than {MAX_TEST:,} characters", hint="make several tasks of it")
    tree = parse_program(asserts)
    if isinstance(tree, ParseFault):
        hint = "write Python: assert add(1, 2) == 3"
        raise BadAsserts(f"is not Python: {tree.message}", hint=hint, line=tree.line)
    return tree


def _check_names(tree: ast.Module, entry_point: str) -> None:
    """The statements assert something of the entry point, and need nothing that is not there."""
    asserts = any(isinstance(node, ast.Assert) for node in ast.walk(tree))
    if not asserts or entry_point not in used_names([tree]):
        hint = f"write at least one: assert {entry_point}(…) == …"
        raise BadAsserts(f"no assert calls `{entry_point}`", hint=hint)
    bound = bound_names(tree.body)
    if entry_point in bound:
        raise BadAsserts(
            f"binds `{entry_point}`, which is the answer's", hint=f"leave out what defines `{entry_point}`"
        )
    if "*" in bound:
        raise BadAsserts("has a star import", hint="import the names that are used, one by one")
    missing = sorted(free_names(tree) - _KNOWN - {entry_point, "candidate"})
    if missing:
        name = missing[0]
        hint = f"import or define `{name}` before the asserts, or call `{entry_point}`"
        raise BadAsserts(f"uses `{name}`, which nothing defines", hint=hint)
