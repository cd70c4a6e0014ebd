"""Leave one Python test case in its file: whole statements are cut, in whole lines, and names of imports."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from functools import lru_cache
from typing import NamedTuple

from benchwright.lang.lines import heading, split, without_lines
from benchwright.lang.python.importing import ImportStatement, UnusedImports, lost_imports
from benchwright.lang.python.test_cases import PythonCase, collect, comment_start
from benchwright.lang.python.tree import (
    Function,
    blocks,
    dotted,
    first_line,
    last_line,
    nodes_of,
    parse,
    scope,
)
from benchwright.lang.python.unused_code import narrowed, unused_statements
from benchwright.lang.source_errors import CuttingError, SyntaxFault

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def cut_python(code: str, name: str) -> str:
    """Return the file with one test case. Raises CuttingError if the rest needs another case."""
    module = parse(code)
    assert not isinstance(module, SyntaxFault)
    found = collect(module)
    kept_case = next(each for each in found if each.name == name)
    cut = _siblings(module, found, kept_case)
    cut |= _classes(module, found, kept_case, cut)
    cut |= _main_guards(module, cut)
    cut |= _empty_ifs(module, cut)
    _check_uses(module, cut)
    lines = split(code)
    needed = {
        id(kept_case.function),
        *(id(node) for node in _around(module, kept_case.function)),
        *_needed(module, kept_case),
    }
    cut |= unused_statements(module, cut, lambda node: id(node) not in needed and _is_alone(node, lines))
    lost = lost_imports(module, cut, lambda node: _is_alone(node, lines))
    lost.whole.update(_empty_ifs(module, cut | lost.whole))
    ranges = [*_ranges(module, cut, lost, lines), *_import_ranges(module, lost, lines)]
    return without_lines(lines, ranges)


def _siblings(module: ast.Module, found: list[PythonCase], kept_case: PythonCase) -> set[int]:
    """Return all other tests, with earlier definitions that they hide: cutting the later one would reveal
    those.

    Definitions that the kept test hides are cut too if they are in the same block; an `else` may be needed.
    """
    homes = _homes(module)
    keys = {(*homes[id(each.function)][:1], each.function.name) for each in found}
    cut = set()
    for node in nodes_of(module, ast.FunctionDef, ast.AsyncFunctionDef):
        if node is not kept_case.function and id(node) in homes:
            same_name = node.name == kept_case.function.name
            same_scope = homes[id(node)][0] == homes[id(kept_case.function)][0]
            hidden = homes[id(node)] == homes[id(kept_case.function)]
            if (homes[id(node)][0], node.name) in keys and (hidden or not (same_name and same_scope)):
                cut.add(id(node))
    return cut


@lru_cache(maxsize=4)  # cached like trees: a build cuts each case of a file by itself
def _homes(module: ast.Module) -> dict[int, tuple[int, int]]:
    """Map each statement to the module or class of its scope, and to its block."""
    found: dict[int, tuple[int, int]] = {}
    for holder in nodes_of(module, ast.Module, ast.ClassDef):
        for node in (holder, *scope(holder.body)):
            if node is holder or not isinstance(node, _DEFINITIONS):
                for block in blocks(node):
                    found.update((id(statement), (id(holder), id(block))) for statement in block)
    return found


def _classes(module: ast.Module, found: list[PythonCase], kept_case: PythonCase, cut: set[int]) -> set[int]:
    """Return other classes with tests that nothing in the rest names."""
    needed = _needed(module, kept_case)
    tests = {id(each.function) for each in found}
    owners = {id(each.owner) for each in found}
    holding = [
        node
        for node in nodes_of(module, ast.ClassDef)
        if id(node) in owners or any(id(each) in tests for each in scope(node.body))
    ]
    unused = {id(node): node for node in holding if id(node) not in needed}
    while True:
        used = names_read(module, cut | unused.keys())
        staying = [key for key, node in unused.items() if node.name in used]
        if not staying:
            return set(unused)
        for key in staying:
            del unused[key]


def _needed(module: ast.Module, kept_case: PythonCase) -> set[int]:
    """Return the classes around the kept case, and what they inherit from in this file."""
    classes_by_name = {node.name: node for node in scope(module.body) if isinstance(node, ast.ClassDef)}
    stack = _around(module, kept_case.function)
    if kept_case.owner is not None:
        stack += [kept_case.owner, *_around(module, kept_case.owner)]
    needed: set[int] = set()
    while stack:
        node = stack.pop()
        if id(node) not in needed:
            needed.add(id(node))
            stack += [classes_by_name[dotted(base)] for base in node.bases if dotted(base) in classes_by_name]
    return needed


def _around(module: ast.Module, target: ast.stmt) -> list[ast.ClassDef]:
    classes = nodes_of(module, ast.ClassDef)
    return [node for node in classes if node.lineno < target.lineno <= last_line(node)]


def _main_guards(module: ast.Module, cut: set[int]) -> set[int]:
    """Return `if __name__ == "__main__"` blocks that name something cut: no test runner runs them."""
    names = _names(module, cut)
    guards = [node for node in module.body if isinstance(node, ast.If) and "__name__" in _read(node.test)]
    return {id(node) for node in guards if not names.isdisjoint(_read(node))}


def _empty_ifs(module: ast.Module, cut: set[int]) -> set[int]:
    """Return `if` statements that contain only cut statements."""
    found: set[int] = set()
    for node in reversed(nodes_of(module, ast.If)):
        if not node.orelse and all(id(each) in cut or id(each) in found for each in node.body):
            found.add(id(node))
    return found


def _check_uses(module: ast.Module, cut: set[int]) -> None:
    used = _names(module, cut) & names_read(module, cut)
    if used:
        raise CuttingError(f"the rest uses {min(used)}, another test", reason="entangled")


def _names(module: ast.Module, cut: Collection[int]) -> set[str]:
    """Return the names of cut functions and classes; those of methods start with a dot."""
    found: set[str] = set()
    for holder in nodes_of(module, ast.Module, ast.ClassDef):
        dot = "." if isinstance(holder, ast.ClassDef) else ""
        inside = (node for node in scope(holder.body) if isinstance(node, _DEFINITIONS) and id(node) in cut)
        found.update(dot + node.name for node in inside)
    return found - {f".{name}" for name in _method_names(module, cut)}


def _method_names(module: ast.Module, cut: Collection[int]) -> set[str]:
    """Return the names of methods that stay, in any class."""
    classes = (node for node in _standing(module, cut) if isinstance(node, ast.ClassDef))
    methods = (node for each in classes for node in scope(each.body) if isinstance(node, Function))
    return {node.name for node in methods if id(node) not in cut}


def names_read(module: ast.Module, removed: Collection[int]) -> set[str]:
    """Return the names that the rest reads; attributes, which may be methods, start with a dot."""
    reads, found, at = _reads(module), set[str](), 0
    for start, end in sorted(reads.spans[key] for key in removed if key in reads.spans):
        if start > at:
            found.update(reads.names[at:start])
        at = max(at, end)
    return found.union(reads.names[at:])


class _Reads(NamedTuple):
    """All names that a module reads, and the range of them that each statement reads, by its identity."""

    names: list[str]
    spans: dict[int, tuple[int, int]]


@lru_cache(maxsize=4)
def _reads(module: ast.Module) -> _Reads:
    """Walk the module once: cuts differ from case to case, and each node's names are contiguous."""
    names: list[str] = []
    spans: dict[int, tuple[int, int]] = {}
    stack: list[tuple[ast.AST, int]] = [(module, -1)]
    while stack:
        node, start = stack.pop()
        if start >= 0:  # all nodes below it were visited
            spans[id(node)] = start, len(names)
            continue
        if isinstance(node, ast.stmt):
            stack.append((node, len(names)))
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Store):
            names.append(node.id)
        elif isinstance(node, ast.Attribute):
            names.append(f".{node.attr}")
        stack.extend((child, -1) for child in ast.iter_child_nodes(node))
    return _Reads(names, spans)


def _read(node: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def _standing(module: ast.Module, cut: Collection[int]) -> Iterator[ast.AST]:
    """Return the module and all remaining statements, without the handlers and cases around them."""
    stack: list[ast.AST] = [module]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(each for block in blocks(node) for each in block if id(each) not in cut)


def _ranges(
    module: ast.Module, cut: set[int], lost: UnusedImports, lines: list[str]
) -> Iterator[tuple[int, int]]:
    """Return line ranges of cut statements, with the comments above. An emptied block gets a `pass` in
    `lines`."""
    original = list(lines)
    for block in (block for node in _standing(module, cut | lost.whole) for block in blocks(node)):
        removed = [statement for statement in block if id(statement) in cut]
        for statement in removed:
            _check_alone(statement, original)
            last = last_line(statement)
            if len(removed) == len(block) and statement is block[-1] and module.body is not block:
                lines[last - 1] = _pass(original[last - 1], like=original[statement.lineno - 1])
                last -= 1
            yield comment_start(original, first_line(statement)), last


def _import_ranges(module: ast.Module, lost: UnusedImports, lines: list[str]) -> Iterator[tuple[int, int]]:
    """Return line ranges of cut imports. Imports that keep some names are rewritten in `lines`."""
    whole = [(node.lineno, last_line(node)) for node in scope(module.body) if id(node) in lost.whole]
    removed_lines = {line for first, last in whole for line in range(first, last + 1)}
    for first, last in whole:
        yield heading(lines, first, removed_lines, marker="#"), last
    for node in scope(module.body):
        if id(node) in lost.names and isinstance(node, ImportStatement):
            text = narrowed(node, lost.names[id(node)], lines)
            if text is not None:
                lines[node.lineno - 1] = text
                yield node.lineno + 1, last_line(node)


def _pass(line: str, *, like: str) -> str:
    indent = like[: len(like) - len(like.lstrip())]
    return f"{indent}pass{line[len(line.rstrip()) :]}"


def _check_alone(node: ast.stmt, lines: list[str]) -> None:
    """Raise CuttingError for a statement that shares its lines with another one."""
    if not _is_alone(node, lines):
        raise CuttingError(f"line {node.lineno} has more than one statement", reason="entangled")


def _is_alone(node: ast.stmt, lines: list[str]) -> bool:
    before = lines[first_line(node) - 1].encode()[: node.col_offset].strip()
    after = lines[last_line(node) - 1].encode()[node.end_col_offset or 0 :].strip()
    return not before and (after == b"" or after.startswith(b"#"))
