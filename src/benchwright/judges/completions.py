"""Judges of completed functions that also judge, once for a task, the answers that need no skill."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TypeVar

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


class MeraCompletionJudge(MeraJudge):
    """MERA's rules, for an answer and the baselines."""

    spec = MeraCompletionSpec

    def __init__(self, resources: Resources) -> None:
        super().__init__(resources)
        self._last: tuple[MeraCompletionSpec, dict[str, float]] | None = None

    def judge(self, taken: Extraction, spec: MeraSpec) -> Pending:
        """Return a pending judgement with the scores of the baselines."""
        return partial(self._completed, super().judge(taken, spec), spec)

    def ends(self, spec: MeraCompletionSpec) -> dict[str, float]:
        """Return the scores of the baselines, judged once: answers to one task are consecutive."""
        if self._last is None or self._last[0] != spec:
            self._last = spec, _ends(super().judge, spec.baselines, spec)
        return self._last[1]

    def _completed(self, found: Judgement | Pending, spec: MeraSpec) -> Judgement:
        judgement = _ended(found)
        return _scored(judgement, self.ends(spec)) if isinstance(spec, MeraCompletionSpec) else judgement


class CompletionJudge(BatchJudge):
    """Values of calls, for an answer and the baselines, and the same baselines by MERA's rules."""

    spec = CompletionSpec

    def __init__(self, resources: Resources) -> None:
        super().__init__(resources)
        self._exact = MeraCompletionJudge(resources)
        self._last: tuple[CompletionSpec, dict[str, float]] | None = None

    def judge(self, taken: Extraction, spec: BatchSpec) -> Pending:
        """Return a pending judgement with the scores of the baselines."""
        return partial(self._completed, super().judge(taken, spec), spec)

    def ends(self, spec: CompletionSpec) -> dict[str, float]:
        """Return the scores of the baselines, judged once: answers to one task are consecutive."""
        if self._last is None or self._last[0] != spec:
            exact = self._exact.ends(spec.exact) if spec.exact else {}
            ends = _ends(super().judge, spec.baselines, spec)
            self._last = spec, ends | {f"{name}_exact": end for name, end in exact.items()}
        return self._last[1]

    def _completed(self, found: Judgement | Pending, spec: BatchSpec) -> Judgement:
        judgement = _ended(found)
        return _scored(judgement, self.ends(spec)) if isinstance(spec, CompletionSpec) else judgement


def _ends(
    judge: Callable[[Extraction, S], Judgement | Pending], programs: Mapping[str, str], spec: S
) -> dict[str, float]:
    """1 for a program that passes, else 0; nothing if the sandbox failed."""
    judged = {
        name: _ended(judge(Extraction(program=text, rule=BASELINE), spec)).outcome
        for name, text in programs.items()
    }
    known = {name: end for name, end in judged.items() if end is not Outcome.sandbox_error}
    return {BASELINE + name: float(end is Outcome.passed) for name, end in known.items()}


def _ended(found: Judgement | Pending) -> Judgement:
    return found if isinstance(found, Judgement) else found()


def _scored(judgement: Judgement, ends: Mapping[str, float]) -> Judgement:
    return replace(judgement, scores={**judgement.scores, **ends})
