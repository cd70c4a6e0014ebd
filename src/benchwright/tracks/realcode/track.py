"""The track of RealCode: the body of a Python function, and what the tests of its repository decide.

`mera-exact`: MERA's extraction with its repair of indentation; an answer passes if all tests pass. `strict`:
the body that the model means; tasks whose tests a stub passes are left out of the score.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, Literal

from benchwright.contracts import Extraction, RepositorySpec
from benchwright.records import Answer, Task
from benchwright.tracks.base import MeraTrack, require_profile
from benchwright.tracks.prompt_templates import fence, fill
from benchwright.tracks.realcode import REALCODE
from benchwright.tracks.realcode.clones import InRepositories, find_clone, libraries_in
from benchwright.tracks.realcode.extraction import exact_body, indentation, strict_body
from benchwright.tracks.realcode.measures import RepositoryMeasures
from benchwright.tracks.realcode.rows import read_repository_task
from benchwright.tracks.rows import Fields

STRICT, EXACT = REALCODE.profiles
_STUBS = {"pass": "`pass`", "empty_str": '`return ""`'}
_PLACINGS: Final[Mapping[Literal["Python", "Java"], Literal["python", "java"]]] = {
    "Python": "python",
    "Java": "java",
}
_BASELINES = {"empty": "an empty answer", "echo": "the given code"}


class RepositoryTasks(InRepositories, MeraTrack):
    """Base of tracks whose answers replace a function of a repository."""

    temperature = 0.7
    ks = (1,)
    language = "ru"
    executes = True

    def repository_spec(
        self,
        task: Task,
        exact: Callable[[Task, str], str],
        *,
        profile: str,
        lang: Literal["Python", "Java"],
        path: str,
        stubs: dict[str, str],
    ) -> RepositorySpec:
        """The spec of a row with contexts. `exact` is MERA's extraction from the text of an answer."""
        meta, placing = task.meta, _PLACINGS[lang]
        found = find_clone(self.repositories, meta["repo"])
        texts = {"empty": "", "echo": fenced(meta["left_context"], placing)}
        return RepositorySpec(
            lang=lang,
            clone=found.path,
            missing=found.missing,
            commit=meta["base_commit"],
            path=path,
            placing=placing,
            left=meta["left_context"],
            right=meta["right_context"],
            gold=meta["gt"],
            stubs=stubs,
            baselines={name: exact(task, text) for name, text in texts.items()},
            tests=meta["PASS_TO_PASS"],
            strict=require_profile(profile, self.profiles, track=self.name) == STRICT,
            libraries=libraries_in(self.repositories),
        )


class RealCode(RepositoryTasks, declaration=REALCODE):
    """Track of MERA's rows with functions of Python repositories."""

    prompt_kind = "realcode"
    measures = RepositoryMeasures(_STUBS, _BASELINES)

    def read_row(self, fields: Fields) -> Task:
        """Read a task from a row. Raises DataError with file, line, field and hint."""
        return read_repository_task(fields, kind=self.name, path="fn", stub=False)

    def prompt(self, task: Task) -> str:
        """The row's instruction, filled in."""
        return fill(task.instruction, task.inputs)

    def prompt_values(self, task: Task, *, language: str, form: str) -> Mapping[str, str]:
        """The code before the body."""
        left_context = task.inputs["left_context"]
        return {"left_context": left_context, "fence": fence(left_context)}

    def gold(self, task: Task) -> str | None:
        """The reference body."""
        return fenced(task.meta["gt"], "python")

    def stub(self, task: Task) -> str:
        """`pass` in place of the body."""
        return fenced(self._stubs(task)["pass"], "python")

    def extract(self, task: Task, answer: Answer, *, profile: str) -> Extraction:
        """Extract the body. There is never a problem, because only the judge examines the environment."""
        reference, intent = task.meta["gt"], task.meta["intent"]
        if require_profile(profile, self.profiles, track=self.name) == EXACT:
            return Extraction(program=exact_body(answer.text, intent=intent, reference=reference), rule=EXACT)
        body = strict_body(answer.text, name=plain_name(intent), reference=reference)
        return Extraction(program=body, rule="body")

    def spec(self, task: Task, *, profile: str) -> RepositorySpec:
        """The place of the function, its tests, and programs that nobody had to write."""
        path, stubs = task.meta["fn"], self._stubs(task)
        return self.repository_spec(task, self._exact, profile=profile, lang="Python", path=path, stubs=stubs)

    def _exact(self, task: Task, text: str) -> str:
        return exact_body(text, intent=task.meta["intent"], reference=task.meta["gt"])

    def _stubs(self, task: Task) -> dict[str, str]:
        """MERA's two stubs, indented like the reference."""
        indent = " " * indentation(task.meta["gt"])
        return {"pass": f"{indent}pass", "empty_str": f'{indent}return ""'}


def plain_name(intent: str) -> str:
    """The name without its kind: `run` of `run[function]`, and `run` of `Job.run`."""
    return intent.partition("[")[0].rpartition(".")[2]


def fenced(code: str, tag: str) -> str:
    """The code as an answer: in a fenced block."""
    marks = fence(code)
    return f"{marks}{tag}\n{code.removesuffix(chr(10))}\n{marks}\n"


TRACK = RealCode()
