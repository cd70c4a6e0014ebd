"""The frame of a prompt: the code before and after the function to complete, and bindings of methods."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

from benchwright.text.normalisation import normalise
from benchwright.text.syntax import ParseFault, bound_names, first_line, parse, parse_program

# Facts of a prompt about the program: the lines before the entry point, the indentation of a body. Computed
# once per prompt, since each prompt gets many answers.

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
    `unfinished` is the unchanged prompt if it ends before a body can begin: inside a docstring,
    a signature or a block. `anchor` is then the line of the entry point's `def`. `binding` is the line below
    the program that binds the entry point, where it is a method.
    """

    name: str
    head: str
    preamble: str
    provides: frozenset[str]
    indent: str
    takes_body: bool
    definition: Definition
    indented: Definition
    unfinished: str = ""
    anchor: int = 0
    binding: str = ""


class _Parts(NamedTuple):
    """What `_take_apart` finds, by the names of the frame's fields."""

    preamble: str
    indent: str = DEFAULT_INDENT
    takes_body: bool = False
    binding: str = ""
    anchor: int = -1


@lru_cache(maxsize=1024)
def frame_of(prompt: str, name: str) -> PromptFrame:
    """The frame of a prompt. A prompt that is not Python gives one without preamble and body."""
    # A half-written indentation at the end would push the first line of the body.
    raw = normalise(prompt).lstrip("\n")
    head = raw.rstrip(" \t")
    if head and not head.endswith("\n"):
        head += "\n"
    parts = _take_apart(head, name)
    before = parse(parts.preamble)
    return PromptFrame(
        name=name,
        head=head,
        preamble=parts.preamble,
        provides=frozenset() if isinstance(before, ParseFault) else frozenset(bound_names(before.body)),
        indent=parts.indent,
        takes_body=parts.takes_body,
        definition=Definition(name, before=""),
        indented=Definition(name, before=r"([ \t]*)"),
        unfinished=raw if parts.anchor >= 0 else "",
        anchor=max(parts.anchor, 0),
        binding=parts.binding,
    )


def prelude_of(prompt: str, name: str) -> str:
    """Return the part of a prompt that tests may use: all if it parses, else the part before its function."""
    whole = parse_program(prompt)
    return frame_of(prompt, name).preamble if isinstance(whole, ParseFault) else prompt


def _take_apart(head: str, name: str) -> _Parts:
    """Preamble, indentation of a body, and whether the head waits for one."""
    tree = parse_program(head)
    completed = isinstance(tree, ParseFault)
    if completed:  # perhaps the head has no docstring, so its function has no body yet
        tree = parse_program(head + _next_indent(head) + "pass\n")
    if isinstance(tree, ParseFault):
        return _parts_of_cut_prompt(head, name)
    last = tree.body[-1] if tree.body else None
    owner, binding = last, ""
    if isinstance(last, ast.ClassDef) and (found := method_binding(tree.body, name)):
        last, binding = last.body[-1], found
    if not isinstance(last, ast.FunctionDef | ast.AsyncFunctionDef) or last.name != name or owner is None:
        bound = name in bound_names(tree.body)
        return _Parts("" if bound else head)
    lines = head.split("\n")
    preamble = "".join(line + "\n" for line in lines[: first_line(owner) - 1])
    inside = last.body[0]
    if inside.lineno > len(lines) - 1:  # the `pass` added above
        return _Parts(preamble, _next_indent(head), takes_body=True, binding=binding)
    if completed:
        return _parts_of_cut_prompt(head, name)  # a block of its body is open
    indent = lines[inside.lineno - 1][: inside.col_offset]
    return _Parts(preamble, indent, takes_body=not indent.strip(), binding=binding)


def _next_indent(head: str) -> str:
    """The indentation of a body below the last line with code."""
    last = next((line for line in reversed(head.split("\n")) if line.strip()), "")
    own = last[: len(last) - len(last.lstrip(" \t"))]
    return own + DEFAULT_INDENT if last.rstrip().endswith(":") and own else DEFAULT_INDENT


def _parts_of_cut_prompt(head: str, name: str) -> _Parts:
    """Split a prompt that ends inside its function; the part before the function must parse."""
    lines = head.split("\n")
    definition = Definition(name, before="")
    anchor = next((at for at in range(len(lines) - 1, -1, -1) if definition.match(lines[at])), -1)
    if anchor < 0:
        return _Parts("")
    start = anchor
    while start > 0 and lines[start - 1].startswith("@"):
        start -= 1
    preamble = "".join(line + "\n" for line in lines[:start])
    if isinstance(parse_program(preamble), ParseFault):
        return _Parts("")
    return _Parts(preamble, anchor=anchor)


_PLAIN = frozenset({"staticmethod", "classmethod"})


def method_binding(statements: Sequence[ast.stmt], name: str) -> str | None:
    """Return a line that binds `name` to the method of that name; None unless exactly one class has it.

    Static and class methods are bound to the class, others to an instance made without arguments.
    """
    found = [
        (owner, method)
        for owner in statements
        if isinstance(owner, ast.ClassDef)
        for method in owner.body
        if isinstance(method, ast.FunctionDef | ast.AsyncFunctionDef) and method.name == name
    ]
    if len(found) != 1:
        return None
    owner, method = found[0]
    decorators = {each.id for each in method.decorator_list if isinstance(each, ast.Name)}
    if decorators & _PLAIN:
        return f"{name} = {owner.name}.{name}"
    return f"{name} = {owner.name}().{name}" if _takes_nothing(owner) else None


def _takes_nothing(owner: ast.ClassDef) -> bool:
    """Return whether the class's own `__init__` permits an instance without arguments."""
    constructor = next((each for each in owner.body if getattr(each, "name", "") == "__init__"), None)
    if not isinstance(constructor, ast.FunctionDef):
        return True
    positional = (
        len(constructor.args.posonlyargs) + len(constructor.args.args) - len(constructor.args.defaults)
    )
    return positional <= 1 and None not in constructor.args.kw_defaults
