"""Variations of an execution: a series of them, thread scheduling, and probes for executed lines.

A race that fails once in thirty runs passes five of five. Executions under stress hold all threads on one
core or set the number of processors, delay and pause Python's threads, and make Java interpret. A correct
test passes all the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import msgspec

from benchwright.contracts import Suite, Variation
from benchwright.judges.suites.report_verification import random_word
from benchwright.lang.tree_probes import ProbedFile, reached_probes


class ScheduleStress(NamedTuple):
    """The schedule stress of one execution: what a runner of each language can do."""

    one_core: bool  # all threads share one core with other executions
    switch_s: float  # seconds after which Python's interpreter switches threads
    processors: int  # number of processors reported to Go and Java
    interpreted: bool  # Java without its compilers: each step takes longer, and threads overlap


NONE = ScheduleStress(one_core=False, switch_s=0.0, processors=0, interpreted=False)
_SWITCHES = (1e-6, 1e-5, 2e-6, 5e-5, 5e-4)
_PROCESSORS = (1, 4, 2, 8)


def schedule_stress(variation: Variation) -> ScheduleStress:
    """Return the stress of a variation numbered 1 or more; NONE for 0.

    The periods of the parts differ, so that fifteen numbers are fifteen combinations.
    """
    number = variation.pressed - 1
    if number < 0:
        return NONE
    return ScheduleStress(
        one_core=number % 3 == 0,
        switch_s=_SWITCHES[number % len(_SWITCHES)],
        processors=_PROCESSORS[number % len(_PROCESSORS)],
        interpreted=number % 3 != 2,
    )


Probe = Callable[[str, str], ProbedFile | None]


class Tracing:
    """The probes of one suite. Their word is drawn, but the code can read it: the reported lines are a claim,
    and only narrow a choice of lines."""

    def __init__(self, word: str, probed: ProbedFile) -> None:
        self._word, self._probed = word, probed

    def lines(self, output: bytes) -> list[int]:
        """Return the lines of the focal file that an output claims."""
        return self._probed.executed(reached_probes(output, self._word))


def with_probes(suite: Suite, probe: Probe) -> tuple[Suite, Tracing | None]:
    """Return the suite with probes in its focal file; unchanged if that file does not parse."""
    word = random_word()
    probed = probe(suite.files.get(suite.focal, ""), word)
    if probed is None:
        return suite, None
    files = {**suite.files, suite.focal: probed.code}
    return msgspec.structs.replace(suite, files=files), Tracing(word, probed)


def executed_lines(tracing: Tracing | None, output: bytes) -> list[int]:
    """Return the executed lines; none for a suite without probes."""
    return [] if tracing is None else tracing.lines(output)


# Across the end of a year, a leap day and half a year back, where months and summer time differ. In seconds.
_SHIFTS = (0, 0, 183 * 86400, -183 * 86400, 400 * 86400 + 43200, 3600, 1461 * 86400)
# East, west, a half hour, and a zone whose summer is the other half of the year.
_ZONES = ("UTC", "America/New_York", "Asia/Kolkata", "Pacific/Auckland", "Europe/Moscow", "UTC", "Asia/Tokyo")


def variations(repeat: int) -> list[Variation]:
    """The first `repeat` variations; always the same, and the first of all changes nothing.

    The second moves only hash seed and order, so that the clock is not blamed for what they do.
    """
    return [_variation(number) for number in range(repeat)]


def pressed_variations(first: int, end: int) -> list[Variation]:
    """Variations of these numbers whose schedulers are pressed as well; always the same."""
    return [
        msgspec.structs.replace(_variation(number), pressed=number - first + 1)
        for number in range(first, end)
    ]


def _variation(number: int) -> Variation:
    if number == 0:
        return Variation()
    return Variation(
        number=number,
        hash_seed=number,
        order_seed=number,
        clock_shift_s=_SHIFTS[number % len(_SHIFTS)],
        timezone="UTC" if number == 1 else _ZONES[number % len(_ZONES)],
    )
