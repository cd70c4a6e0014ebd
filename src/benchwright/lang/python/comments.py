"""Comments and docstrings of Python source, and the functions and classes that it declares.

A docstring is a string alone at the start of a file, class or function. It is found on tokens, so that
fragments and Python 2 can be read too. Docstrings are not code, unless the code reads them: a bare `__doc__`
keeps the file's own, `x.__doc__` and similar keep all of them.
"""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from benchwright.lang.comment_records import (
    DEDENT,
    END_OF_LINE,
    INDENT,
    CodeToken,
    Comment,
    CommentedCode,
    Declaration,
    Parameter,
    TokenCollector,
    dedent,
    readable,
    unreadable,
)
from benchwright.lang.python.tokens import COMMENT, NAME, STRING, STRUCTURE, Piece, scan
from benchwright.lang.python.tree import Function, dotted, last_line, parse, scope
from benchwright.lang.source_errors import SyntaxFault

_DIRECTIVE = re.compile(
    r"#\s*(?:noqa\b|type:|pragma:\s*no\b|pylint:|fmt:\s*(?:on|off|skip)|isort:\s*\w|mypy:|pyright:|ruff:|flake8:"
    r"|yapf:|nosec\b|nopep8\b|NOSONAR\b|doctest:\s*[+-]|cython:|distutils:)"
)
_ENCODING = re.compile(r"#.*?coding[:=][ \t]*[-\w.]")  # PEP 263, in the first two lines
_METADATA, _METADATA_END = "# /// ", "# ///"  # PEP 723
_PLAIN = re.compile(r"""[rRuU]?('{3}|"{3}|'|")""")
_READERS_OF_DOCS = frozenset({"__doc__", "getdoc", "doctest", "docopt"})
_OPENERS = ("def", "class")
_KEYWORDS = frozenset(keyword.kwlist)


def read_python(code: str) -> CommentedCode:
    """Split a text into code and comments."""
    text = readable(code)
    if isinstance(text, SyntaxFault):
        return unreadable(text)
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    reader = _Reader()
    for piece in scan(text):
        reader.take(piece)
    comments, names = reader.gathered.comments(), frozenset(reader.names - _KEYWORDS)
    shift = int(reader.indented)  # a method or block is read with the indent that it has in its file
    module = parse(f"if 1:\n{text}" if shift else text)
    if isinstance(module, SyntaxFault):
        fault = module._replace(line=max(module.line - shift, 0))
        return CommentedCode(comments, reader.code(), [], names, fault)
    docs = {(each.owner, each.line): index for index, each in enumerate(comments) if each.kind == "doc"}
    declared = declared_in(module, PythonSource(text.encode().split(b"\n"), shift), docs)
    return CommentedCode(comments, reader.code(), declared, names)


class _Scope(NamedTuple):
    """The scope that a block belongs to: a dotted name, and the keyword that defines it."""

    owner: str
    opener: str


class _Reader:
    """Sort the pieces of a text, one by one."""

    def __init__(self) -> None:
        self.gathered = TokenCollector()
        self.names: set[str] = set()
        self.indented = False  # the first line of code is
        self._tokens = self.gathered.tokens
        self._docs: list[tuple[str, CodeToken]] = []  # with what they document
        self._docs_read = ""  # docstrings that the code reads: "file" or "all"
        self._scopes = [_Scope("", "")]  # the scope of each open block
        self._doc: list[Piece] = []  # strings that may be docstrings
        self._due: str | None = ""  # the scope whose docstring a string here would be
        self._header: _Scope | None = None  # the scope that this line, or the line above this block, defines
        self._head = ""  # the first token of this logical line; "" at its start
        self._last = ""  # token of code
        self._last_line = 0  # line of the last code token
        self._begun = self._metadata = self._owes_dedent = self._doc_trails = False

    def take(self, piece: Piece) -> None:
        """Read the next piece of the text."""
        kind, text, line, _ = piece
        if kind == STRING and self._due is not None and _PLAIN.match(text):
            self._doc_trails = self._doc_trails if self._doc else line == self._last_line
            self._doc.append(piece)
            self._last_line = line + text.count("\n")
        elif kind == COMMENT:
            self._comment(piece)
        else:
            alone = bool(self._doc) and self._settle(text) and not self._head
            if kind == STRUCTURE:
                self._structure(text, line, dropped=alone)
            else:
                self._code(kind, text, line)

    def code(self) -> list[CodeToken]:
        """Return the tokens, followed by the docstrings that the code reads."""
        read = self._docs_read
        return self._tokens + [doc for owner, doc in self._docs if read == "all" or (read and not owner)]

    def _comment(self, piece: Piece) -> None:
        _, text, line, column = piece
        place = Comment(
            line=line,
            end_line=line,
            column=column,
            text="",
            kind="line",
            trailing=line == self._last_line,
            directive=self._is_directive(piece),
        )
        self.gathered.comment(text, [text.lstrip("#").removeprefix(" ").rstrip()], place)

    def _is_directive(self, piece: Piece) -> bool:
        _, text, line, column = piece
        if self._metadata or text.startswith(_METADATA):
            self._metadata = text.rstrip() != _METADATA_END
            return True
        if line <= 2 and not (self._begun or self._head or self._doc) and _ENCODING.match(text):
            return True
        return _DIRECTIVE.match(text) is not None or (text[:2] == "#!" and (line, column) == (1, 0))

    def _settle(self, following: str) -> bool:
        """Decide whether the pending strings are docstrings: they are if the statement has nothing else."""
        pieces, self._doc = self._doc, []
        owner, self._due = self._due or "", None
        if following not in (END_OF_LINE, ";"):
            for kind, text, line, _ in pieces:
                self._code(kind, text, line)
            return False
        _, _, line, column = pieces[0]
        texts = [text for _, text, _, _ in pieces]
        source = " ".join(texts)
        self._docs.append((owner, CodeToken(f"{owner}.__doc__ = {source}".removeprefix("."), line)))
        place = Comment(
            line=line,
            end_line=self._last_line,
            column=column,
            text="",
            kind="doc",
            trailing=self._doc_trails,
            owner=owner,
        )
        self.gathered.comment(source, dedent("".join(map(_unquoted, texts)).split("\n")), place)
        return True

    def _structure(self, text: str, line: int, *, dropped: bool) -> None:
        if text == END_OF_LINE:
            if self._last != ":" or self._head not in _OPENERS:
                self._header = None
            self._due, self._head, self._metadata, self._begun = None, "", False, True
        elif text == INDENT:
            self._due = self._header.owner if self._header else None if self._begun else ""
            self._scopes.append(self._header or self._scopes[-1])
            dropped = not self._begun
            self.indented = self.indented or dropped
        else:
            self._scopes.pop()
            self._due = None
            dropped = self._owes_dedent = self.indented and len(self._scopes) == 1
        if not dropped:
            self._tokens.append(CodeToken(text, line))

    def _code(self, kind: int, text: str, line: int) -> None:
        if not self._head:
            self._first(text, line)
        if kind == NAME:
            self.names.add(text)
            if self._last in _OPENERS or text in _READERS_OF_DOCS:
                self._name(text)
        self._tokens.append(CodeToken(text, line))
        self._last, self._last_line = text, line
        if self._header is not None:
            self._due = self._header.owner if text == ":" else None
        if kind == STRING:
            self._last_line += text.count("\n")
            if "__doc__" in text:
                self._docs_read = "all"

    def _first(self, text: str, line: int) -> None:
        """Read the first token of a logical line."""
        if self._owes_dedent:  # only if code follows: otherwise the whole text is indented
            self._tokens.append(CodeToken(DEDENT, line))
            self._owes_dedent = False
        self._header = self._due = None
        self._head = text if text != "async" else ""

    def _name(self, text: str) -> None:
        """Read a name after `def` or `class`, or one that reads docstrings."""
        if self._last in _OPENERS and self._head == self._last:
            prefix = self._scopes[-1].owner
            self._header = _Scope(f"{prefix}.{text}" if prefix else text, self._head)
        elif text == "__doc__":
            whole = self._last == "." or self._scopes[-1].opener == "class"
            self._docs_read = "all" if whole else self._docs_read or "file"
        elif text in _READERS_OF_DOCS:
            self._docs_read = "all"


def _unquoted(text: str) -> str:
    found = _PLAIN.match(text)
    assert found is not None
    return text[found.end() :].removesuffix(found[1])


_NOTHING = ("None", "NoReturn", "Never")  # annotations of a function that returns no value
_INSTANCE = ("self", "cls")  # names of the receiver by convention: a fragment may lack its class


class PythonSource(NamedTuple):
    """A text in UTF-8 by lines, and the number of lines added above it before parsing."""

    lines: list[bytes]
    shift: int

    def line(self, node: ast.stmt | ast.expr) -> int:
        """Return the first line of a node in the text, from 1."""
        return node.lineno - self.shift

    def text(self, node: ast.expr | None) -> str:
        """Return the source of a node, its lines joined."""
        if node is None or node.end_lineno is None:
            return ""
        lines = self.lines[self.line(node) - 1 : node.end_lineno - self.shift]
        lines[-1] = lines[-1][: node.end_col_offset]
        lines[0] = lines[0][node.col_offset :]
        return b" ".join(line.strip() for line in lines).decode("utf-8", "replace")


def declared_in(
    module: ast.Module, source: PythonSource, docs: Mapping[tuple[str, int], int]
) -> list[Declaration]:
    """Return all functions and classes by first line. `docs`: docstrings by their declaration and its
    line."""
    stack: list[tuple[ast.Module | ast.ClassDef | Function, str, bool]] = [(module, "", False)]
    found: list[Declaration] = []
    while stack:
        node, name, in_class = stack.pop()
        inside = list(scope(node.body))
        if not isinstance(node, ast.Module):
            doc = docs.get((name, source.line(node.body[0])))
            found.append(_declaration(node, name, inside, source, in_class=in_class, doc=doc))
        prefix, is_class = f"{name}." if name else "", isinstance(node, ast.ClassDef)
        stack += [
            (each, prefix + each.name, is_class)
            for each in inside
            if isinstance(each, Function | ast.ClassDef)
        ]
    return sorted(found, key=lambda each: each.first_line)


def _declaration(
    node: ast.ClassDef | Function,
    name: str,
    inside: list[ast.stmt],
    source: PythonSource,
    *,
    in_class: bool,
    doc: int | None,
) -> Declaration:
    first, last = source.line(node), last_line(node) - source.shift
    if isinstance(node, ast.ClassDef):
        return Declaration(name=name, kind="class", first_line=first, last_line=last, doc=doc)
    static = any(dotted(each) == "staticmethod" for each in node.decorator_list)
    return Declaration(
        name=name,
        kind="method" if in_class else "function",
        first_line=first,
        last_line=last,
        parameters=list(_parameters(node.args, source, bound=in_class and not static)),
        returns=_returns(node, inside),
        raises=list(dict.fromkeys(_raised(inside))),
        doc=doc,
    )


def _parameters(args: ast.arguments, source: PythonSource, *, bound: bool) -> Iterator[Parameter]:
    positional = [*args.posonlyargs, *args.args]
    required = len(positional) - len(args.defaults)
    given: list[tuple[ast.arg | None, bool]] = [(arg, at >= required) for at, arg in enumerate(positional)]
    given += [(args.vararg, False)]
    given += [
        (arg, default is not None) for arg, default in zip(args.kwonlyargs, args.kw_defaults, strict=True)
    ]
    given += [(args.kwarg, False)]
    bound = bound or (bool(positional) and positional[0].arg in _INSTANCE)
    for arg, default in given[1:] if bound and positional else given:
        if arg is not None:
            yield Parameter(name=arg.arg, annotation=source.text(arg.annotation), default=default)


def _returns(node: Function, inside: list[ast.stmt]) -> bool:
    """Return whether a function returns or yields a value; without a statement its annotation decides."""
    values = [each.value for each in inside if isinstance(each, ast.Return)]
    if any(value is not None and not _is_none(value) for value in values) or any(map(_yields, inside)):
        return True
    stub = not values and len(node.body) <= 2
    return stub and node.returns is not None and not _is_nothing(node.returns)


def _is_none(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is None


def _is_nothing(annotation: ast.expr) -> bool:
    values = annotation.value if isinstance(annotation, ast.Constant) else dotted(annotation)
    return values is None or str(values).rpartition(".")[2] in _NOTHING


def _yields(statement: ast.stmt) -> bool:
    value = getattr(statement, "value", None)
    value = value.value if isinstance(value, ast.Await) else value
    return isinstance(value, ast.Yield | ast.YieldFrom)


def _raised(inside: list[ast.stmt]) -> Iterator[str]:
    """Return exceptions by name; a variable, in lower case, does not count."""
    for statement in inside:
        if isinstance(statement, ast.Raise) and statement.exc is not None:
            raised = statement.exc.func if isinstance(statement.exc, ast.Call) else statement.exc
            name = dotted(raised)
            if name.rpartition(".")[2][:1].isupper():
                yield name
