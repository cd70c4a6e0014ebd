"""The track of RealCodeJava: the body of a Java method, and what the tests of its repository decide.

`mera-exact`: MERA's extraction, which repairs braces; an answer passes if all tests pass. `strict`: the body
that the model means; tasks whose tests the row's stub passes are left out of the score.
"""

from __future__ import annotations

from collections.abc import Mapping

from benchwright.contracts import Extraction, RepositorySpec
from benchwright.records import Answer, Task
from benchwright.tracks.base import require_profile
from benchwright.tracks.prompt_templates import fence
from benchwright.tracks.realcode.measures import RepositoryMeasures
from benchwright.tracks.realcode.rows import read_repository_task
from benchwright.tracks.realcode.track import RepositoryTasks, fenced, plain_name
from benchwright.tracks.realcodejava import REALCODEJAVA
from benchwright.tracks.realcodejava.extraction import exact_method, strict_method
from benchwright.tracks.rows import Fields

STRICT, EXACT = REALCODEJAVA.profiles


class RealCodeJava(RepositoryTasks, declaration=REALCODEJAVA):
    """Track of MERA's rows with methods of Java repositories."""

    prompt_kind = "realcodejava"
    measures = RepositoryMeasures(
        {"pass": "the stub"}, {"empty": "an empty answer", "echo": "the given code"}
    )

    def read_row(self, fields: Fields) -> Task:
        """Read a task from a row. Raises DataError with file, line, field and hint."""
        return read_repository_task(fields, kind=self.name, path="file_path", stub=True)

    def prompt(self, task: Task) -> str:
        """The row's instruction with the fields replaced; its other braces are part of the text."""
        text = task.instruction
        for name, value in task.inputs.items():
            text = text.replace(f"{{{name}}}", value)
        return text

    def prompt_values(self, task: Task, *, language: str, form: str) -> Mapping[str, str]:
        """The code before the body."""
        left_context = task.inputs["left_context"]
        return {"left_context": left_context.rstrip("\n"), "fence": fence(left_context)}

    def gold(self, task: Task) -> str | None:
        """The reference body."""
        return fenced(task.meta["gt"], "java")

    def stub(self, task: Task) -> str:
        """The row's body without function."""
        return fenced(task.meta["stub"], "java")

    def extract(self, task: Task, answer: Answer, *, profile: str) -> Extraction:
        """Extract the body. There is never a problem, because only the judge examines the environment."""
        if require_profile(profile, self.profiles, track=self.name) == EXACT:
            return Extraction(program=self._exact(task, answer.text), rule=EXACT)
        meta = task.meta
        name = plain_name(meta["intent"])
        body = strict_method(answer.text, name=name, reference=meta["gt"])
        return Extraction(program=body, rule="body")

    def spec(self, task: Task, *, profile: str) -> RepositorySpec:
        """The place of the method, its tests, and programs that nobody had to write."""
        path, stubs = task.meta["file_path"], {"pass": task.meta["stub"]}
        return self.repository_spec(task, self._exact, profile=profile, lang="Java", path=path, stubs=stubs)

    def _exact(self, task: Task, text: str) -> str:
        meta = task.meta
        return exact_method(text, intent=meta["intent"], context=meta["left_context"], reference=meta["gt"])


TRACK = RealCodeJava()
