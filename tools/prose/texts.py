"""The prose of a file: paragraphs of Markdown; docstrings, comments and messages of Python."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from markdown_it import MarkdownIt

# Patterns and tables of words in these files are not messages.
TABLES = ("src/benchwright/text/", "src/benchwright/judges/comments/given_code.py")
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
_CODE = re.compile(r"`[^`\n]*`")
_WORDS = re.compile(r"[A-Za-z][a-z]+[,.;:]? [a-z]+[,.;:]? [a-z]+")
_PATTERN = re.compile(r"\(\?|\\[bdsw]|[\[\]][*+?]")
_PRAGMA = re.compile(r"#\s*(?:noqa|type:|pragma|fmt:|!|mypy:|ruff:|shellcheck)")


class Text(NamedTuple):
    """A piece of prose and the line of its first character."""

    line: int
    text: str

    def line_of(self, position: int) -> int:
        """Return the line of a character; newlines of the text are those of the file."""
        return self.line + self.text.count("\n", 0, position)


def texts_of(path: Path, name: str) -> Iterator[Text]:
    """Yield the prose of a Markdown or Python file; `name` is its path from the root."""
    content = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        yield from _markdown(content)
    else:
        yield from _python(content, with_messages=not name.startswith(TABLES))


def _markdown(content: str) -> Iterator[Text]:
    row = 0
    for token in MarkdownIt("commonmark").enable("table").parse(content):
        if token.map and token.type in {"tr_open", "inline"}:
            row = token.map[0]
        if token.type == "inline":
            parts = [_inline(child.type, child.content) for child in token.children or ()]
            yield Text(row + 1, "".join(parts))


def _inline(kind: str, content: str) -> str:
    """Return the text of a part of a line; code counts as one word that no rule matches."""
    if kind in {"softbreak", "hardbreak"}:
        return "\n"
    return "`_`" if kind == "code_inline" else content if kind == "text" else ""


def _python(content: str, *, with_messages: bool) -> Iterator[Text]:
    yield from _comments(content)
    nodes = list(ast.walk(ast.parse(content)))
    docstrings = [each for node in nodes if isinstance(node, DOCUMENTED) and (each := _docstring(node))]
    for each in docstrings:
        yield Text(each.lineno, _without_code(str(each.value)))
    if with_messages:
        yield from _messages(nodes, {id(each) for each in docstrings})


def _docstring(
    node: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef,
) -> ast.Constant | None:
    value = node.body[0].value if node.body and isinstance(node.body[0], ast.Expr) else None
    return value if isinstance(value, ast.Constant) and isinstance(value.value, str) else None


def _messages(nodes: list[ast.AST], docstrings: set[int]) -> Iterator[Text]:
    """Yield strings that read like a sentence; each filled-in value counts as one word."""
    joined = [node for node in nodes if isinstance(node, ast.JoinedStr)]
    known = docstrings | {id(part) for node in joined for part in node.values}
    for node in nodes:
        if isinstance(node, ast.JoinedStr):
            parts = (str(each.value) if isinstance(each, ast.Constant) else "`_`" for each in node.values)
            text = "".join(parts)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in known:
            text = node.value
        else:
            continue
        if text.isascii() and _WORDS.search(text) and not _PATTERN.search(text):
            yield Text(node.lineno, _without_code(text))


def _comments(content: str) -> Iterator[Text]:
    """Yield comments; adjacent comment lines are one text."""
    lines: list[str] = []
    first = last = 0
    for token in tokenize.generate_tokens(io.StringIO(content).readline):
        if token.type != tokenize.COMMENT or _PRAGMA.match(token.string):
            continue
        stands_alone = token.line.strip() == token.string
        if lines and not (stands_alone and token.start[0] == last + 1):
            yield Text(first, _without_code("\n".join(lines)))
            lines = []
        first = first if lines else token.start[0]
        last = token.start[0]
        lines.append(token.string.lstrip("#").strip())
    if lines:
        yield Text(first, _without_code("\n".join(lines)))


def _without_code(text: str) -> str:
    """Replace each piece of code in backticks by one word."""
    return _CODE.sub("`_`", text)
