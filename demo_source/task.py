"""A demo task: a real function, from which prompt, solution and expected outputs are taken as text.

The solutions are ordinary code of this package, checked by the same linters and tests as the rest, so
no text has to be executed to learn what they return.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import dataclass
from inspect import getsource
from typing import Any


@dataclass(frozen=True)
class DemoTask:
    """One task: the solution (its docstring is the question), hidden test inputs, functions of the prompt."""

    solution: Callable[..., Any]
    tests: list[dict[str, Any]]
    shown: tuple[Callable[..., Any], ...] = ()

    @property
    def name(self) -> str:
        return self.solution.__name__

    @property
    def prompt(self) -> str:
        """What the model sees: functions given with the task, signature and docstring."""
        parts = parts_of(self.solution)
        given = "".join(getsource(function).rstrip() + "\n\n\n" for function in self.shown)
        return f"{given}{parts.signature}\n{parts.docstring}"

    @property
    def outputs(self) -> list[str]:
        """What MERA stores: str() of each returned value."""
        return [str(self.solution(**kwargs)) for kwargs in self.tests]


@dataclass(frozen=True)
class Parts:
    """The text of one function, cut in three; `body` keeps its indent of four spaces."""

    signature: str
    docstring: str
    body: str


def parts_of(function: Callable[..., Any]) -> Parts:
    """Cut a function with a one-line signature at its docstring; a variant `name__x` is read as `name`."""
    source = re.sub(rf"\b({function.__name__.partition('__')[0]})__\w+", r"\1", getsource(function))
    lines = source.splitlines()
    node = ast.parse(source).body[0]
    assert isinstance(node, ast.FunctionDef)
    first = node.body[0]
    if ast.get_docstring(node) is None:
        start = end = node.lineno  # not first.lineno - 1, which would lose a leading comment
    else:
        start, end = first.lineno - 1, first.end_lineno or first.lineno
    return Parts(
        signature="\n".join(lines[node.lineno - 1 : start]),
        docstring="\n".join(lines[start:end]),
        body="\n".join(lines[end:]).rstrip(),
    )
