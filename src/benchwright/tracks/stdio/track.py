"""The track of programs with stdin and stdout: prompts, the program in an answer, and the cases as a spec."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import msgspec

from benchwright import registry
from benchwright.contracts import TAG, Extraction, JudgedAnswer, JudgedAnswers, MeasureSet, StdioSpec
from benchwright.lang.program_languages import program_language
from benchwright.records import Answer, Metric, Task, TaskId
from benchwright.store.keys import content_key
from benchwright.tracks.base import TrackBase
from benchwright.tracks.functions.completion import PassAtK
from benchwright.tracks.prompt_templates import fence
from benchwright.tracks.rows import Fields, remembered
from benchwright.tracks.stdio import STDIO
from benchwright.tracks.stdio.rows import StdioProblem, read_own
from benchwright.tracks.stdio.shapes import read_apps, read_codecontests, read_livecodebench
from benchwright.tracks.whole_program import take_whole_program

ROW = STDIO.forms[0]  # the form in which each row names its language
_SHAPES: Mapping[str, Callable[[Fields], StdioProblem]] = {  # by a field that no other shape has
    "input_output": read_apps,
    "private_tests": read_codecontests,
    "public_test_cases": read_livecodebench,
}
_STUB = "exit 1\n"  # of a language that is known by its commands alone


def read_problem(fields: Fields) -> StdioProblem:
    """Read a row of any shape. Raises DataError with file, line, field and hint."""
    read = next((read for name, read in _SHAPES.items() if name in fields.data), read_own)
    return read(fields)


@remembered
def problem_of(task: Task) -> StdioProblem:
    """The problem of a loaded task."""
    return read_problem(Fields(task.meta, task.origin, 1, task.task_id))


class StdioMeasures(PassAtK):
    """pass@k: an answer passes if all cases do."""

    def details(self, tasks: Mapping[TaskId, Task], answers: JudgedAnswers) -> dict[str, Any]:
        """{"groups": {"language" | "tag": {name: {metric: …}}}}, each if there are at least two."""
        kinds: dict[str, dict[str, dict[TaskId, Sequence[JudgedAnswer]]]] = {"language": {}, TAG: {}}
        for task, given in answers.items():
            problem = problem_of(tasks[task])
            kinds["language"].setdefault(problem.lang, {})[task] = given
            for tag in dict.fromkeys(problem.tags):
                kinds[TAG].setdefault(tag, {})[task] = given
        groups = {kind: self._rows(tasks, found) for kind, found in kinds.items() if len(found) > 1}
        built: dict[str, Any] = msgspec.to_builtins({"groups": groups} if groups else {})
        return built

    def _rows(
        self, tasks: Mapping[TaskId, Task], groups: Mapping[str, JudgedAnswers]
    ) -> dict[str, dict[str, Metric]]:
        return {name: self.metrics(tasks, groups[name], (1,)) for name in sorted(groups)}


class StdioTasks(TrackBase, declaration=STDIO):
    """Track of programs. `lang` is the language of all answers; empty: the one that each row names."""

    prompt_kind = "stdio"
    ks = (1, 5, 10)
    measures: MeasureSet = StdioMeasures()
    executes = True

    def __init__(self, lang: str = "") -> None:
        self._lang = lang
        self._ready: set[str] = set()

    def in_form(self, form: str) -> StdioTasks:
        """The track with answers in one language. Raises UsageError for an unknown one."""
        super().in_form(form)
        return StdioTasks("" if form == ROW else form)

    def read_row(self, fields: Fields) -> Task:
        """Read a task from a row. Raises DataError with file, line, field and hint."""
        problem = read_problem(fields)
        revision_problem = msgspec.structs.replace(problem, solutions={}, tags=[])
        return Task(
            task_id=problem.task_id,
            instruction=problem.statement,
            inputs={},
            outputs=None,
            meta=fields.data,
            revision=content_key("stdio", msgspec.to_builtins(revision_problem)),
            origin=f"{fields.path}:{fields.line}",
        )

    def prompt(self, task: Task) -> str:
        """The statement."""
        return task.instruction

    def prompt_values(self, task: Task, *, language: str, form: str) -> Mapping[str, str]:
        """The statement with the starter code, the language of the answer, and a fence."""
        problem = problem_of(task)
        starter = problem.starter.strip("\n")
        marks = fence(problem.statement, starter)
        starter_block = f"\n\n{marks}\n{starter}\n{marks}" if starter else ""
        return {"statement": problem.statement.strip("\n") + starter_block, "lang": self._lang_of(problem)}

    def gold(self, task: Task) -> str | None:
        """The row's solution in the language of the answers; None if it has none."""
        problem = problem_of(task)
        return problem.solutions.get(self._lang_of(problem))

    def stub(self, task: Task) -> str:
        """A program that ends with status 1."""
        lang = self._lang_of(problem_of(task))
        return program_language(lang).stub if lang in registry.PROGRAM_LANGUAGES else _STUB

    def extract(self, task: Task, answer: Answer, *, profile: str) -> Extraction:
        """The last fenced block of the language or without a tag; the whole text if there is no block."""
        return take_whole_program(answer, self._lang_of(problem_of(task)))

    def spec(self, task: Task, *, profile: str) -> StdioSpec:
        """The cases, and how their outputs are compared."""
        problem = problem_of(task)
        lang = self._lang_of(problem)
        return StdioSpec(
            lang=lang,
            cases=problem.cases,
            compare=problem.compare,
            abs_tol=problem.abs_tol,
            rel_tol=problem.rel_tol,
            checker=problem.checker,
            cpu_s=problem.cpu_s,
            memory_mb=problem.memory_mb,
            commands=problem.commands if lang == problem.lang else None,
        )

    def prepare(self, tasks: Iterable[Task], *, note: Callable[[str], object]) -> None:
        """Find the toolchain of each language before the first answer. Raises PrerequisiteError."""
        make_ready = registry.find("judge", "stdio").make_ready
        for task in tasks:
            lang = self._lang_of(problem_of(task))
            if lang not in self._ready:
                note(f"preparing {lang}; the first use on this machine may take longer")
                make_ready(self.spec(task, profile=self.profiles[0]))
                self._ready.add(lang)

    def to_row(self, task: Task) -> dict[str, Any]:
        """The row of a task."""
        return task.meta

    def _lang_of(self, problem: StdioProblem) -> str:
        return self._lang or problem.lang


TRACK = StdioTasks()
