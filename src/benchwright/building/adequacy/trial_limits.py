"""Limits of processor time for mutants, derived from the time of the canonical solution.

With one limit for all, the few mutants that hang take nine tenths of the time. Limits are powers of two,
because they are part of the key of a trial and must not depend on small differences in speed.
"""

from __future__ import annotations

import msgspec

from benchwright.contracts import ProgramSpec
from benchwright.executing.trials import TrialResult

GOLD_S = 3.0  # seconds of processor time for a solution whose spec has no limit
LEAST_S = 1 / 32  # minimum of a limit: twenty times that of most solutions
TIMES = 20  # multiple of the canonical solution's time
SLOW_TIMES, SLOW_S = 4, 1 / 4  # multiple for a slow one, and what is added: noise is a smaller part of it


def limit_of(gold_cpu_s: float, most_s: float, *, times: int = TIMES) -> float:
    """The limit of a mutant for all calls, from the time that the canonical solution takes for them."""
    wanted = min(times * gold_cpu_s, SLOW_TIMES * gold_cpu_s + SLOW_S)
    limit = LEAST_S
    while limit < wanted:
        limit *= 2
    return min(limit, most_s)


def call_limit(gold_call_s: float, most_s: float) -> float | None:
    """The limit of a mutant for one call, from the slowest call of the canonical solution.

    A mutant that hangs usually does so in an early call, long before it has used the limit for all. None if
    the slowest call is unknown, or if its limit would be no less than that for all.
    """
    limit = limit_of(gold_call_s, most_s)
    return limit if gold_call_s and limit < most_s else None


def mutant_spec(spec: ProgramSpec, gold: TrialResult) -> ProgramSpec:
    """The spec with the limits of a mutant."""
    limit = limit_of(gold.cpu_s, spec.cpu_limit_s or GOLD_S)
    return msgspec.structs.replace(spec, cpu_limit_s=limit, call_limit_s=call_limit(gold.call_s, limit))
