"""The judge of review remarks by rules: how many there are, and their likeness to the reviewer's remark.

`bleu` and `chrf` are those of the best remark, from 0 to 1; 0 without a remark. As in MERA's scorer, the
reviewer's remark is the compared text and the model's remark the reference, as the brevity penalty shows.
"""

from __future__ import annotations

from benchwright.contracts import Extraction, Judgement, ReviewSpec
from benchwright.judges.judge_registry import Resources
from benchwright.records import Outcome
from benchwright.text.remarks import REMARKS, likeness, remarks_by_mera, remarks_in


class ReviewJudge:
    """Judges answers by rules, without delay."""

    spec = ReviewSpec

    def __init__(self, resources: Resources) -> None:
        pass

    def judge(self, taken: Extraction, spec: ReviewSpec) -> Judgement:
        """Return the judgement at once."""
        remarks = (remarks_by_mera if spec.exact else remarks_in)(taken.text)
        scores = {REMARKS: float(len(remarks)), **likeness(remarks, spec.reference)}
        if spec.exact:
            return Judgement(outcome=Outcome.scored, scores=scores)
        if not remarks:
            return Judgement(outcome=Outcome.wrong, scores=scores, detail="the answer has no remark")
        detail = f"{len(remarks)} remarks; whether one is the reviewer's needs a model judge (--judge)"
        return Judgement(outcome=Outcome.undecided, scores=scores, detail=detail)
