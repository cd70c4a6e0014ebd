"""Findings in prompts: examples, leaked calls, unspecified names, contradictions and other languages.

`contradictions` compares examples in prompts and tests with the results of the canonical solution.
`other_languages` lists docstrings in another natural language than most tasks use.
"""

from __future__ import annotations

import ast
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from benchwright.auditing.audit_tasks import NO_VALUE, AuditTask, StatedCall, graded_calls
from benchwright.auditing.findings import TaskFinding
from benchwright.building.unspecified_texts import TestTexts, unspecified_texts
from benchwright.contracts import BatchSpec, CallsSpec, ProgramSpec
from benchwright.executing.trials import Trial, TrialResult, Trials
from benchwright.judges.assertions import matches
from benchwright.records import Outcome
from benchwright.sandbox.codec import Unsendable, encode
from benchwright.text.literal import source_text
from benchwright.text.syntax import ParseFault, parse, parse_expression
from benchwright.text.words import natural_language, words
from benchwright.tracks.constant_folding import NotConstant, fold

_ARROWS = r"==|=>|->|➞|→|⇒|➔|=|#\s*(?:=>|->|returns?)?|(?:must |should )?(?:returns?|gives?)|вернёт|вернет"
_ARROW = re.compile(rf"\s*(?:{_ARROWS})\s*")
_LONGEST = 2000  # maximum length of a call or a value in an example
_DOCSTRING_END = re.compile(r"\"{3}|'{3}")


def examples(prompt: str, entry_point: str) -> list[StatedCall]:
    """The calls in a prompt with their values, in any of the common notations, each once.

    `>>> f(1)` or `f(1)` alone on a line with the value on the next one, `f(1) == 2`, `f(1) ➞ 2`, `f(1) => 2`,
    `f(1) returns 2`.
    Anything but a constant, such as "an empty list" or a value shortened with dots, is not an example.
    """
    found: dict[str, StatedCall] = {}
    for match in re.finditer(rf"(?<![\w.]){re.escape(entry_point)}\(", prompt):
        if prompt[: match.start()].rstrip().endswith("def"):
            continue
        if (example := _example(prompt, match.start(), match.end() - 1)) is not None:
            found.setdefault(example.text, example)
    return list(found.values())


def _example(prompt: str, start: int, opening: int) -> StatedCall | None:
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
    return None if value is NO_VALUE else StatedCall(args, kwargs, value)


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
    by_text = {each.text: each for each in examples(task.solved.prompt, task.solved.entry_point)}
    given = [
        text
        for text, call in graded.items()
        if (text in by_text and matches(by_text[text].value, call.value, how="close"))
        or _is_quoted(task, call)
    ]
    if not given:
        return
    evidence = {"graded": len(graded), "in_prompt": len(given)}
    calls = [f"{task.solved.entry_point}({text})" for text in given]
    code = "tests_in_prompt" if len(given) == len(graded) else "examples_in_tests"
    detail = f"the prompt shows {len(given)} of {len(graded)} graded calls with their value: {_few(calls)}"
    yield TaskFinding(task=task.unit, code=code, detail=detail, call=calls[0], evidence=evidence)


def _is_quoted(task: AuditTask, call: StatedCall) -> bool:
    """Whether the prompt contains the assert itself, verbatim."""
    head = f"{task.solved.entry_point}({call.text})"
    return call.value is not NO_VALUE and f"assert {head} == {source_text(call.value)}" in task.solved.prompt


def _few(texts: Sequence[str], most: int = 3) -> str:
    listing = "; ".join(text if len(text) <= 80 else text[:79] + "…" for text in texts[:most])
    return listing + (f"; and {len(texts) - most} more" if len(texts) > most else "")


def disagreements(task: AuditTask) -> Iterator[TaskFinding]:
    """Names and texts that the tests require and the prompt does not mention."""
    prompt, gold = task.solved.prompt, parse(task.solved.gold)
    if isinstance(gold, ParseFault) or not gold.body:
        return
    raised, defined = _raised(gold), _defined(gold)
    unmentioned = _names(task.solved.tests, {word for word in raised | defined if word not in prompt})
    for code, wanted in (
        ("unnamed_exception", raised & unmentioned),
        ("unnamed_symbol", defined & unmentioned | {task.solved.entry_point}),
    ):
        yield from _missing(task, code, sorted(word for word in wanted if word not in prompt))
    yield from _missing(
        task, "unnamed_literal", unspecified_texts(prompt, _demands(task), ast.walk(gold)), repr
    )


def _missing(
    task: AuditTask, code: str, words: Sequence[str], shown: Callable[[str], str] = str
) -> Iterator[TaskFinding]:
    if words:
        detail = f"the tests ask for {_few([*map(shown, words)])}"
        yield TaskFinding(task=task.unit, code=code, detail=detail, evidence={"missing": list(words[:20])})


def _demands(task: AuditTask) -> TestTexts:
    calls = list(graded_calls(task))
    values = (each.value for each in calls if each.value is not NO_VALUE)
    return TestTexts.of(values, ([each.args, each.kwargs] for each in calls))


def _names(tests: str, words: set[str]) -> set[str]:
    """Return the words that are names in the tests, which are parsed only if they contain one."""
    text = unicodedata.normalize("NFKC", tests) if words else ""  # as the parser reads names
    if not any(word in text for word in words):
        return set()
    tree = parse(tests)
    if isinstance(tree, ParseFault):
        return set()
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} & words


def _raised(gold: ast.Module) -> set[str]:
    """The exception types that the gold raises, by name."""
    calls = (node.exc for node in ast.walk(gold) if isinstance(node, ast.Raise))
    types = (each.func if isinstance(each, ast.Call) else each for each in calls)
    return {each.id for each in types if isinstance(each, ast.Name)}


def _defined(gold: ast.Module) -> set[str]:
    definitions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return {node.name for node in gold.body if isinstance(node, definitions)}


LIMIT_S = 3.0  # processor seconds of one example
_CONTRADICTS = (Outcome.wrong, Outcome.exception)


class _ShownExample(NamedTuple):
    """A statement of a row about its own solution."""

    task: AuditTask
    code: str
    text: str
    spec: ProgramSpec
    example: StatedCall | None = None


def contradictions(tasks: Sequence[AuditTask], trials: Trials) -> Iterator[TaskFinding]:
    """Each example that the gold contradicts, and each ungraded test that it fails."""
    prompt_examples = [
        each for task in tasks if not task.lacks for each in (*_examples(task), *_further(task))
    ]
    tried = trials.run([Trial(each.task.solved.gold, each.spec) for each in prompt_examples], name="examples")
    for each, result in zip(prompt_examples, tried, strict=True):
        if result.outcome in _CONTRADICTS:
            yield _finding(each, result)


def _examples(task: AuditTask) -> Iterator[_ShownExample]:
    for example in examples(task.solved.prompt, task.solved.entry_point):
        try:
            spec = BatchSpec(
                entry_point=task.solved.entry_point,
                environment=task.solved.spec.environment,
                cpu_limit_s=LIMIT_S,
                calls=encode([(example.args, example.kwargs)]),
                expected=[encode(example.value)],
                compare="close",
            )
        except (Unsendable, ValueError):
            continue
        text = f"{task.solved.entry_point}({example.text})"
        yield _ShownExample(task, "example_contradicts", text, spec, example)


def _further(task: AuditTask) -> Iterator[_ShownExample]:
    """The ungraded asserts, each as a `check` of its own."""
    tree = parse(task.further_tests)
    for node in [] if isinstance(tree, ParseFault) else tree.body:
        test = f"def check(candidate):\n    {ast.unparse(node)}\n"
        prelude = task.solved.spec.prelude if isinstance(task.solved.spec, CallsSpec) else ""
        spec = CallsSpec(
            entry_point=task.solved.entry_point,
            environment=task.solved.spec.environment,
            cpu_limit_s=LIMIT_S,
            prelude=prelude,
            test=test,
        )
        yield _ShownExample(task, "further_test_fails", ast.unparse(node), spec)


def _finding(case: _ShownExample, tried: TrialResult) -> TaskFinding:
    if case.example is None:
        detail = f"{case.text}: {tried.detail}"
        return TaskFinding(task=case.task.unit, code=case.code, detail=detail)
    example = case.example
    promised = source_text(example.value)
    given = tried.detail.partition(" gave ")[2].rpartition(", expected ")[0] or tried.detail
    return TaskFinding(
        task=case.task.unit,
        code=case.code,
        detail=f"the prompt says that {case.text} gives {promised}, the gold gives {given}",
        call=case.text,
        gold=given,
        other=promised,
    )


_DOCSTRING = re.compile(r"\"{3}(.*?)(?:\"{3}|\Z)|'{3}(.*?)(?:'{3}|\Z)", re.DOTALL)
_FEWEST = 3  # minimum number of words
_NAMES = {"en": "English", "ru": "Russian", "zh": "Chinese", "und": "another language"}


def other_languages(tasks: Sequence[AuditTask]) -> Iterator[TaskFinding]:
    """The tasks whose docstring is not in the language of more than half of the docstrings."""
    spoken = [(task, language) for task in tasks if (language := _language(task))]
    counts = Counter(language for _, language in spoken).most_common(1)
    for usual, count in counts:
        for task, language in spoken:
            if language != usual and 2 * count > len(spoken):
                detail = f"the docstring is in {_NAMES[language]}, those of most tasks in {_NAMES[usual]}"
                yield TaskFinding(task=task.unit, code="other_language", detail=detail)


def _language(task: AuditTask) -> str:
    """The language of a prompt's docstrings without their examples; "" if unknown."""
    found = "\n".join(one or other for one, other in _DOCSTRING.findall(task.solved.prompt))
    calls = (">>>", f"{task.solved.entry_point}(")
    prose = words("\n".join(line for line in found.splitlines() if not any(call in line for call in calls)))
    return natural_language(prose) if sum(map(str.isalpha, prose)) >= _FEWEST else ""
