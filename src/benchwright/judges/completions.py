"""Judges of completed functions that also judge, once for a task, the answers that need no skill."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Generic, TypeVar

from msgspec.structs import replace

from benchwright.contracts import (
    BASELINE,
    BatchSpec,
    CompletionSpec,
    Extraction,
    Judgement,
    MeraCompletionSpec,
    MeraSpec,
    Pending,
    ProgramSpec,
)
from benchwright.judges.judge_registry import Resources
from benchwright.judges.python import BatchJudge, MeraJudge
from benchwright.records import Outcome

S = TypeVar("S", bound=ProgramSpec)
Scores = dict[str, float]


class OncePerTask(Generic[S]):
    """Scores of the baselines, judged once: answers to one task are consecutive."""

    def __init__(self, judge: Callable[[S], Scores]) -> None:
        self._judge = judge
        self._last: tuple[S, Scores] | None = None

    def __call__(self, spec: S) -> Scores:
        """Return the scores of the baselines of a task."""
        if self._last is None or self._last[0] != spec:
            self._last = spec, self._judge(spec)
        return self._last[1]


class MeraCompletionJudge(MeraJudge):
    """MERA's rules, for an answer and the baselines."""

    spec = MeraCompletionSpec

    def __init__(self, resources: Resources) -> None:
        super().__init__(resources)
        self.ends = OncePerTask(self._baselines)

    def judge(self, taken: Extraction, spec: MeraSpec) -> Judgement | Pending:
        """Return a judgement with the scores of the baselines."""
        found = super().judge(taken, spec)
        return partial(_scored, found, self.ends, spec) if isinstance(spec, MeraCompletionSpec) else found

    def _baselines(self, spec: MeraCompletionSpec) -> Scores:
        return _ends(super().judge, spec.baselines, spec)


class CompletionJudge(BatchJudge):
    """Values of calls, for an answer and the baselines, and the same baselines by MERA's rules."""

    spec = CompletionSpec

    def __init__(self, resources: Resources) -> None:
        super().__init__(resources)
        self._exact = MeraCompletionJudge(resources)
        self._ends = OncePerTask(self._baselines)

    def judge(self, taken: Extraction, spec: BatchSpec) -> Judgement | Pending:
        """Return a judgement with the scores of the baselines."""
        found = super().judge(taken, spec)
        return partial(_scored, found, self._ends, spec) if isinstance(spec, CompletionSpec) else found

    def _baselines(self, spec: CompletionSpec) -> Scores:
        exact = self._exact.ends(spec.exact) if spec.exact else {}
        ends = _ends(super().judge, spec.baselines, spec)
        return ends | {f"{name}_exact": end for name, end in exact.items()}


def _ends(
    judge: Callable[[Extraction, S], Judgement | Pending], programs: Mapping[str, str], spec: S
) -> Scores:
    """1 for a program that passes, else 0; nothing if the sandbox failed."""
    judged = {
        name: _ended(judge(Extraction(program=text, rule=BASELINE), spec)).outcome
        for name, text in programs.items()
    }
    known = {name: end for name, end in judged.items() if end is not Outcome.sandbox_error}
    return {BASELINE + name: float(end is Outcome.passed) for name, end in known.items()}


def _ended(found: Judgement | Pending) -> Judgement:
    return found if isinstance(found, Judgement) else found()


def _scored(found: Judgement | Pending, ends: Callable[[S], Scores], spec: S) -> Judgement:
    judgement = _ended(found)
    return replace(judgement, scores={**judgement.scores, **ends(spec)})
