"""Many tests at once: Holm's correction, which scipy does not have. Standard library only."""

from __future__ import annotations

from collections.abc import Sequence


def holm(ps: Sequence[float]) -> list[float]:
    """The p values adjusted by Holm (1979), in their order.

    Rejecting where the adjusted value is below 0.05 makes even one false rejection in the whole family
    no likelier than 5 %, however the tests depend on one another. It rejects whatever Bonferroni does,
    and more. Benjamini and Hochberg's correction is no substitute: it bounds the share of false
    rejections, and a table of models is read claim by claim.

    >>> [round(p, 3) for p in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    for position, p in enumerate(ps):
        if not 0 <= p <= 1:  # also catches NaN
            raise ValueError(f"p value {position} is {p}, but a p value lies between 0 and 1")
    adjusted, largest = [1.0] * len(ps), 0.0
    for step, position in enumerate(sorted(range(len(ps)), key=lambda index: ps[index])):
        largest = max(largest, min(1.0, ps[position] * (len(ps) - step)))
        adjusted[position] = largest
    return adjusted
