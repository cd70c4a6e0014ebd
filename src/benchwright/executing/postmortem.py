"""Decide the outcome of a job whose worker died.

A worker that dies while it reads an answer's text or checks its values died because of them: this is the
outcome of the answer. It is not a sandbox failure, which would remove the answer from the score. A death in
another phase is the machine's fault, unless it happens again.
"""

from __future__ import annotations

import signal
from collections.abc import Sequence
from typing import NamedTuple

from benchwright.contracts import Judgement, Spec
from benchwright.executing.guard import END_BY_CLOCK
from benchwright.executing.phase import Phase
from benchwright.records import Outcome

ATTEMPTS = 3
_DOING = {Phase.reading: "reading its text", Phase.checking: "checking its values"}


class Death(NamedTuple):
    """The death of a worker with a job: `status` is the exit status of `subprocess`, `why` is for people."""

    why: str
    phase: Phase
    status: int
    late: bool = False  # it was ended by the runner, because it did not answer


def judge_deaths(deaths: Sequence[Death], spec: Spec) -> Judgement | None:
    """Return the judgement of a job that ended workers; None to try again."""
    own = [death for death in deaths if death.phase.is_the_answers]
    if own and own[-1] is deaths[-1] and own[-1].status == -END_BY_CLOCK:
        detail = f"{_DOING[own[-1].phase]} took too much processor time, in a single step of Python"
        return Judgement(outcome=Outcome.timed_out, detail=detail)
    if len(deaths) < ATTEMPTS:
        return None
    if not own:
        detail = f"{deaths[-1].why}, {len(deaths)} times"
        return Judgement(outcome=Outcome.sandbox_error, detail=detail)
    outcome, how = _outcome(own[-1], spec)
    return Judgement(outcome=outcome, detail=f"{_DOING[own[-1].phase]} {how}, {len(deaths)} times")


def _outcome(death: Death, spec: Spec) -> tuple[Outcome, str]:
    if death.late:
        return Outcome.timed_out, "did not come to an end"
    if death.status == -signal.SIGKILL:
        return Outcome.out_of_memory, "was killed from outside, as is done for want of memory"
    how = f"signal {-death.status}" if death.status < 0 else f"exit status {death.status}"
    outcome = spec.unreadable if death.phase is Phase.reading else Outcome.wrong
    return outcome, f"ended the worker ({how})"
