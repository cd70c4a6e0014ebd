"""Issues: a question from a project's tracker, compared with the answers given there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from benchwright.contracts import Assessment, Extraction, IssueSpec, JudgeInput
from benchwright.contracts.assessing import judge_language
from benchwright.records import Answer, Outcome, Task, Verdict
from benchwright.store.strict_json import replace_lone
from benchwright.text.extract import CUT_OFF, MAX_BYTES
from benchwright.text.normalisation import drop_marks, normalise, strip_reasoning
from benchwright.tracks.base import MeraTrack
from benchwright.tracks.collected.records import load_collected
from benchwright.tracks.issues import ISSUES
from benchwright.tracks.issues.measures import ACC, PARTLY, IssueMeasures, assessed
from benchwright.tracks.issues.rows import build, spec_of, to_row
from benchwright.tracks.prompt_templates import fill
from benchwright.tracks.rows import Refuse

RUBRIC = "issues"
DECISION = "decision"  # the field that people fill in
SETTLED = ("nothing_said", "refusal")  # scores of an answer settled by rules


class Issues(MeraTrack, declaration=ISSUES):
    """Track of questions with several reference answers."""

    prompt_kind = "issues"
    measures = IssueMeasures()
    rubrics = (RUBRIC,)

    def load(self, source: str | Path, *, refuse: Refuse | None = None) -> Iterator[Task]:
        """Read and check a data set of rows, or of collected records, whose authors get pseudonyms."""
        return load_collected(source, build, to_row, refuse=refuse)

    def prompt(self, task: Task) -> str:
        """The row's instruction, filled in."""
        return fill(task.instruction, {"body": "", **task.inputs}).strip()

    def prompt_values(self, task: Task, *, language: str, form: str) -> Mapping[str, str]:
        """The question and its text."""
        return {"question": task.inputs["question"].strip(), "body": task.inputs.get("body", "").strip()}

    def gold(self, task: Task) -> str | None:
        """The strongest reference answer."""
        return spec_of(task).references[0].body

    def stub(self, task: Task) -> str:
        """Nothing."""
        return ""

    def extract(self, task: Task, answer: Answer, *, profile: str) -> Extraction:
        """The answer's text without reasoning, as `program`."""
        return take_text(answer)

    def spec(self, task: Task, *, profile: str) -> IssueSpec:
        """The question and its reference answers, the strongest first."""
        return spec_of(task)

    def exhibit(self, task: Task, answer: Answer, taken: Extraction, verdict: Verdict) -> JudgeInput | None:
        """Question and all reference answers; None for an answer settled by rules."""
        if taken.problem or verdict.outcome.is_missing or any(name in verdict.scores for name in SETTLED):
            return None
        spec = spec_of(task)
        language = judge_language(task.inputs.get("language"))
        sections = {"Question": f"{spec.question}\n\n{spec.body}".strip()}
        if spec.asked_at:
            sections["Asked at"] = spec.asked_at
        known = {
            f"Reference answer {number} ({each.strength.replace('_', ' ')})": each.body
            for number, each in enumerate(spec.references, 1)
        }
        all_sections = {**sections, **known}
        return JudgeInput(RUBRIC, language, all_sections, taken.program, len(known), known=tuple(known))

    def assessed(self, task: Task, verdict: Verdict, assessments: Sequence[Assessment]) -> Verdict:
        """The verdict with the judges' assessments included."""
        return assessed(spec_of(task), verdict, assessments)

    def by_people(self, said: Mapping[str, float | str]) -> dict[str, float]:
        """Shares correct and partly correct, as people decided."""
        decision = said.get(DECISION)
        return (
            {}
            if decision is None
            else {ACC: float(decision == "correct"), PARTLY: float(decision == "partly")}
        )

    def by_verdict(self, verdict: Verdict) -> dict[str, float]:
        """The same figures from a verdict."""
        if not verdict.outcome.is_decided:
            return {}
        ends = {ACC: Outcome.passed, PARTLY: Outcome.scored}
        return {name: float(verdict.outcome is end) for name, end in ends.items()}

    def stratum(self, task: Task) -> str:
        """Programming language in the row's meta, else language of the question."""
        language = task.meta.get("lang") or task.inputs.get("lang") or task.inputs.get("language") or ""
        return language if isinstance(language, str) else ""


def take_text(answer: Answer) -> Extraction:
    """Extract an answer's text without reasoning, as `program`; a text over the limit is not read."""
    if len(answer.text) > MAX_BYTES:
        detail = f"the answer has {len(answer.text):,} characters, more than {MAX_BYTES:,}"
        return Extraction(program="", rule="none", problem=Outcome.unparsable.value, detail=detail)
    stripped = strip_reasoning(normalise(answer.text))
    return Extraction(
        program=replace_lone(drop_marks(stripped.text)).strip(),
        rule="reasoning+text" if stripped.found else "text",
        truncated=answer.finish_reason in CUT_OFF or stripped.truncated,
    )


TRACK = Issues()
