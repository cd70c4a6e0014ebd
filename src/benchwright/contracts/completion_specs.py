"""Specs of completed functions that are judged together with answers that need no skill."""

from __future__ import annotations

from benchwright.contracts.specs import BatchSpec, MeraSpec


class MeraCompletionSpec(MeraSpec, frozen=True, kw_only=True, tag="mera-completion"):
    """Judged like a MeraSpec. The judgement has a score `baseline_NAME` for each program of `baselines`.

    The score is 1 if the program passes, else 0; it is missing if the sandbox failed.
    """

    baselines: dict[str, str] = {}

    @property
    def executions(self) -> int:
        """The answer and each baseline."""
        return 1 + len(self.baselines)


class CompletionSpec(BatchSpec, frozen=True, kw_only=True, tag="completion"):
    """Judged like a BatchSpec. It has the same scores, and `baseline_NAME_exact` for those of `exact`."""

    baselines: dict[str, str] = {}
    exact: MeraCompletionSpec | None = None

    @property
    def executions(self) -> int:
        """The answer and each baseline."""
        return 1 + len(self.baselines) + (len(self.exact.baselines) if self.exact else 0)
