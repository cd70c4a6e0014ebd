"""The programs of answers, extracted again with the data set if it is still available.

A run stores the model's text, not the program, which follows from it. If the data set has moved or
changed, the report shows only the text, and states why.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping, Sequence

from benchwright.contracts import Spec, Track
from benchwright.display.escape import escaped_path
from benchwright.errors import DataError
from benchwright.records import Answer, Task, TaskId
from benchwright.running.prompt_files import prompt_of
from benchwright.running.run_data import HINT, DataByHash, data_of, identity_field
from benchwright.store.runfolder import RunFolder
from benchwright.text.syntax import ParseFault, parse

_DROPPED = "the page omits questions, programs and canonical solutions"


class Programs:
    """Programs, questions and canonical solutions of one data set, by one scoring profile."""

    def __init__(self, track: Track, tasks: Mapping[TaskId, Task], *, profile: str) -> None:
        self._track, self._tasks, self._profile = track, tasks, profile

    def questions(self, task_id: TaskId, prompts: object, variants: Collection[str]) -> dict[str, str]:
        """The prompts of a task by variant; under "" the data set's own question.

        `prompts` is the part of the run's identity on variants: a mapping with language and form, or None.
        """
        if task_id not in self._tasks:
            return {}
        task = self._tasks[task_id]
        if not isinstance(prompts, Mapping):
            return {"": self._track.prompt(task)}
        language, form = str(prompts.get("language")), str(prompts.get("form"))
        if (own := prompt_of({"prompts": prompts})) is not None:
            return {own.name: own.fill(self._track, task, form=form)}
        offered = self._track.questions(task, language=language, form=form)
        return {question.variant: question.text for question in offered if question.variant in variants}

    def spec(self, task_id: TaskId) -> Spec | None:
        """The spec that judged answers to a task; None if the data set has no such task."""
        return (
            self._track.spec(self._tasks[task_id], profile=self._profile) if task_id in self._tasks else None
        )

    def program(self, answer: Answer) -> str | None:
        """The program in an answer; None if the data set has no such task."""
        if answer.task_id not in self._tasks:
            return None
        return self._track.extract(self._tasks[answer.task_id], answer, profile=self._profile).program

    def groups(self, task_id: TaskId) -> Mapping[str, Sequence[str]]:
        """The groups of a task, by kind."""
        return self._track.measures.groups_of(self._tasks[task_id]) if task_id in self._tasks else {}

    def gold(self, task_id: TaskId) -> str:
        """The data set's own answer; for labels, the label. Empty if it has none."""
        return self._track.gold(self._tasks[task_id]) or "" if task_id in self._tasks else ""

    def canonical(self, task_id: TaskId) -> list[str]:
        """The canonical solution; if it has a docstring, also without it.

        It is extracted like an answer, so that the two can be compared line by line. Most answers omit the
        docstring; a diff against the text with it would be mostly docstring.
        """
        gold = self.gold(task_id)
        if not gold:
            return []
        answer = Answer(key="", task_id=task_id, sample=0, model="", text=gold)
        program = self.program(answer) or ""
        return list(dict.fromkeys(text for text in (program, without_docstrings(program)) if text))


def open_programs(folders: list[RunFolder], given: DataByHash | None = None) -> tuple[Programs | None, str]:
    """The programs of runs on one data set, from the first run that has it; else None, and the reason."""
    reasons = []
    for folder in folders:
        data = data_of(folder, given)
        reason = data.absent
        if not reason:
            try:
                tasks = data.tasks()
            except DataError as error:  # stored by a version with another format
                reason = f"{escaped_path(folder.path)}: its data set cannot be read: {error.message}"
            else:
                return Programs(data.track, tasks, profile=identity_field(folder, "profile")), ""
        reasons.append(reason)
    return None, f"{_DROPPED}: {reasons[0]}; {HINT}"


def without_docstrings(source: str) -> str:
    """The program without the docstrings of its functions; unchanged if it cannot be parsed."""
    tree = parse(source)
    if isinstance(tree, ParseFault):
        return source
    lines = source.split("\n")
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and len(node.body) > 1:
            text = node.body[0]
            if (
                ast.get_docstring(node, clean=False) is not None
                and text.lineno > node.lineno
                and text.end_lineno
            ):
                lines[text.lineno - 1 : text.end_lineno] = [_GONE] * (text.end_lineno - text.lineno + 1)
    return "\n".join(_without_blank_lines(lines))


_GONE = "\0"  # not a source line: a parsed program contains no NUL


def _without_blank_lines(lines: list[str]) -> list[str]:
    """The remaining lines, without blank ones in place of docstrings."""
    remaining: list[str] = []
    after_gap = False
    for line in lines:
        if line == _GONE:
            after_gap = True
        elif line.strip() or not after_gap:
            remaining.append(line)
            after_gap = False
    return remaining
