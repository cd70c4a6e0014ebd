"""A text as code and comments: what a language's object answers, and the records of its answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, Protocol

from msgspec.structs import replace

from benchwright.lang.faults import SyntaxFault, encoded
from benchwright.records import Record

END_OF_LINE, INDENT, DEDENT = (
    "\n",
    "\n+",
    "\n-",
)  # structure as tokens: no source token begins with a line feed


class CodeToken(NamedTuple):
    """A token of the code, and the line (from 1) that it begins on.

    `shape` says where it hangs in the syntax tree, for languages that are read as trees: equal texts of equal
    shape have equal trees. Structure that only line ends or indents express is a token of its own, whose
    text begins with a line feed; so does a directive comment that has its line for itself.
    """

    text: str
    line: int
    shape: int = 0


class Comment(Record, frozen=True, kw_only=True):
    """A comment or documentation string. Lines count from 1, columns from 0 in characters.

    Line comments right below each other, from the same column and alone on their lines, are one comment.
    """

    line: int
    end_line: int
    column: int
    text: str  # without markers, dedented
    kind: Literal["line", "block", "doc"]
    trailing: bool = False  # code stands before it on its line
    directive: bool = False  # read by a tool, as `//go:build` and a shebang are; a token of the code too
    owner: str = ""  # the dotted name of what a doc comment documents; "" for the file
    at: int = 0  # how many tokens of the code stand before it


class Parameter(Record, frozen=True, kw_only=True):
    """A parameter of a function. The instance that a method is called on is none."""

    name: str  # without stars and dots; "" for a pattern that takes a value apart, and for one without a name
    annotation: str = ""  # its type as it is written
    default: bool = False


class Declared(Record, frozen=True, kw_only=True):
    """A function, method or class of the text. Local ones are named within those around them."""

    name: str  # dotted within the file
    kind: Literal["function", "method", "class"]
    first_line: int
    last_line: int
    parameters: list[Parameter] = []
    returns: bool = False  # a value, or yields some
    raises: list[str] = []  # names of exceptions that are raised by name in its own body, or declared
    doc: int | None = None  # its documentation: an index into comments


class CommentedCode(NamedTuple):
    """A text taken apart. A text that cannot be read at all has a fault and no tokens.

    `tokens` has neither comments nor leading docstrings, but for those that a tool or the code reads:
    directive comments, and docstrings where the code asks for them.
    """

    comments: list[Comment]
    tokens: list[CodeToken]
    declared: list[Declared]  # by first line
    names: frozenset[str]  # all identifiers of the code
    fault: SyntaxFault | None = None


def readable(code: str) -> str | SyntaxFault:
    """A text without its byte order mark; why not where it is too large, or has a NUL or half a character."""
    data = encoded(code)
    if isinstance(data, SyntaxFault):
        return data
    if b"\0" in data:
        return SyntaxFault("NUL character in source code", data.count(b"\n", 0, data.index(b"\0")) + 1)
    return code.removeprefix("\ufeff")


def unreadable(fault: SyntaxFault) -> CommentedCode:
    """What is known of a text that is not even scanned."""
    return CommentedCode([], [], [], frozenset(), fault)


class Commentable(Protocol):
    """A language whose comments are known. Texts are hostile: nothing raises for what a text holds."""

    name: str  # as data sets write it
    spellings: tuple[str, ...]  # its other names, in lower case
    suffixes: tuple[str, ...]  # of its files, with the dot; the first is the usual one
    fence: str  # the tag of a fenced block
    fence_tags: frozenset[str]  # tags that models write
    line_comment: str  # its marker
    doc_styles: tuple[str, ...]  # documentation styles, the default first: see `docstyles.reading`
    builtin_names: frozenset[str]  # available without a declaration or an import
    raises: Mapping[str, frozenset[str]]  # exceptions that the operation of a token can raise

    def commented(self, code: str) -> CommentedCode:
        """A text as code and comments. `comments.read_comments` is the way to ask."""
        ...


class Gathering:
    """Tokens and comments as a reader meets them, in the text's order."""

    def __init__(self) -> None:
        self.tokens: list[CodeToken] = []
        self._runs: list[tuple[Comment, list[str]]] = []  # a comment without its text, and the lines of that

    def comment(self, source: str, lines: list[str], place: Comment) -> None:
        """A comment: its source, its text line by line, and the rest of its record as far as it is known."""
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
        """All comments, those of one run as one."""
        return [
            replace(
                each,
                text="\n".join(lines).strip("\n"),
                end_line=max(each.end_line, each.line + len(lines) - 1),
            )
            for each, lines in self._runs
        ]


def _continues(comment: Comment, above: Comment, lines: list[str]) -> bool:
    """Is it the next line of a run of line comments?"""
    return (
        (comment.kind, above.kind, above.directive) == ("line", "line", False)
        and not (comment.trailing or above.trailing)
        and (comment.line, comment.column, comment.at) == (above.line + len(lines), above.column, above.at)
    )


def places_of_code(tokens: Sequence[CodeToken]) -> list[int]:
    """The places of tokens that are neither structure nor comments alone on their lines."""
    return [place for place, token in enumerate(tokens) if not token.text.startswith("\n")]


def dedented(lines: list[str]) -> list[str]:
    """Lines of a block without the indent that all but the first share, and blank ends."""
    rest = [line for line in lines[1:] if line.strip()]
    indent = min((len(line) - len(line.lstrip()) for line in rest), default=0)
    return (
        "\n".join([lines[0].strip(), *(line[indent:].rstrip() for line in lines[1:])]).strip("\n").split("\n")
    )
