"""The track of ruCodeEval: ruHumanEval with the names of profiles that other tasks of MERA Code have.

Its rows look like those of ruHumanEval, so they are recognised as such: name the track, or its task set.
"""

from __future__ import annotations

from benchwright.contracts import Extraction, Spec
from benchwright.records import Answer, Task
from benchwright.tracks.functions.ruhumaneval import RuHumanEval
from benchwright.tracks.rucodeeval import MERA_EXACT, RUCODEEVAL


class RuCodeEval(RuHumanEval, declaration=RUCODEEVAL):
    """Track of MERA's private rows of function completion."""

    def extract(self, task: Task, answer: Answer, *, profile: str) -> Extraction:
        """Extract the program; `mera-exact` is the rule `mera-code`."""
        return super().extract(task, answer, profile=_rule(profile))

    def spec(self, task: Task, *, profile: str) -> Spec:
        """Calls and expected results. Raises DataError for hidden outputs."""
        return super().spec(task, profile=_rule(profile))


def _rule(profile: str) -> str:
    return "mera-code" if profile == MERA_EXACT else profile


TRACK = RuCodeEval()
