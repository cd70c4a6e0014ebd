"""Place a documentation comment where its language has it: below a function's head in Python, else above it.

A function of the data set may be a method without its class. If it cannot be read alone, it is put into one.
"""

from __future__ import annotations

import ast
import re
from textwrap import dedent, indent

from benchwright.lang.comment_reading import read_comments
from benchwright.text.fences import find_blocks
from benchwright.text.syntax import ParseFault, parse

_FRAME = ("class Frame {\n", "\n}\n")
_FRAMED = frozenset({"JavaScript", "Java", "C#"})
_DOC = {  # the comment in a text with words around it
    "Python": re.compile(r"(?P<quotes>\"\"\"|''').*?(?P=quotes)", re.DOTALL),
    "Java": re.compile(r"/\*\*.*?\*/", re.DOTALL),
    "JavaScript": re.compile(r"/\*\*.*?\*/", re.DOTALL),
    "Go": re.compile(r"(?:^[ \t]*//.*(?:\n|\Z))+", re.MULTILINE),
    "C#": re.compile(r"(?:^[ \t]*///.*(?:\n|\Z))+|/\*\*.*?\*/", re.MULTILINE | re.DOTALL),
}
_LINE = {"Go": "// ", "C#": "/// "}
_QUOTED = re.compile(r"^[rRuU]?(?P<quotes>\"\"\"|''')(?P<text>.*)(?P=quotes)$", re.DOTALL)


def framed(function: str, lang: str) -> str:
    """The function, or a class with it if it cannot be read without one."""
    if lang not in _FRAMED or read_comments(function, lang).fault is None:
        return function
    return f"{_FRAME[0]}{function}{_FRAME[1]}"


def documentation_in(text: str, lang: str) -> str:
    """The documentation comment in a text, with its markers; the whole text if none is found."""
    blocks = [block.content for block in find_blocks(text)]
    given = max(blocks, key=len, default=text)
    found = _DOC[lang].search(given)
    return (found.group() if found else given).strip("\n")


def documented(function: str, lang: str, text: str) -> str:
    """The function with the documentation comment in a text."""
    comment = documentation_in(text, lang)
    if lang == "Python":
        return _with_docstring(function, comment)
    first = function.split("\n", 1)[0]
    space = first[: len(first) - len(first.lstrip(" \t"))]
    return f"{_reindent(_as_comment(comment, lang), space)}\n{function}"


def _as_comment(text: str, lang: str) -> str:
    if _DOC[lang].match(text):
        return text
    if lang in _LINE:
        return indent(dedent(text), _LINE[lang], lambda line: True)
    return "/**\n" + indent(dedent(text), " * ", lambda line: True) + "\n */"


def _reindent(comment: str, space: str) -> str:
    """The comment with another indentation; its lines keep theirs relative to the first."""
    first, *rest = comment.strip().split("\n")
    stripped = dedent("\n".join(rest))
    if stripped.startswith("*"):
        stripped = indent(stripped, " ")
    return indent("\n".join([first, stripped]) if rest else first, space)


def _with_docstring(function: str, comment: str) -> str:
    """The function with a docstring in front of its body; in front of all if there is no line for it."""
    quoted = _QUOTED.match(comment.strip())
    text = quoted["text"] if quoted else comment
    tree = parse(dedent(function))
    nodes = [] if isinstance(tree, ParseFault) else tree.body
    lines = function.split("\n")
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            at = min(_first_line(node.body[0]), len(lines))
            space = lines[at - 1][: len(lines[at - 1]) - len(lines[at - 1].lstrip(" \t"))]
            if space and at > node.lineno:
                return "\n".join([*lines[: at - 1], _docstring(text, space), *lines[at - 1 :]])
    return f"{_docstring(text, '')}\n{function}"


def _first_line(node: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(each.lineno for each in decorators)])


def _docstring(text: str, space: str) -> str:
    first, *rest = text.strip("\n").rstrip().split("\n")
    inner = indent(dedent("\n".join(rest)), space)
    body = f"{first.strip()}\n{inner}\n{space}" if rest else first.strip()
    return f'{space}"""{body}"""'
