"""What an answer chose is opened in few places, within bounds, and cut before it is escaped."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

import pytest

from kit.package_source import package

# Who opens untrusted bytes, and who makes them: all of it on the trusted side.
OPENING = {
    "sandbox/codec.py",  # the only reader of values and claims
    "sandbox/commands.py",  # the exit status of a compiler or a runner of tests
    "judges/python.py",  # values that a spec collects
    "judges/recorded_calls.py",  # replies that are recorded as they are
    "tracks/evalplus/rows.py",  # what canonical solutions give
}
MAKING = {"sandbox/zygote.py", "sandbox/claims.py", "judges/recorded_calls.py"}
RECEIVING = {"sandbox/zygote.py"}  # the trusted ends of the sockets
CUTTING = {
    "display/escape.py",  # `escaped_start` itself
    "interop/sheets.py",  # a cell of texts that were read with bounds, which as a whole has its own file
}
ESCAPING = {
    *("escaped", "escaped_code", "escaped_name", "escaped_path", "escaped_start", "visible_name"),
    *("quoted", "markup", "markdown_cell", "spreadsheet_cell", "ascii", "html_escape"),
}


def _trees(names: Iterable[str]) -> dict[str, ast.Module]:
    """Return the trees of the files that contain one of these names: most files have none of them."""
    found = re.compile(rf"\b({'|'.join(names)})\b")
    return {file: module.tree for file, module in package().items() if found.search(module.text)}


def _name(node: ast.AST) -> str:
    """The last word of what is called or looked up: `display.escape.escaped` is "escaped"."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _users(*names: str) -> set[str]:
    """Files that look one of these attributes up, or call one of these names."""
    return {
        file
        for file, tree in _trees(names).items()
        for node in ast.walk(tree)
        if (isinstance(node, ast.Attribute) and node.attr in names)
        or (isinstance(node, ast.Call) and _name(node.func) in names)
    }


def _bounded(piece: ast.expr) -> bool:
    """A slice that ends by a length: not `[1:-1]`, which takes quotes off."""
    if not isinstance(piece, ast.Slice) or piece.upper is None:
        return False
    return not (isinstance(piece.upper, ast.UnaryOp) and isinstance(piece.upper.op, ast.USub))


def _is_escaping(node: ast.expr, escapes: set[str]) -> bool:
    """Whether an expression is an escaped text: a call, a name bound to one, or a text made of either."""
    if isinstance(node, ast.Call):
        return _name(node.func) in ESCAPING or (
            isinstance(node.func, ast.Attribute) and _is_escaping(node.func.value, escapes)
        )
    if isinstance(node, ast.JoinedStr):
        return any(
            _is_escaping(each.value, escapes) for each in node.values if isinstance(each, ast.FormattedValue)
        )
    if isinstance(node, ast.BinOp):
        return _is_escaping(node.left, escapes) or _is_escaping(node.right, escapes)
    return isinstance(node, ast.Name) and node.id in escapes


def cut_after_escaping(tree: ast.AST) -> Iterator[int]:
    """Lines that cut a text which has been escaped, whole or in the same function."""
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    for scope in [tree, *functions]:
        cut = [node for node in ast.walk(scope) if isinstance(node, ast.Subscript) and _bounded(node.slice)]
        if not cut:  # of a file without such a slice, no function is looked at
            if scope is tree:
                return
            continue
        escapes = {
            target.id
            for node in ast.walk(scope)
            if scope is not tree and isinstance(node, ast.Assign) and _is_escaping(node.value, set())
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        yield from (node.lineno for node in cut if _is_escaping(node.value, escapes))


def test_untrusted_bytes_are_opened_in_known_places() -> None:
    """A new place has to be looked at, and written down above."""
    assert _users("reveal") - {"sandbox/untrusted.py"} == OPENING


def test_untrusted_bytes_are_made_where_they_come_in() -> None:
    """What comes out of the sandbox never exists as plain bytes elsewhere, and nobody else reads the channel."""
    sandbox = {file for file in _users("recv", "recv_into", "recvmsg") if file.startswith("sandbox/")}
    trusted = {file for file in sandbox if "/inside/" not in file}

    assert (_users("UntrustedBytes"), trusted) == (MAKING, RECEIVING)


def test_nothing_is_cut_after_it_was_escaped() -> None:
    """Escaping 16 MiB that an answer chose takes more than a gigabyte: cut first. `escaped_start` does."""
    found = {file: sorted(set(cut_after_escaping(tree))) for file, tree in _trees(ESCAPING).items()}
    lines = {file: each for file, each in found.items() if each}

    assert set(lines) == CUTTING


@pytest.mark.parametrize(
    "code",
    [
        "escaped(x)[:5]",
        "escaped(said_of(error))[:LIMIT]",
        "display.escape.escaped(x)[0:n]",
        "f'{escaped(x)} and more'[:5]",
        "(escaped(x) + 'more')[:n]",
        "escaped(x).strip()[:n]",
        "def f(x):\n    text = escaped(x)\n    return text[:n]",
    ],
)
def test_the_check_finds(code: str) -> None:
    """Every way to write it that was thought of."""
    assert list(cut_after_escaping(ast.parse(code)))


@pytest.mark.parametrize("code", ["escaped(x[:5])", "ascii(x)[1:-1]", "escaped_start(x, 5)", "escaped(x)[0]"])
def test_the_check_lets_through(code: str) -> None:
    """What is cut first, and quotes that are taken off."""
    assert not list(cut_after_escaping(ast.parse(code)))
