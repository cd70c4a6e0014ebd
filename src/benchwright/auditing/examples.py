"""Ungraded examples in prompts and tests, compared with the results of the canonical solution."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from benchwright.auditing.findings import TaskFinding
from benchwright.auditing.prompts import examples
from benchwright.auditing.tasks import AuditTask, GivenCall
from benchwright.contracts import BatchSpec, CallsSpec, ProgramSpec
from benchwright.executing.trials import Trial, Trials, Tried
from benchwright.records import Outcome
from benchwright.sandbox.codec import Unsendable, encode
from benchwright.text.source_text import source_text
from benchwright.text.syntax import ParseFault, parse

LIMIT_S = 3.0  # processor seconds of one example
_CONTRADICTS = (Outcome.wrong, Outcome.exception)


class _ShownExample(NamedTuple):
    """A statement of a row about its own solution."""

    task: AuditTask
    code: str
    text: str
    spec: ProgramSpec
    example: GivenCall | None = None


def contradictions(tasks: Sequence[AuditTask], trials: Trials) -> Iterator[TaskFinding]:
    """Each example that the gold contradicts, and each ungraded test that it fails."""
    shown = [each for task in tasks if not task.lacks for each in (*_examples(task), *_further(task))]
    tried = trials.run([Trial(each.task.solved.gold, each.spec) for each in shown], name="examples")
    for each, result in zip(shown, tried, strict=True):
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


def _finding(shown: _ShownExample, tried: Tried) -> TaskFinding:
    if shown.example is None:
        detail = f"{shown.text}: {tried.detail}"
        return TaskFinding(task=shown.task.unit, code=shown.code, detail=detail)
    example = shown.example
    promised = source_text(example.value)
    given = tried.detail.partition(" gave ")[2].rpartition(", expected ")[0] or tried.detail
    return TaskFinding(
        task=shown.task.unit,
        code=shown.code,
        detail=f"the prompt says that {shown.text} gives {promised}, the gold gives {given}",
        call=shown.text,
        gold=given,
        other=promised,
    )
