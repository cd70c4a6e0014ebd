"""Split a text of a tree-sitter language into code and comments, from the leaves and some nodes of its
tree."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from msgspec.structs import replace

from benchwright.lang.comment_records import (
    END_OF_LINE,
    CodeToken,
    Comment,
    CommentedCode,
    Declaration,
    TokenCollector,
    dedent,
    places_of_code,
    readable,
    unreadable,
)
from benchwright.lang.parser import Grammar
from benchwright.lang.source_errors import SyntaxFault
from benchwright.lang.trees import Node, SyntaxLeaf, Tree, leaves

_STAR = re.compile(r"[ \t]*\*+")


class DocCommentTarget(NamedTuple):
    """A declaration that a documentation comment may precede: its first byte, dotted name and declaration."""

    start: int
    name: str
    declared: Declaration | None = None


class TreeComments(ABC):
    """The rules that separate the comments of one language from its code, and attach documentation."""

    grammar: Grammar
    odd: re.Pattern[bytes]  # characters that are not white space between tokens in the language
    directive: re.Pattern[str]  # the start of a directive comment

    @abstractmethod
    def documentables(self, tree: Tree) -> Iterable[DocCommentTarget]:
        """Yield everything that can be documented, including functions and classes, in the text's order."""

    def prepared(self, code: str) -> str | SyntaxFault:
        """Return the text as the language reads it, with line feeds as line ends."""
        return code.replace("\r\n", "\n").replace("\r", "\n")

    def ends_line(self, last: str, following: str) -> bool:
        """Return whether a line end between two tokens is significant."""
        return False

    def directives(self, tree: Tree) -> Callable[[str, int, int], bool]:
        """Return whether a tool reads a comment, given its source, first byte and column."""
        return lambda source, _start, _column: self.directive.match(source) is not None

    def may_document(self, comment: Comment, source: str) -> bool:
        """Return whether a comment has the form of documentation."""
        return source.startswith("/**") and source[3:4] not in ("*", "/", "")

    def documents(self, comment: Comment, line: int) -> bool:
        """Return whether a comment of that form documents the code that follows it on a line."""
        return True

    def heads_file(self, comment: Comment) -> bool:
        """Return whether the first comment of a text documents the file."""
        return False

    def commented(self, code: str) -> CommentedCode:
        """Split a text into code and comments."""
        given = readable(code)
        text = given if isinstance(given, SyntaxFault) else self.prepared(given)
        read = text if isinstance(text, SyntaxFault) else leaves(text, self.grammar)
        if isinstance(read, SyntaxFault):
            return unreadable(read)
        found, tree = read
        reader = _Reader(self, tree)
        for leaf in found:
            reader.take(leaf)
        reader.between(len(tree.data))
        return reader.commented()


class _Reader:
    """Sort the leaves of a text, one by one."""

    def __init__(self, dialect: TreeComments, tree: Tree) -> None:
        self._dialect, self._tree = dialect, tree
        self._is_directive = dialect.directives(tree)
        self._gathered = TokenCollector()
        self._names: set[str] = set()
        self._docs: set[tuple[int, int]] = set()  # line and column of comments in the form of documentation
        self._index: dict[int, int] = {}  # tokens, by their first byte
        self._line, self._end = 1, 0
        self._counted = (0, 0)  # a byte of the line, and the number of characters before it
        self._last, self._last_line, self._line_ended = "", 0, False  # token of code, and the line it ends on

    def take(self, leaf: SyntaxLeaf) -> None:
        """Read the next leaf of the text."""
        self.between(leaf.start)
        source = self._tree.data[leaf.start : leaf.end].decode("utf-8", "backslashreplace")
        if leaf.kind in self._dialect.grammar.comments:
            self._comment(source, leaf.start)
            self._advance(leaf.end)
        else:
            self._token(source, leaf)
            self._advance(leaf.end)
            self._last_line, self._line_ended = self._line, False

    def between(self, start: int) -> None:
        """Read the text before the next leaf: white space, and characters that the grammar skips."""
        first = self._end
        gap = self._tree.data[first:start]
        if gap not in (b"", b" "):
            for odd in self._dialect.odd.finditer(gap):
                self._advance(first + odd.start())
                text = odd.group().decode("utf-8", "backslashreplace")
                self._gathered.tokens.append(CodeToken(text, self._line))
                self._last_line = self._line
            self._advance(start)

    def commented(self) -> CommentedCode:
        """Return the result."""
        comments = self._gathered.comments()
        subjects = [each for each in self._dialect.documentables(self._tree) if each.start in self._index]
        docs = self._documenting(comments, {self._index[each.start]: each.name for each in subjects})
        for index, owner in docs.values():
            comments[index] = replace(comments[index], kind="doc", owner=owner)
        declared = [
            replace(each.declared, doc=docs.get(self._index[each.start], (None, ""))[0])
            for each in subjects
            if each.declared is not None
        ]
        names = frozenset(self._names)
        return CommentedCode(comments, self._gathered.tokens, declared, names, self._tree.fault)

    def _token(self, source: str, leaf: SyntaxLeaf) -> None:
        tokens = self._gathered.tokens
        if self._line_ended and self._last and self._dialect.ends_line(self._last, source):
            tokens.append(CodeToken(END_OF_LINE, self._line))
        self._index[leaf.start] = len(tokens)
        tokens.append(CodeToken(source, self._line, leaf.shape))
        self._last = source
        if "identifier" in leaf.kind:
            self._names.add(source)

    def _comment(self, source: str, start: int) -> None:
        column = self._column(start)
        is_line = source.startswith("//")
        place = Comment(
            line=self._line,
            end_line=self._line + source.count("\n"),
            column=column,
            text="",
            kind="line" if is_line else "block",
            trailing=self._last_line == self._line,
            directive=self._is_directive(source, start, column),
        )
        if self._dialect.may_document(place, source):
            self._docs.add((place.line, column))
        lines = [source.lstrip("/").removeprefix(" ").rstrip()] if is_line else _inside(source)
        self._gathered.comment(source, lines, place)

    def _documenting(
        self, comments: list[Comment], names_by_place: dict[int, str]
    ) -> dict[int, tuple[int, str]]:
        """Return the comments that document, by the index of the next token, each with its declaration.

        Of several before one token the nearest counts; directive comments between them are skipped.
        """
        tokens = self._gathered.tokens
        code = places_of_code(tokens)
        found: dict[int, tuple[int, str]] = {}
        edges: dict[int, int] = {}  # the first line of a token, with directive comments right above it
        for index in reversed(range(len(comments))):
            comment = comments[index]
            at = bisect_left(code, comment.at)
            place = code[at] if at < len(code) else -1
            edge = edges.get(place, tokens[place].line) if code else 0
            if comment.directive and comment.end_line == edge - 1:
                edges[place] = comment.line
            elif place in names_by_place and place not in found and self._may_document(comment, edge):
                found[place] = (index, names_by_place[place])
        documents_other = any(index == 0 for index, _ in found.values())
        if comments and not documents_other and self._dialect.heads_file(comments[0]):
            found[-1] = (0, "")
        return found

    def _may_document(self, comment: Comment, line: int) -> bool:
        return (comment.line, comment.column) in self._docs and self._dialect.documents(comment, line)

    def _column(self, start: int) -> int:
        """Return the number of characters before a byte on its line."""
        byte, count = self._counted
        count += len(self._tree.data[byte:start].decode("utf-8", "backslashreplace"))
        self._counted = (start, count)
        return count

    def _advance(self, end: int) -> None:
        lines = self._tree.data.count(b"\n", self._end, end)
        if lines:
            self._line += lines
            self._line_ended = True
            self._counted = (self._tree.data.rindex(b"\n", self._end, end) + 1, 0)
        self._end = end


def _inside(source: str) -> list[str]:
    """Return the lines of a block comment without their leading stars."""
    lines = source.removeprefix("/").lstrip("*").removesuffix("/").rstrip("*").split("\n")
    if all(_STAR.match(line) or not line.strip() for line in lines[1:]):
        lines[1:] = [_STAR.sub("", line) for line in lines[1:]]
    return dedent(lines)


def declared_class(node: Node, name: str) -> Declaration:
    """Return the declaration of a class under its dotted name."""
    return Declaration(name=name, kind="class", first_line=node.first_line, last_line=node.last_line)


def nested(root: Node, name_of: Callable[[Node], str | None]) -> Iterator[tuple[Node, str, Node | None]]:
    """Yield all nodes in the text's order, each with its dotted name ("" for none) and the named node around
    it.

    `name_of`: the name of a node that qualifies others, "" for a function without one.
    """
    stack: list[tuple[Node, str, Node | None]] = [(root, "", None)]
    while stack:
        node, prefix, around = stack.pop()
        own = name_of(node)
        dotted = f"{prefix}.{own}".removeprefix(".") if own else ""
        yield node, dotted, around
        inside = (dotted or prefix, node) if own is not None else (prefix, around)
        stack.extend((child, *inside) for child in reversed(node.children))
