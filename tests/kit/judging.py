"""Judging a program with no worker around."""

from __future__ import annotations

from contextlib import ExitStack

from benchwright.contracts import Extraction, Judgement, Spec
from benchwright.judges.judge_registry import Judges, Resources
from benchwright.sandbox.box import Sandbox


class ProgramJudge:
    """Judges programs by any spec in one sandbox. Raises what the sandbox raises."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._judges = Judges(Resources(sandbox, ExitStack()))

    def judge(self, program: str, spec: Spec) -> Judgement:
        """The judgement of a program that stands for itself."""
        return self.judge_taken(Extraction(program=program, rule=""), spec)

    def judge_taken(self, taken: Extraction, spec: Spec) -> Judgement:
        """The judgement of what was read from an answer."""
        found = self._judges.of(spec).judge(taken, spec)
        return found if isinstance(found, Judgement) else found()
