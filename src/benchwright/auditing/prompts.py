"""Findings in prompts: examples, graded calls that they reveal, and names that they omit."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from benchwright.auditing.findings import TaskFinding
from benchwright.auditing.tasks import NO_VALUE, AuditTask, GivenCall, graded_calls
from benchwright.building.unnamed_texts import Demands, unnamed_literals
from benchwright.judges.compare import matches
from benchwright.text.source_text import source_text
from benchwright.text.syntax import ParseFault, parse, parse_expression
from benchwright.tracks.fold import NotConstant, fold

_ARROWS = r"==|=>|->|➞|→|⇒|➔|=|#\s*(?:=>|->|returns?)?|(?:must |should )?(?:returns?|gives?)|вернёт|вернет"
_ARROW = re.compile(rf"\s*(?:{_ARROWS})\s*")
_LONGEST = 2000  # maximum length of a call or a value in an example
_DOCSTRING_END = re.compile(r"\"{3}|'{3}")


def examples(prompt: str, entry_point: str) -> list[GivenCall]:
    """The calls in a prompt with their values, in any of the common notations, each once.

    `>>> f(1)` or `f(1)` alone on a line with the value on the next one, `f(1) == 2`, `f(1) ➞ 2`, `f(1) => 2`,
    `f(1) returns 2`.
    Anything but a constant, such as "an empty list" or a value shortened with dots, is not an example.
    """
    found: dict[str, GivenCall] = {}
    for match in re.finditer(rf"(?<![\w.]){re.escape(entry_point)}\(", prompt):
        if prompt[: match.start()].rstrip().endswith("def"):
            continue
        if (example := _example(prompt, match.start(), match.end() - 1)) is not None:
            found.setdefault(example.text, example)
    return list(found.values())


def _example(prompt: str, start: int, opening: int) -> GivenCall | None:
    end = _closing(prompt, opening)
    call = parse_expression(prompt[start:end]) if end else None
    if not isinstance(call, ast.Call):
        return None
    try:
        args = tuple(fold(each) for each in call.args)
        kwargs = {each.arg: fold(each.value) for each in call.keywords if each.arg is not None}
    except NotConstant:
        return None
    line = prompt[prompt.rfind("\n", 0, start) + 1 : start]
    value = _printed(prompt, end) if line.strip() in {"", ">>>"} else _behind(prompt, end)
    return None if value is NO_VALUE else GivenCall(args, kwargs, value)


def _closing(text: str, opening: int) -> int:
    """The position of the closing bracket, ignoring brackets in texts; 0 if there is none."""
    depth, quote, at = 0, "", opening
    while at < min(len(text), opening + _LONGEST):
        char = text[at]
        if quote:
            if char == "\\":
                at += 1
            elif char == quote:
                quote = ""
        elif char in "\"'":
            quote = char
        elif char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
            if not depth:
                return at + 1
        at += 1
    return 0


def _printed(prompt: str, end: int) -> Any:
    """The value on the lines below a call, up to a blank line, the next doctest or the end of the text."""
    rest = prompt[end:].split("\n")
    if rest[0].strip():
        return _behind(prompt, end)
    lines = []
    for line in rest[1:]:
        if not line.strip() or line.strip().startswith((">>>", '"""', "'''")):
            break
        lines.append(_DOCSTRING_END.split(line, maxsplit=1)[0].strip())
    values = (_value(" ".join(lines[:count])) for count in range(1, len(lines) + 1))
    return next((value for value in values if value is not NO_VALUE), NO_VALUE)


def _behind(prompt: str, end: int) -> Any:
    """The value after an arrow on the same line: the longest text there that is a constant."""
    line = prompt[end : end + _LONGEST].split("\n", maxsplit=1)[0]
    arrow = _ARROW.match(line)
    if arrow is None or not arrow.group().strip():
        return NO_VALUE
    rest = _DOCSTRING_END.split(line[arrow.end() :], maxsplit=1)[0]
    ends = [len(rest), *(match.start() for match in reversed(list(re.finditer(r"[\s.,;:)#]", rest))))]
    values = (_value(rest[:at].rstrip(" .,;:")) for at in ends[:40])
    return next((value for value in values if value is not NO_VALUE), NO_VALUE)


def _value(text: str) -> Any:
    tree = parse_expression(text.strip()) if text.strip() else None
    if tree is None or isinstance(tree, ParseFault):
        return NO_VALUE
    try:
        return fold(tree)
    except NotConstant:
        return NO_VALUE


def leaks(task: AuditTask) -> Iterator[TaskFinding]:
    """Graded calls that the prompt reveals.

    If it reveals all of them, that is a defect: a table of the examples passes. Revealing some is common.
    """
    graded = {call.text: call for call in graded_calls(task)}
    shown = {each.text: each for each in examples(task.solved.prompt, task.solved.entry_point)}
    given = [
        text
        for text, call in graded.items()
        if (text in shown and matches(shown[text].value, call.value, how="close")) or _is_quoted(task, call)
    ]
    if not given:
        return
    evidence = {"graded": len(graded), "in_prompt": len(given)}
    calls = [f"{task.solved.entry_point}({text})" for text in given]
    code = "tests_in_prompt" if len(given) == len(graded) else "examples_in_tests"
    detail = f"{len(given)} of {len(graded)} graded calls stand in the prompt with their value: {_few(calls)}"
    yield TaskFinding(task=task.unit, code=code, detail=detail, call=calls[0], evidence=evidence)


def _is_quoted(task: AuditTask, call: GivenCall) -> bool:
    """Whether the prompt contains the assert itself, verbatim."""
    head = f"{task.solved.entry_point}({call.text})"
    return call.value is not NO_VALUE and f"assert {head} == {source_text(call.value)}" in task.solved.prompt


def _few(texts: Sequence[str], most: int = 3) -> str:
    shown = "; ".join(text if len(text) <= 80 else text[:79] + "…" for text in texts[:most])
    return shown + (f"; and {len(texts) - most} more" if len(texts) > most else "")


def disagreements(task: AuditTask) -> Iterator[TaskFinding]:
    """Names and texts that the tests require and the prompt does not mention."""
    prompt, gold = task.solved.prompt, parse(task.solved.gold)
    if isinstance(gold, ParseFault) or not gold.body:
        return
    named = _names(parse(task.solved.tests))
    for code, wanted in (
        ("unnamed_exception", _raised(gold) & named),
        ("unnamed_symbol", _defined(gold) & named | {task.solved.entry_point}),
    ):
        yield from _missing(task, code, sorted(word for word in wanted if word not in prompt))
    yield from _missing(
        task, "unnamed_literal", unnamed_literals(prompt, _demands(task), ast.walk(gold)), repr
    )


def _missing(
    task: AuditTask, code: str, words: Sequence[str], shown: Callable[[str], str] = str
) -> Iterator[TaskFinding]:
    if words:
        detail = f"the tests ask for {_few([*map(shown, words)])}"
        yield TaskFinding(task=task.unit, code=code, detail=detail, evidence={"missing": list(words[:20])})


def _demands(task: AuditTask) -> Demands:
    calls = list(graded_calls(task))
    values = (each.value for each in calls if each.value is not NO_VALUE)
    return Demands.of(values, ([each.args, each.kwargs] for each in calls))


def _names(tests: ast.Module | ParseFault) -> set[str]:
    if isinstance(tests, ParseFault):
        return set()
    return {node.id for node in ast.walk(tests) if isinstance(node, ast.Name)}


def _raised(gold: ast.Module) -> set[str]:
    """The exception types that the gold raises, by name."""
    calls = (node.exc for node in ast.walk(gold) if isinstance(node, ast.Raise))
    types = (each.func if isinstance(each, ast.Call) else each for each in calls)
    return {each.id for each in types if isinstance(each, ast.Name)}


def _defined(gold: ast.Module) -> set[str]:
    definitions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return {node.name for node in gold.body if isinstance(node, definitions)}
