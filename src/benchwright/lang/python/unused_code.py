"""Code in a Python test file that only the removed tests used, and imports without some names.

A statement is removed if something removed names it and no word of the rest does, as a name or in a string.
Autouse fixtures stay, and so does everything that a decorator, a base class or a call may have registered
elsewhere. An import keeps its layout: one name a line stays so, packed names stay packed, and comments stay
with their lines.
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from benchwright.lang.python.test_cases import is_fixture
from benchwright.lang.python.tree import Function, bound_names, decorator_name, dotted, last_line

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
    unused: set[int] = set()
    while True:
        lost = [
            each
            for each in staying
            if id(each) not in unused and _is_lost(each, before, count) and can_go(each)
        ]
        if not lost:
            return unused
        for each in [inner for node in lost for inner in (node, *_members(node))]:
            if id(each) in words and id(each) not in unused:
                unused.add(id(each))
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


MOST_NARROW = 79  # columns below which no formatter breaks a statement
_HEAD = re.compile(r"(\s*(?:from\b.*?)?\bimport\b[ \t]*\(?)(.*)", re.DOTALL)
_BETWEEN = re.compile(r"[ \t]*,([^\r\n]*?)(\\?(?:\r\n|\r|\n).*)?", re.DOTALL)
_END = re.compile(r"[ \t]*(,?)([^\r\n]*?)((?:\r\n|\r|\n).*)?\)", re.DOTALL)


class _Row(NamedTuple):
    """The names on one line: the text before the first (line end, indentation), and a comment after them."""

    before: str
    names: list[tuple[int, str, str]]  # position, space before, source
    remark: str = ""


class _Shape(NamedTuple):
    head: str  # up to `import` or the bracket after it
    rows: list[_Row]
    comma: str  # after the last name
    close: str  # from the last line's end to the bracket
    rest: str  # of the last line, after the statement
    width: int  # that the author, or any formatter, would fill


def narrowed(node: ast.Import | ast.ImportFrom, lost: Collection[int], lines: Sequence[str]) -> str | None:
    """Return the lines of a statement without the names at some positions; None for an unknown layout."""
    shape = _shape(node, lines)
    if shape is None:
        return None
    kept_rows = [
        row._replace(names=[each for each in row.names if each[0] not in lost]) for row in shape.rows
    ]
    kept_rows = [row for row in kept_rows if row.names]
    text = _joined(shape, kept_rows) or _laid_out(shape, kept_rows)
    wanted = [_alias_text(alias) for at, alias in enumerate(node.names) if at not in lost]
    return text if _names_of(text) == wanted else None


def _shape(node: ast.Import | ast.ImportFrom, lines: Sequence[str]) -> _Shape | None:
    import_lines = lines[node.lineno - 1 : last_line(node)]
    own = [line.encode() for line in import_lines]
    starts = [sum(map(len, own[:at])) for at in range(len(own))]
    text = b"".join(own)
    ends = [_place(each, starts, node.lineno) for each in node.names]
    end = starts[-1] + (node.end_col_offset or 0)
    head = _HEAD.fullmatch(text[: ends[0][0]].decode())
    between = [_BETWEEN.fullmatch(text[one[1] : two[0]].decode()) for one, two in pairwise(ends)]
    tail = text[ends[-1][1] : end].decode()
    last = _END.fullmatch(tail)
    if head is None or (last is None and tail):
        return None
    rows = _rows([text[start:stop].decode() for start, stop in ends], head[2], between)
    if rows is None:
        return None
    comma, space, close = (last[1], last[2], last[3]) if last else ("", "", "")
    if close:
        rows[-1] = rows[-1]._replace(remark=space.rstrip())
    closing = f"{close or space})" if last else ""
    width = max(MOST_NARROW, *(len(line.rstrip()) for line in import_lines))
    return _Shape(head[1], rows, comma, closing, text[end:].decode(), width)


def _place(alias: ast.alias, starts: list[int], first: int) -> tuple[int, int]:
    """Return the byte range of a name in its statement."""
    start = starts[alias.lineno - first] + alias.col_offset
    return start, starts[(alias.end_lineno or first) - first] + (alias.end_col_offset or 0)


def _rows(names: list[str], before: str, between: Sequence[re.Match[str] | None]) -> list[_Row] | None:
    rows = [_Row(before, [(0, "", names[0])])]
    for at, match in enumerate(between, start=1):
        if match is None:  # a comment before the comma, or a comma that starts a line
            return None
        space, line_end = match[1], match[2]
        if line_end is None:
            rows[-1].names.append((at, space, names[at]))
            continue
        joined = line_end.startswith("\\")
        rows[-1] = rows[-1]._replace(remark="" if joined else space.rstrip())
        rows.append(_Row(space + line_end if joined else line_end, [(at, "", names[at])]))
    return rows


def _joined(shape: _Shape, kept_rows: list[_Row]) -> str:
    """Return all names on one line, if one name is left, or if names were packed and all fit.

    Empty for other layouts, and if comments would be lost.
    """
    if any("#" in row.before + row.remark for row in shape.rows) or "#" in shape.close:
        return ""
    names = ", ".join(name for row in kept_rows for _, _, name in row.names)
    text = f"{shape.head.removesuffix('(').rstrip()} {names}"
    packed = any(len(row.names) > 1 for row in shape.rows)
    return text + shape.rest if "," not in names or (packed and len(text) <= shape.width) else ""


def _laid_out(shape: _Shape, kept_rows: list[_Row]) -> str:
    first, last = shape.rows[0], kept_rows[-1]
    text = shape.head
    for row in kept_rows:
        hangs = row is not kept_rows[0] or "\n" in first.before or "\r" in first.before
        text += row.before if hangs else first.before
        for at, (_, space, name) in enumerate(row.names):
            text += f",{space}{name}" if at else name
        if row is not last:
            text += f",{row.remark}"
    if "\n" in shape.close or "\r" in shape.close:
        return text + shape.comma + last.remark + shape.close + shape.rest
    remark = last.remark if not shape.rest.strip() else ""
    line_end = shape.rest[len(shape.rest.rstrip("\r\n")) :]
    return text + shape.comma + shape.close + (remark + line_end if remark else shape.rest)


def _names_of(text: str) -> list[str]:
    """Return the names of a single import statement; nothing if the text is not such a statement."""
    try:
        body = ast.parse(textwrap.dedent(text)).body
    except SyntaxError:
        return []
    if len(body) != 1 or not isinstance(body[0], ast.Import | ast.ImportFrom):
        return []
    return [_alias_text(alias) for alias in body[0].names]


def _alias_text(alias: ast.alias) -> str:
    return f"{alias.name} as {alias.asname or ''}"
