"""Compare a parsed label with the expected one.

Nothing is executed, so there is no sandbox; the expected label never leaves the trusted side.
"""

from __future__ import annotations

from benchwright.contracts import Extraction, Judgement, LabelSpec
from benchwright.display.escape import escaped_start
from benchwright.judges.judge_registry import Resources
from benchwright.judges.reasons import DETAIL_LIMIT
from benchwright.records import Outcome


class LabelJudge:
    """Judges labels that a track took from answers, as `program`."""

    spec = LabelSpec

    def __init__(self, resources: Resources) -> None: ...

    def judge(self, taken: Extraction, spec: LabelSpec) -> Judgement:
        """Return the judgement at once."""
        outcome = Outcome.passed if taken.program == spec.expected else Outcome.wrong
        detail = f"said {taken.program}, expected {spec.expected}; {taken.rule}: {taken.detail}"
        parts = {taken.program: outcome} if taken.program in spec.classes else {}
        return Judgement(outcome=outcome, detail=escaped_start(detail, DETAIL_LIMIT), parts=parts)
