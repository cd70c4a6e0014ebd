"""Specs of code that a linter judges, and the name of baselines in scores."""

from __future__ import annotations

from typing import ClassVar

from benchwright.contracts.specs import Spec
from benchwright.records import Outcome

BASELINE = "baseline_"  # before the name of a baseline, in scores


class LintSpec(Spec, frozen=True, kw_only=True, tag="lint"):
    """Judged by flake8, which finds nothing in the extraction's program, and by comparison with given code.

    `baselines` are programs that need no skill, by name: each is judged once for a task by the same rules,
    `exact_baselines` by MERA's. The judgement has a score `baseline_NAME`, or `baseline_NAME_exact`: 1 if the
    program passes, else 0.
    """

    repeatable: ClassVar[bool] = True

    unreadable: ClassVar[Outcome] = Outcome.wrong

    code: str  # that the findings are about
    codes: tuple[str, ...] = ()  # of the findings, such as "E711"; changes that they require are allowed
    same: bool = True  # False: any program without findings passes, as with MERA
    environment: str = "flake8"  # the dependency profile of the linter
    noqa: bool = False  # True: comments can disable the linter, as with MERA
    baselines: dict[str, str] = {}
    exact_baselines: dict[str, str] = {}

    @property
    def executions(self) -> int:
        """The linter on the answer and on each baseline, and both programs where their trees differ."""
        return 4 + len(self.baselines) + len(self.exact_baselines)
