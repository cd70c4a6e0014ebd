"""Records and Protocol for a text split into code and comments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, Protocol

from msgspec.structs import replace

from benchwright.lang.source_errors import SyntaxFault, encode_source
from benchwright.records import Record

# structural tokens; a source token never starts with a line feed
END_OF_LINE, INDENT, DEDENT = "\n", "\n+", "\n-"


class CodeToken(NamedTuple):
    """A token of the code and its first line, counted from 1.

    `shape` encodes the token's place in the syntax tree, if the language is read as a tree: equal texts of
    equal shape have equal trees. Line ends and indents that carry structure are tokens whose text starts with
    a line feed; so is a directive comment alone on its line.
    """

    text: str
    line: int
    shape: int = 0


class Comment(Record, frozen=True, kw_only=True):
    """A comment or documentation string. Lines count from 1, columns from 0 in characters.

    Consecutive line comments in the same column, alone on their lines, are one comment.
    """

    line: int
    end_line: int
    column: int
    text: str  # without comment markers, dedented
    kind: Literal["line", "block", "doc"]
    trailing: bool = False  # follows code on its line
    directive: bool = False  # read by a tool, such as `//go:build` or a shebang; also a token of the code
    owner: str = ""  # dotted name of the documented declaration; "" for the file
    at: int = 0  # number of code tokens before it


class Parameter(Record, frozen=True, kw_only=True):
    """A parameter of a function. The receiver of a method is not one."""

    name: str  # without asterisks and dots; "" for a destructuring pattern or an unnamed parameter
    annotation: str = ""  # its type as written
    default: bool = False


class Declaration(Record, frozen=True, kw_only=True):
    """A function, method or class of the text. Local names are qualified by the names around them."""

    name: str  # dotted within the file
    kind: Literal["function", "method", "class"]
    first_line: int
    last_line: int
    parameters: list[Parameter] = []
    returns: bool = False  # returns or yields a value
    raises: list[str] = []  # names of exceptions that its own body raises, or that it declares
    doc: int | None = None  # its documentation, as an index into comments


class CommentedCode(NamedTuple):
    """A text split into code and comments. An unreadable text has a fault and no tokens.

    `tokens` contains neither comments nor leading docstrings, except directive comments and docstrings that
    the code reads.
    """

    comments: list[Comment]
    tokens: list[CodeToken]
    declared: list[Declaration]  # by first line
    names: frozenset[str]  # all identifiers of the code
    fault: SyntaxFault | None = None


def readable(code: str) -> str | SyntaxFault:
    """Remove the byte order mark. Return a fault for a text that is too large, or has a NUL or a lone
    surrogate."""
    data = encode_source(code)
    if isinstance(data, SyntaxFault):
        return data
    if b"\0" in data:
        return SyntaxFault("NUL character in source code", data.count(b"\n", 0, data.index(b"\0")) + 1)
    return code.removeprefix("\ufeff")


def unreadable(fault: SyntaxFault) -> CommentedCode:
    """Return the result for a text that cannot be tokenized."""
    return CommentedCode([], [], [], frozenset(), fault)


class CommentedLanguage(Protocol):
    """A language whose comments can be read. No method raises for the content of a text."""

    name: str  # name in data sets
    spellings: tuple[str, ...]  # other names, in lower case
    suffixes: tuple[str, ...]  # of its files, with the dot; the first is the usual one
    fence: str  # info string of a fenced block
    fence_tags: frozenset[str]  # info strings that models write
    line_comment: str  # marker of a line comment
    doc_styles: tuple[str, ...]  # documentation styles, the default first: see `docstyles.reading`
    builtin_names: frozenset[str]  # names available without a declaration or an import
    raises: Mapping[str, frozenset[str]]  # exceptions that the operation of a token can raise

    def commented(self, code: str) -> CommentedCode:
        """Split a text into code and comments. Call `comments.read_comments` instead."""
        ...


class TokenCollector:
    """Collect tokens and comments in the text's order."""

    def __init__(self) -> None:
        self.tokens: list[CodeToken] = []
        self._runs: list[tuple[Comment, list[str]]] = []  # comments without text, and their lines

    def comment(self, source: str, lines: list[str], place: Comment) -> None:
        """Add a comment: its source, its text by lines, and the other fields of its record."""
        place = replace(place, at=len(self.tokens))
        if place.directive:
            self.tokens.append(
                CodeToken(("" if place.trailing else END_OF_LINE) + source.rstrip(), place.line)
            )
        elif self._runs and _continues(place, *self._runs[-1]):
            self._runs[-1][1].extend(lines)
            return
        self._runs.append((place, lines))

    def comments(self) -> list[Comment]:
        """Return all comments; a run of line comments is one."""
        return [
            replace(
                each,
                text="\n".join(lines).strip("\n"),
                end_line=max(each.end_line, each.line + len(lines) - 1),
            )
            for each, lines in self._runs
        ]


def _continues(comment: Comment, above: Comment, lines: list[str]) -> bool:
    """Return whether a comment continues a run of line comments."""
    return (
        (comment.kind, above.kind, above.directive) == ("line", "line", False)
        and not (comment.trailing or above.trailing)
        and (comment.line, comment.column, comment.at) == (above.line + len(lines), above.column, above.at)
    )


def places_of_code(tokens: Sequence[CodeToken]) -> list[int]:
    """Return the indexes of tokens that are neither structure nor comments alone on their lines."""
    return [place for place, token in enumerate(tokens) if not token.text.startswith("\n")]


def dedent(lines: list[str]) -> list[str]:
    """Remove the indent that all lines after the first share, and blank lines at both ends."""
    rest = [line for line in lines[1:] if line.strip()]
    indent = min((len(line) - len(line.lstrip()) for line in rest), default=0)
    return (
        "\n".join([lines[0].strip(), *(line[indent:].rstrip() for line in lines[1:])]).strip("\n").split("\n")
    )
