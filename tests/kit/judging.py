"""Judges a program without a worker."""

from __future__ import annotations

from contextlib import ExitStack

from benchwright.contracts import Extraction, Judgement, Spec
from benchwright.judges.judge_registry import Judges, Resources
from benchwright.sandbox.box import Sandbox


class ProgramJudge:
    """Judges programs by any spec in one sandbox. Raises the errors of the sandbox."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._judges = Judges(Resources(sandbox, ExitStack()))

    def judge(self, program: str, spec: Spec) -> Judgement:
        """Return the judgement of a program that is complete by itself."""
        return self.judge_taken(Extraction(program=program, rule=""), spec)

    def judge_taken(self, taken: Extraction, spec: Spec) -> Judgement:
        """Return the judgement of an extracted answer."""
        found = self._judges.of(spec).judge(taken, spec)
        return found if isinstance(found, Judgement) else found()
