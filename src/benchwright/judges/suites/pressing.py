"""A scheduler that is pressed: what an execution changes so that threads meet in another order.

A race that fails once in thirty runs passes five of five. So executions beside the plain ones hold all
threads on one core or give them many, let Python's begin late and pause between lines, and let Java
interpret, where each step takes longer. A test that is right passes all the same.
"""

from __future__ import annotations

from typing import NamedTuple

from benchwright.contracts import Variation


class Press(NamedTuple):
    """The schedule stress of one execution: what a runner of each language can do."""

    one_core: bool  # all threads share one core with other executions
    switch_s: float  # seconds after which Python's interpreter switches threads
    processors: int  # number of processors reported to Go and Java
    interpreted: bool  # Java without its compilers: each step takes longer, and threads overlap


NONE = Press(one_core=False, switch_s=0.0, processors=0, interpreted=False)
_SWITCHES = (1e-6, 1e-5, 2e-6, 5e-5, 5e-4)
_PROCESSORS = (1, 4, 2, 8)


def press_of(variation: Variation) -> Press:
    """Return the stress of a variation numbered 1 or more; NONE for 0.

    The periods of the parts differ, so that fifteen numbers are fifteen combinations.
    """
    number = variation.pressed - 1
    if number < 0:
        return NONE
    return Press(
        one_core=number % 3 == 0,
        switch_s=_SWITCHES[number % len(_SWITCHES)],
        processors=_PROCESSORS[number % len(_PROCESSORS)],
        interpreted=number % 3 != 2,
    )
