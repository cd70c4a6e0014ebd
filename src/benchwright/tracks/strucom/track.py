"""The track of StRuCom: a documentation comment in Russian, judged by likeness and by rules.

`mera-exact`: chrF of the answers as they came and the references, over the whole data set; nothing is
extracted. `strict`: the rules of the comments track in the style of each language, and chrF.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec.structs import replace

from benchwright.contracts import CommentSpec, DocumentationSpec, Extraction
from benchwright.records import Answer, Task
from benchwright.tracks.base import TrackBase, require_profile
from benchwright.tracks.comments.answers import altered, code_lines, take_commented
from benchwright.tracks.comments.track import Comments
from benchwright.tracks.prompt_templates import fence
from benchwright.tracks.rows import Fields, Refuse, task_error
from benchwright.tracks.strucom import STRUCOM
from benchwright.tracks.strucom.measures import DocumentationMeasures
from benchwright.tracks.strucom.placing import documented, framed
from benchwright.tracks.strucom.rows import language_of, plain_spec, read_task, strict_spec

STRICT, EXACT = STRUCOM.profiles
_REQUEST = {
    "en": "Document the function below in Russian, in the {style} style.",
    "ru": "Напишите к функции ниже документацию на русском языке в стиле {style}.",
    "zh": "请用俄文为下面的函数编写 {style} 风格的文档注释。",
}


class StRuCom(Comments, declaration=STRUCOM):
    """Track of MERA's rows of functions to document."""

    language = "ru"
    prompt_kind = "strucom"
    measures: DocumentationMeasures = DocumentationMeasures()

    def weighing(self, weights: Mapping[str, float]) -> StRuCom:
        """The track with different weights of format, accuracy and logic in the total."""
        other = StRuCom()
        other.weights, other.measures = weights, DocumentationMeasures(weights)
        return other

    def load(self, source: str | Path, *, refuse: Refuse | None = None) -> Iterator[Task]:
        """Read and check a data set."""
        return TrackBase.load(self, source, refuse=refuse)

    def read_row(self, fields: Fields) -> Task:
        """Read a task from a row. Raises DataError with file, line, field and hint."""
        return read_task(fields)

    def prompt_values(self, task: Task, *, language: str, form: str) -> Mapping[str, str]:
        """The function, its language, and the style of its documentation."""
        lang, _, title = language_of(task)
        function = task.inputs["function"].strip("\n")
        tag = task.meta["language"]
        return {"function": function, "lang": lang, "style": title, "tag": tag, "fence": fence(function)}

    def comment_spec(self, task: Task) -> CommentSpec:
        """The function and its reference; an empty function if its language cannot be read."""
        lang = language_of(task).lang
        return strict_spec(task).comments or CommentSpec(code="", lang=lang, language="ru")

    def request(self, task: Task, language: str) -> str:
        """The request that a model judge reads."""
        return _REQUEST[language].replace("{style}", language_of(task).title)

    def gold(self, task: Task) -> str | None:
        """The reference, if the rules can read the function; None for a hidden one."""
        return task.outputs or None if strict_spec(task).comments else None

    def stub(self, task: Task) -> str:
        """The function with an additional word, so that it is changed."""
        return altered(self._function_spec(task))

    def extract(self, task: Task, answer: Answer, *, profile: str) -> Extraction:
        """The answer as `text`. In "strict", the function with the documentation in it as `program`."""
        if require_profile(profile, self.profiles, track=self.name) == EXACT:
            return Extraction(program="", rule=profile, text=answer.text)
        lang, function = language_of(task).lang, task.inputs["function"]
        extraction = take_commented(answer, self._function_spec(task))
        head = next(line.strip() for line in function.split("\n") if line.strip())
        program, rule = extraction.program, extraction.rule
        if program and head not in code_lines(program):
            program, rule = documented(function, lang, program), "documentation"
        program = framed(program, lang) if program else ""
        return replace(extraction, program=program, rule=rule, problem=None, text=answer.text)

    def spec(self, task: Task, *, profile: str) -> DocumentationSpec:  # type: ignore[override]
        """The reference, and in "strict" the rules. Raises DataError for a hidden reference."""
        exact = require_profile(profile, self.profiles, track=self.name) == EXACT
        if not task.outputs:
            hint = "add --ask-only to store answers and export them, or name the file that has its golds"
            raise task_error(task, "the reference is hidden", field="outputs", hint=hint)
        return plain_spec(task) if exact else strict_spec(task)

    def _function_spec(self, task: Task) -> CommentSpec:
        return CommentSpec(code=task.inputs["function"], lang=language_of(task).lang)


TRACK = StRuCom()
