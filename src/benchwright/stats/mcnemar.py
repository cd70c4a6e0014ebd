"""McNemar's exact test for two models that each either solve a task or do not. Standard library only."""

from __future__ import annotations


def mcnemar(only_a: int, only_b: int) -> float:
    """The two-sided p value from how many tasks only A and only B solved (McNemar 1947, exact form).

    Tasks that both or neither solved say nothing about the difference. The others are tosses of a fair
    coin if the models are equally good, so the p value is twice the smaller tail of a binomial at 1/2,
    in whole numbers with one division. It never rejects too often, and with few tasks too seldom.

    >>> mcnemar(8, 1)
    0.0390625
    """
    if only_a < 0 or only_b < 0:
        raise ValueError(f"counts of tasks are at least 0, not {only_a} and {only_b}")
    tosses = only_a + only_b
    ways = tail = 1
    for heads in range(min(only_a, only_b)):
        ways = ways * (tosses - heads) // (heads + 1)  # "tosses choose heads + 1", without factorials
        tail += ways
    return min(1.0, 2 * tail / (1 << tosses))
