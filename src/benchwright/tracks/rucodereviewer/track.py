"""The track of ruCodeReviewer: up to ten remarks on a change, held against the remark of one reviewer.

`mera-exact`: MERA's extraction, BLEU and chrF of the best remark, and a judge asked in plain words, whose
reply counts by its first or last word. `strict`: a judge with marks around all texts, a reply by schema and a
self-check; it decides for each remark whether it is the reviewer's, another sound one or a false alarm.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from benchwright.contracts import Assessment, Extraction, JudgeInput, ReviewSpec
from benchwright.records import Answer, Task, Verdict
from benchwright.text.remarks import HEAD, MOST, numbered, remarks_by_mera, remarks_in
from benchwright.tracks.base import MeraTrack, require_profile
from benchwright.tracks.issues.track import take_text
from benchwright.tracks.prompt_templates import fence, fill
from benchwright.tracks.rows import Fields, task_error
from benchwright.tracks.rucodereviewer import RUCODEREVIEWER
from benchwright.tracks.rucodereviewer.measures import ReviewMeasures, assessed
from benchwright.tracks.rucodereviewer.rows import read_task

STRICT, EXACT = RUCODEREVIEWER.profiles
_RUBRICS = {STRICT: ("remarks",), EXACT: ("remarks_mera",)}
LANGUAGE = "ru"  # of remarks and of the prompts to judges


class RuCodeReviewer(MeraTrack, declaration=RUCODEREVIEWER):
    """Track of MERA's rows of changes to review."""

    language = LANGUAGE
    prompt_kind = "rucodereviewer"
    measures = ReviewMeasures()
    rubrics = _RUBRICS[STRICT]
    most_parts = MOST

    def read_row(self, fields: Fields) -> Task:
        """Read a task from a row. Raises DataError with file, line, field and hint."""
        return read_task(fields)

    def prompt(self, task: Task) -> str:
        """The row's instruction, filled in; MERA does not strip it."""
        return fill(task.instruction, task.inputs)

    def prompt_values(self, task: Task, *, language: str, form: str) -> Mapping[str, str]:
        """The change."""
        diff = task.inputs["diff_block"]
        return {"diff": diff.strip("\n"), "fence": fence(diff), "head": HEAD}

    def gold(self, task: Task) -> str | None:
        """The reviewer's remark as the only one; None for a hidden one."""
        return numbered([task.outputs]) if task.outputs else None

    def stub(self, task: Task) -> str:
        """Nothing."""
        return ""

    def extract(self, task: Task, answer: Answer, *, profile: str) -> Extraction:
        """The answer as `text`: as it came in "mera-exact", without reasoning in "strict"."""
        if require_profile(profile, self.profiles, track=self.name) == EXACT:
            return Extraction(program="", rule=profile, text=answer.text)
        extraction = take_text(answer)
        return replace(extraction, program="", text=extraction.program)

    def spec(self, task: Task, *, profile: str) -> ReviewSpec:
        """The reviewer's remark. Raises DataError for a hidden one."""
        exact = require_profile(profile, self.profiles, track=self.name) == EXACT
        if not task.outputs:
            hint = "add --ask-only to store answers and export them, or name the file that has its golds"
            raise task_error(task, "the reference is hidden", field="outputs", hint=hint)
        return ReviewSpec(reference=task.outputs, exact=exact)

    def rubrics_of(self, profile: str) -> tuple[str, ...]:
        """The rubric of a profile."""
        return _RUBRICS[require_profile(profile, self.profiles, track=self.name)]

    def exhibit(self, task: Task, answer: Answer, taken: Extraction, verdict: Verdict) -> JudgeInput | None:
        """None: remarks are judged one by one."""
        return None

    def exhibits(self, task: Task, taken: Extraction, *, profile: str) -> list[JudgeInput]:
        """The change, the reviewer's remark and one remark of the answer, for each remark."""
        diff, known = task.inputs["diff_block"], task.outputs
        if profile == EXACT:
            texts = {"diff_block": diff, "comment1": known}
            return [JudgeInput("remarks_mera", LANGUAGE, texts, each) for each in remarks_by_mera(taken.text)]
        title = "Замечание рецензента"
        sections = {"Изменение кода": diff, title: known}
        return [
            JudgeInput("remarks", LANGUAGE, sections, each, 1, known=(title,))
            for each in remarks_in(taken.text)
        ]

    def assessed(self, task: Task, verdict: Verdict, assessments: Sequence[Assessment]) -> Verdict:
        """The verdict with the judges' decisions on each remark."""
        return assessed(verdict, assessments, exact=verdict.profile == EXACT)


TRACK = RuCodeReviewer()
