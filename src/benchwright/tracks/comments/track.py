"""Comments: add comments to given code without changing it; scored for format, accuracy and logic."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from pathlib import Path

from benchwright.contracts import Assessment, CommentSpec, Extraction, JudgeInput
from benchwright.contracts.assessing import judge_language
from benchwright.records import Answer, Outcome, Task, Verdict
from benchwright.tracks.base import MeraTrack
from benchwright.tracks.collected.records import load_collected
from benchwright.tracks.comments import COMMENTS
from benchwright.tracks.comments.answers import altered, commented, take_commented
from benchwright.tracks.comments.measures import PARTS, TOTAL, WEIGHTS, CommentMeasures, assessed, total
from benchwright.tracks.comments.rows import build, spec_of, to_row
from benchwright.tracks.prompt_templates import fence
from benchwright.tracks.rows import Refuse

RUBRIC = "comments"
_TASK = {
    "en": "Add comments to the code below.",
    "ru": "Добавьте комментарии к коду ниже.",
    "zh": "请为下面的代码添加注释。",
}
_STYLE = {
    "en": " Write documentation comments in the {style} style.",
    "ru": " Документирующие комментарии оформите в стиле {style}.",
    "zh": "文档注释请使用 {style} 风格。",
}
_WRITTEN_IN = {
    "en": {
        "en": " Write them in English.",
        "ru": " Write them in Russian.",
        "zh": " Write them in Chinese.",
    },
    "ru": {"en": " Пишите их по-английски.", "ru": " Пишите их по-русски.", "zh": " Пишите их по-китайски."},
    "zh": {"en": "请用英文书写。", "ru": "请用俄文书写。", "zh": "请用中文书写。"},
}


class Comments(MeraTrack, declaration=COMMENTS):
    """Track of code to be commented."""

    judging = 4  # "false" in a Russian text is a value
    prompt_kind = "comments"
    measures = CommentMeasures()
    rubrics = (RUBRIC,)
    weights: Mapping[str, float] = WEIGHTS

    def weighing(self, weights: Mapping[str, float]) -> Comments:
        """The track with different weights of format, accuracy and logic in the total."""
        other = copy(self)
        other.weights, other.measures = weights, CommentMeasures(weights)
        return other

    def load(self, source: str | Path, *, refuse: Refuse | None = None) -> Iterator[Task]:
        """Read and check a data set of rows, or of collected records, whose authors get pseudonyms."""
        return load_collected(source, build, to_row, refuse=refuse)

    def prompt_values(self, task: Task, *, language: str, form: str) -> Mapping[str, str]:
        """The request and the code. The last of six prompts asks for a list of comments by line."""
        code: str = task.inputs["code"]
        return {
            "task": self.request(task, language),
            "code": code.strip("\n"),
            "lang": task.inputs["lang"],
            "tag": task.inputs["lang"].lower(),
            "fence": fence(code),
        }

    def comment_spec(self, task: Task) -> CommentSpec:
        """The code and its reference comments."""
        return spec_of(task)

    def request(self, task: Task, language: str) -> str:
        """The row's description or the default one, with requested style and language of the comments."""
        return _request(task, language)

    def gold(self, task: Task) -> str | None:
        """The code with the reference comments; None if there are none."""
        return commented(spec_of(task))

    def stub(self, task: Task) -> str:
        """The code with an additional word, so that it is changed."""
        return altered(spec_of(task))

    def extract(self, task: Task, answer: Answer, *, profile: str) -> Extraction:
        """Extract the commented code, as `program`."""
        return take_commented(answer, spec_of(task))

    def spec(self, task: Task, *, profile: str) -> CommentSpec:
        """The code and its reference comments."""
        return spec_of(task)

    def exhibit(self, task: Task, answer: Answer, taken: Extraction, verdict: Verdict) -> JudgeInput | None:
        """Code, reference comments and commented code; None unless the answer is scored by rules."""
        if verdict.outcome is not Outcome.scored:
            return None
        spec = self.comment_spec(task)
        language = judge_language(spec.language)
        code = f"Code ({spec.lang})"
        sections = {"Task": self.request(task, language).strip(), code: spec.code}
        known = {}
        if spec.annotations:
            reference_lines = (f"line {each.line}: {each.text}" for each in spec.annotations)
            known["Reference annotations"] = "\n".join(reference_lines)
        if spec.comment:
            known["Reference comment"] = spec.comment
        all_sections = {**sections, **known}
        return JudgeInput(
            RUBRIC, language, all_sections, taken.program, known=tuple(known), code=code, lang=spec.lang
        )

    def assessed(self, task: Task, verdict: Verdict, assessments: Sequence[Assessment]) -> Verdict:
        """The verdict with the judges' assessments included."""
        return assessed(verdict, assessments, self.weights)

    def by_people(self, said: Mapping[str, float | str]) -> dict[str, float]:
        """Grades from 1 to 5 as shares of the best grade, and the total if all parts were graded."""
        found = {name: (float(said[name]) - 1) / 4 for name in PARTS if name in said}
        whole = {TOTAL: total(found, self.weights)} if len(found) == len(PARTS) else {}
        return {**whole, **found}

    def by_verdict(self, verdict: Verdict) -> dict[str, float]:
        """Scores by rules and judges."""
        if verdict.outcome is Outcome.scored:
            return {name: verdict.scores[name] for name in (TOTAL, *PARTS) if name in verdict.scores}
        return dict.fromkeys((TOTAL, *PARTS), 0.0) if verdict.outcome.is_decided else {}

    def stratum(self, task: Task) -> str:
        """The programming language."""
        return self.comment_spec(task).lang


def _request(task: Task, language: str) -> str:
    """The row's description or the default one, with requested style and language of the comments."""
    inputs = task.inputs
    description = inputs.get("description", "").strip() or _TASK[language]
    style = inputs.get("style", "")
    style_request = _STYLE[language].replace("{style}", style) if style else ""
    return description + style_request + _WRITTEN_IN[language].get(inputs.get("language", ""), "")


TRACK = Comments()
