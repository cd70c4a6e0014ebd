"""The judge of a documentation comment: n-grams in common with the reference, and the rules of comments.

chrF of a data set is computed from the counts of all its answers, so each judgement stores its own: `chrf_N`
are the numbers of common character n-grams by order, then those of the answer, then those of the reference.
"""

from __future__ import annotations

from msgspec.structs import replace

from benchwright.contracts import DocumentationSpec, Extraction, Judgement
from benchwright.judges.comments.judge import CommentJudge
from benchwright.judges.judge_registry import Resources
from benchwright.records import Outcome
from benchwright.text.chrf import chrf_counts

COUNT = "chrf_"  # before the place of a number, in scores
_OTHER_CHRF = "chrf"  # that of single comments, with words


class DocumentationJudge:
    """Judges answers by a reference and, if the spec asks for it, by rules."""

    spec = DocumentationSpec

    def __init__(self, resources: Resources) -> None:
        self._comments = CommentJudge(resources)

    def judge(self, taken: Extraction, spec: DocumentationSpec) -> Judgement:
        """Return the judgement at once."""
        judged = self._by_rules(taken, spec) if spec.by_rules else Judgement(outcome=Outcome.scored)
        scores = {name: value for name, value in judged.scores.items() if name != _OTHER_CHRF}
        counts = chrf_counts(taken.text, spec.reference, words=0)
        return replace(
            judged, scores={**scores, **{f"{COUNT}{at:02}": float(n) for at, n in enumerate(counts)}}
        )

    def _by_rules(self, extraction: Extraction, spec: DocumentationSpec) -> Judgement:
        if spec.comments is None:
            return Judgement(outcome=Outcome.undecided, detail=spec.problem)
        if not extraction.program.strip():
            return Judgement(outcome=Outcome.no_code, detail="nothing is left of the answer")
        return self._comments.judge(extraction, spec.comments)
