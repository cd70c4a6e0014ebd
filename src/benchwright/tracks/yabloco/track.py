"""The track of YABLoCo: a C or C++ function, and what the tests of its repository decide.

`mera-exact`: MERA's extraction; pass@1 by the tests, and equality with the reference but for spaces and
punctuation. `strict`: the function that the model means; tasks whose tests an empty body passes are left out.
"""

from __future__ import annotations

from collections.abc import Mapping

from benchwright.contracts import EXACT_MATCH, Extraction, RepositorySpec
from benchwright.records import Answer, Task
from benchwright.tracks.base import require_profile
from benchwright.tracks.prompt_templates import fence
from benchwright.tracks.realcode.clones import find_clone
from benchwright.tracks.realcode.measures import RepositoryMeasures
from benchwright.tracks.realcode.track import RepositoryTasks, fenced
from benchwright.tracks.rows import Fields
from benchwright.tracks.yabloco import YABLOCO
from benchwright.tracks.yabloco.extraction import exact_function, strict_function
from benchwright.tracks.yabloco.rows import LANGUAGES, MakeEnvironment, read_environment, read_task

STRICT, EXACT = YABLOCO.profiles
_TAGS = {"C": "c", "C++": "cpp"}


class YABLoCo(RepositoryTasks, declaration=YABLOCO):
    """Track of MERA's rows with functions of C and C++ repositories."""

    temperature = 0.0
    prompt_kind = "yabloco"
    measures = RepositoryMeasures(
        {"empty_body": "an empty body"},
        {"empty": "an empty answer", "echo": "the given code"},
        (EXACT_MATCH,),
    )

    def read_row(self, fields: Fields) -> Task:
        """Read a task from a row. Raises DataError with file, line, field and hint."""
        return read_task(fields)

    def prompt_values(self, task: Task, *, language: str, form: str) -> Mapping[str, str]:
        """The function's head and comment, the functions that it calls, and the language."""
        lang = LANGUAGES[task.inputs["language"]]
        marks = fence(*map(str, task.inputs.values()))
        return {**task.inputs, "language": lang, "tag": _TAGS[lang], "fence": marks}

    def gold(self, task: Task) -> str | None:
        """The reference function; None if it is hidden."""
        return fenced(task.outputs, self._tag(task)) if task.outputs else None

    def stub(self, task: Task) -> str:
        """The function with an empty body."""
        return fenced(_empty_body(task), self._tag(task))

    def extract(self, task: Task, answer: Answer, *, profile: str) -> Extraction:
        """Extract the function. There is never a problem, because only the judge examines the environment."""
        if require_profile(profile, self.profiles, track=self.name) == EXACT:
            return Extraction(program=exact_function(answer.text), rule=EXACT)
        return Extraction(program=strict_function(answer.text), rule="function")

    def spec(self, task: Task, *, profile: str) -> RepositorySpec:
        """The place of the function, the commands of its repository, and programs without skill."""
        meta, first = task.meta, task.meta["pos"]
        found, given = find_clone(self.repositories, meta["repository"]), MakeEnvironment()
        if self.repositories is not None and not found.missing:
            given = read_environment(self.repositories, meta["repository"])
        echo = fenced(task.inputs["context"], self._tag(task))
        return RepositorySpec(
            lang=LANGUAGES[task.inputs["language"]],
            clone=found.path,
            missing=found.missing or given.missing,
            commit=given.commit,
            path=meta["file"].partition("/")[2],
            placing="lines",
            first=first,
            last=first + meta["code_length"],
            gold=task.outputs or "",
            stubs={"empty_body": _empty_body(task)},
            baselines={"empty": exact_function(""), "echo": exact_function(echo)},
            strict=require_profile(profile, self.profiles, track=self.name) == STRICT,
            make=given.make,
            compared=bool(task.outputs),
        )

    def _tag(self, task: Task) -> str:
        return _TAGS[LANGUAGES[task.inputs["language"]]]


def _empty_body(task: Task) -> str:
    return f"{task.inputs['signature'].rstrip()}\n{{\n}}\n"


TRACK = YABLoCo()
