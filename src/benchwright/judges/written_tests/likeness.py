"""The judge of likeness: CodeBLEU of an answer and of baselines with the reference."""

from __future__ import annotations

from functools import partial

from benchwright.contracts import BASELINE, CodeBleuSpec, Extraction, Judgement, Pending
from benchwright.judges.judge_registry import Resources
from benchwright.lang.codebleu.code_bleu import CodeBleu, code_bleu
from benchwright.records import Outcome

CODE_BLEU = "code_bleu"


class CodeBleuJudge:
    """Scores answers from 0 to 1; an answer on which the library fails has 0, as with MERA."""

    spec = CodeBleuSpec

    def __init__(self, resources: Resources) -> None:
        self._likeness = Likeness()

    def judge(self, taken: Extraction, spec: CodeBleuSpec) -> Judgement | Pending:
        """Return a pending judgement: grammars read the texts in another process."""
        return partial(self._judged, taken.text, spec)

    def _judged(self, text: str, spec: CodeBleuSpec) -> Judgement:
        compared = compare(text, spec)
        scores = {**scores_of(compared), **self._likeness.baselines(spec)}
        return Judgement(outcome=Outcome.scored, scores=scores, detail=compared.failure)


class Likeness:
    """Scores of the baselines of the last spec. Answers to one task are consecutive."""

    def __init__(self) -> None:
        self._last: tuple[CodeBleuSpec, dict[str, float]] | None = None

    def baselines(self, spec: CodeBleuSpec) -> dict[str, float]:
        """CodeBLEU of each baseline, by `baseline_NAME`."""
        if self._last is None or self._last[0] != spec:
            found = {BASELINE + name: compare(text, spec).mean for name, text in spec.baselines.items()}
            self._last = spec, found
        return self._last[1]


def compare(text: str, spec: CodeBleuSpec) -> CodeBleu:
    """CodeBLEU of a text with the reference."""
    if spec.failure:
        return CodeBleu(failure=spec.failure)
    return code_bleu(text, spec.reference, spec.language)


def scores_of(compared: CodeBleu) -> dict[str, float]:
    """CodeBLEU and its four parts by name."""
    parts = {
        f"{CODE_BLEU}_{name}": getattr(compared, name) for name in ("ngrams", "weighted", "syntax", "flow")
    }
    return {CODE_BLEU: compared.mean, **parts}
