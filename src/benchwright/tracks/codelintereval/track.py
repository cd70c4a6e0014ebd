"""The track of CodeLinterEval: the program in an answer, and what the linter and a comparison decide.

`mera-exact`: MERA's extraction; a program passes if flake8 finds nothing, and comments can disable findings.
Nothing compares it with the given code, so an empty answer passes. `strict`: the program must also parse and
do the same as the given code, and comments disable nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import msgspec

from benchwright.contracts import Extraction, LintSpec
from benchwright.records import Answer, Task
from benchwright.sandbox.environments import find_environment, site_binds
from benchwright.text.asked_changes import codes_in, is_same
from benchwright.text.fences import process_mera_code
from benchwright.tracks.base import MeraTrack, require_profile
from benchwright.tracks.codelintereval import CODELINTEREVAL
from benchwright.tracks.codelintereval.rows import read_task
from benchwright.tracks.functions.baselines import PassBesideBaselines
from benchwright.tracks.prompt_templates import fence
from benchwright.tracks.rows import Fields
from benchwright.tracks.whole_program import take_whole_program

STRICT, EXACT = CODELINTEREVAL.profiles
LINTER = "flake8"  # dependency profile
BASELINES = {"empty": "an empty answer", "pass": "`pass` alone", "echo": "the given code"}


class CodeLinterEval(MeraTrack, declaration=CODELINTEREVAL):
    """Track of MERA's rows of code to correct."""

    default_n = 10
    ks = (1, 5, 10)
    temperature = 0.6
    language = "ru"
    prompt_kind = "codelintereval"
    measures = PassBesideBaselines(BASELINES)
    executes = True

    def read_row(self, fields: Fields) -> Task:
        """Read a task from a row. Raises DataError with file, line, field and hint."""
        return read_task(fields)

    def prompt_values(self, task: Task, *, language: str, form: str) -> Mapping[str, str]:
        """The code and the findings."""
        code, feedback = task.inputs["code"], task.inputs["feedback"]
        return {"code": code.strip("\n"), "feedback": feedback.strip(), "fence": fence(code, feedback)}

    def gold(self, task: Task) -> str | None:
        """The canonical code, if it is the given code without its findings; else None.

        MERA's own canonical code often has other names and another algorithm, which the task does not allow.
        """
        canonical, code = task.meta.get("canonical_code") or "", task.inputs["code"]
        codes = codes_in(task.inputs["feedback"])
        return _in_fence(canonical) if canonical and is_same(code, canonical, codes) else None

    def stub(self, task: Task) -> str:
        """The given code, which has findings."""
        return _in_fence(task.inputs["code"])

    def extract(self, task: Task, answer: Answer, *, profile: str) -> Extraction:
        """Extract the program. "mera-exact" never reports a problem: MERA lints any text."""
        if require_profile(profile, self.profiles, track=self.name) != STRICT:
            return Extraction(program=process_mera_code(answer.text), rule=profile)
        return _with_line_end(take_whole_program(answer, "Python"))

    def spec(self, task: Task, *, profile: str) -> LintSpec:
        """The given code, and programs that nobody had to write."""
        strict = require_profile(profile, self.profiles, track=self.name) == STRICT
        return LintSpec(
            code=task.inputs["code"],
            codes=codes_in(task.inputs["feedback"]),
            same=strict,
            environment=LINTER,
            noqa=not strict,
            baselines=self._baselines(task, profile),
            exact_baselines=self._baselines(task, EXACT) if strict else {},
        )

    def prepare(self, tasks: Iterable[Task], *, note: Callable[[str], object]) -> None:
        """Find the linter before the first answer. Raises PrerequisiteError with the install command."""
        site_binds(find_environment(LINTER))

    def _baselines(self, task: Task, profile: str) -> dict[str, str]:
        """The programs in answers that need no skill."""
        texts = {"empty": "", "pass": _in_fence("pass"), "echo": self.stub(task)}
        blank = Answer(key="", task_id=task.task_id, sample=0, model="baseline", text="")
        answers = {name: msgspec.structs.replace(blank, text=text) for name, text in texts.items()}
        return {name: self.extract(task, each, profile=profile).program for name, each in answers.items()}


def _in_fence(code: str) -> str:
    marks = fence(code)
    return f"{marks}python\n{code.removesuffix(chr(10))}\n{marks}\n"


def _with_line_end(extraction: Extraction) -> Extraction:
    """The program with a line end: neither a fence nor the end of an answer shows whether it had one.

    An answer without a program has no problem, because only the judge computes scores of the baselines.
    """
    text = extraction.program.strip("\n")
    return msgspec.structs.replace(extraction, program=f"{text}\n" if text else "", problem=None)


TRACK = CodeLinterEval()
