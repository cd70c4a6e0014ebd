"""A judge: an answer passes when it is short enough. And a track that has answers to HumanEval judged so.

[project.entry-points."benchwright.judges"]
length = "length_judge:LengthJudge"

[project.entry-points."benchwright.tracks"]
brief = "length_judge:BRIEF"
"""

from typing import ClassVar

from benchwright.contracts import Extraction, Judgement, Spec
from benchwright.judges.judge_registry import Resources
from benchwright.records import Outcome, Task
from benchwright.tracks.functions.humaneval import HumanEval


class LengthSpec(Spec, frozen=True, kw_only=True, tag="length"):
    """What the judge needs; the tag is its name in the registry."""

    executes: ClassVar[bool] = False  # so a few workers do for thousands

    most: int  # characters


class LengthJudge:
    """Opened once in each worker. It could use the sandbox of `resources`; a length needs none."""

    spec = LengthSpec

    def __init__(self, resources: Resources) -> None: ...

    def judge(self, taken: Extraction, spec: LengthSpec) -> Judgement:
        """Passed or wrong, with a score beside it that is kept in verdicts.jsonl."""
        length = len(taken.program)
        outcome = Outcome.passed if length <= spec.most else Outcome.wrong
        scores = {"brevity": min(1.0, spec.most / max(length, 1))}
        return Judgement(outcome=outcome, detail=f"{length} characters, {spec.most} at most", scores=scores)


class Brief(HumanEval):
    """HumanEval, where an answer may be half as long again as the task's own solution."""

    name, title = "brief", "Brief HumanEval"

    def in_form(self, form: str) -> "Brief":
        return self

    def stub(self, task: Task) -> str:
        return "    return None" + "  # and so on" * 1000

    def spec(self, task: Task, *, profile: str) -> LengthSpec:
        own = f"{task.inputs['function']}{task.meta['canonical_solution']}"
        return LengthSpec(most=len(own) * 3 // 2)


BRIEF = Brief()
