"""Unbiased pass@k and pass^k: the chance that one, or that each, of k answers drawn from n is correct."""

from __future__ import annotations

from math import comb


def pass_at_k(n: int, c: int, k: int) -> float:
    """The unbiased estimate of pass@k for one task, from c correct answers among n.

    1 - C(n-c, k) / C(n, k), equation 1 of Chen et al. 2021 (arXiv 2107.03374), in whole numbers with one
    division at the end: Python's integers do not overflow and their quotient is rounded once, where the
    usual product of floats gives 0.30000000000000004 for (10, 3, 1).
    The plug-in 1 - (1 - c/n)^k is not used: at n = 10, k = 5 and a true chance of 0.2 it is 0.08 low.

    At k = n the estimate is 0 or 1: "was any of the n answers right".

    >>> round(pass_at_k(10, 3, 5), 4)
    0.9167
    """
    _check(n, c, k, "pass@")
    draws = comb(n, k)
    return (draws - comb(n - c, k)) / draws


def pass_hat_k(n: int, c: int, k: int) -> float:
    """The unbiased estimate of pass^k for one task, from c right answers among n: is a model reliable?

    C(c, k) / C(n, k), as Yao et al. 2024 (arXiv 2406.12045, section 3) use it. At k = 1 it is pass@1.

    >>> round(pass_hat_k(10, 8, 5), 4)
    0.2222
    """
    _check(n, c, k, "pass^")
    return comb(c, k) / comb(n, k)


def _check(n: int, c: int, k: int, name: str) -> None:
    """Raise ValueError for impossible counts: with n < k the formula would give 1.0, even for c = 0."""
    if k < 1:
        raise ValueError(f"k must be at least 1, not {k}")
    if n < k:
        raise ValueError(f"{name}{k} needs at least {k} answers per task, not {n}")
    if not 0 <= c <= n:
        raise ValueError(f"the number of correct answers must be between 0 and n = {n}, not {c}")
