"""What the prompt of a task says about the program: which lines come before the entry point, how a body
is indented. Worked out once a prompt, since each prompt gets many answers.
"""

from __future__ import annotations

import ast
import re
from functools import cached_property, lru_cache
from typing import NamedTuple

from benchwright.text.clean import normalise
from benchwright.text.syntax import ParseFault, bound_names, first_line, parse, parse_program

DEFAULT_INDENT = "    "


class Definition:
    """Finds `def NAME`, with `before` ahead of it, as a regular expression would.

    It is compiled for the first text that has the name at all: most answers are bodies, which do not, and
    to compile it takes longer than to read such an answer.
    """

    def __init__(self, name: str, *, before: str) -> None:
        self._name, self._before = name, before

    def search(self, text: str) -> re.Match[str] | None:
        """The first place in the text."""
        return self._pattern.search(text) if self._name in text else None

    def match(self, line: str) -> re.Match[str] | None:
        """Whether the text begins with it."""
        return self._pattern.match(line) if self._name in line else None

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile(
            rf"^{self._before}(?:async[ \t]+)?def[ \t]+{re.escape(self._name)}[ \t]*[(\[]", re.MULTILINE
        )


class PromptFrame(NamedTuple):
    """A prompt taken apart.

    `head` is the prompt, ending in a newline; `preamble` is the part before the entry point's own lines,
    and `provides` the names it binds.
    `takes_body` is False when the prompt does not end in the entry point's head, so that only a whole
    function can answer it. `definition` finds `def NAME` at the start of a line, and `indented` anywhere.
    """

    name: str
    head: str
    preamble: str
    provides: frozenset[str]
    indent: str
    takes_body: bool
    definition: Definition
    indented: Definition


@lru_cache(maxsize=1024)
def frame_of(prompt: str, name: str) -> PromptFrame:
    """The frame of a prompt. A prompt that is not Python gives one without preamble and body."""
    # A half-written indentation at the end would push the first line of the body.
    head = normalise(prompt).lstrip("\n").rstrip(" \t")
    if head and not head.endswith("\n"):
        head += "\n"
    preamble, indent, takes_body = _take_apart(head, name)
    before = parse(preamble)
    return PromptFrame(
        name=name,
        head=head,
        preamble=preamble,
        provides=frozenset() if isinstance(before, ParseFault) else frozenset(bound_names(before.body)),
        indent=indent,
        takes_body=takes_body,
        definition=Definition(name, before=""),
        indented=Definition(name, before=r"([ \t]*)"),
    )


def _take_apart(head: str, name: str) -> tuple[str, str, bool]:
    """Preamble, indentation of a body, and whether the head waits for one."""
    tree = parse_program(head)
    if isinstance(tree, ParseFault):  # perhaps the head has no docstring, so its function has no body yet
        tree = parse_program(head + DEFAULT_INDENT + "pass\n")
    if isinstance(tree, ParseFault):
        return "", DEFAULT_INDENT, False
    last = tree.body[-1] if tree.body else None
    if not isinstance(last, ast.FunctionDef | ast.AsyncFunctionDef) or last.name != name:
        bound = name in bound_names(tree.body)
        return "" if bound else head, DEFAULT_INDENT, False
    lines = head.split("\n")
    preamble = "".join(line + "\n" for line in lines[: first_line(last) - 1])
    inside = last.body[0]
    if inside.lineno > len(lines) - 1:  # the `pass` added above
        return preamble, DEFAULT_INDENT, True
    indent = lines[inside.lineno - 1][: inside.col_offset]
    return preamble, indent, not indent.strip()
