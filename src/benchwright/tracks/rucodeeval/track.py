"""The track of ruCodeEval: ruHumanEval with baselines and the profile names of other tasks of MERA Code.

Its rows look like those of ruHumanEval, so they are recognised as such: name the track, or its task set.
"""

from __future__ import annotations

import msgspec

from benchwright.contracts import CompletionSpec, Extraction, MeraCompletionSpec
from benchwright.records import Answer, Task
from benchwright.tracks.functions.baselines import PassBesideBaselines
from benchwright.tracks.functions.ruhumaneval import RuHumanEval
from benchwright.tracks.prompt_templates import fence
from benchwright.tracks.rucodeeval import MERA_EXACT, RUCODEEVAL

BASELINES = {"empty": "an empty answer", "echo": "the given code", "stub": "a body that raises"}


class RuCodeEval(RuHumanEval, declaration=RUCODEEVAL):
    """Track of MERA's private rows of function completion."""

    measures = PassBesideBaselines(BASELINES)

    def extract(self, task: Task, answer: Answer, *, profile: str) -> Extraction:
        """Extract the program; `mera-exact` is the rule `mera-code`."""
        return super().extract(task, answer, profile=_rule(profile))

    def spec(self, task: Task, *, profile: str) -> CompletionSpec | MeraCompletionSpec:
        """Calls, expected results and baselines. Raises DataError for hidden outputs."""
        fields = msgspec.structs.asdict(super().spec(task, profile=_rule(profile)))
        baselines = self._baselines(task, profile)
        if profile == MERA_EXACT:
            return MeraCompletionSpec(**fields, baselines=baselines)
        return CompletionSpec(**fields, baselines=baselines, exact=self._exact(task))

    def _exact(self, task: Task) -> MeraCompletionSpec:
        fields = msgspec.structs.asdict(super().spec(task, profile=_rule(MERA_EXACT)))
        return MeraCompletionSpec(**fields, baselines=self._baselines(task, MERA_EXACT))

    def _baselines(self, task: Task, profile: str) -> dict[str, str]:
        """The programs in answers that need no skill."""
        head = task.inputs["function"]
        marks = fence(head)
        texts = {"empty": "", "echo": f"{marks}python\n{head.rstrip()}\n{marks}\n", "stub": self.stub(task)}
        blank = Answer(key="", task_id=task.task_id, sample=0, model="baseline", text="")
        answers = {name: msgspec.structs.replace(blank, text=text) for name, text in texts.items()}
        return {name: self.extract(task, each, profile=profile).program for name, each in answers.items()}


def _rule(profile: str) -> str:
    return "mera-code" if profile == MERA_EXACT else profile


TRACK = RuCodeEval()
