"""Suites whose focal file says which of its lines are executed: for languages that are compiled."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from benchwright.contracts import Suite
from benchwright.judges.suites.canaries import random_word
from benchwright.lang.tree_probes import Probed, reached

Probe = Callable[[str, str], Probed | None]


class Tracing:
    """What the probes of one suite print. The word is drawn, but the code can read it: what is said with it
    is a claim, and narrows a choice of lines."""

    def __init__(self, word: str, probed: Probed) -> None:
        self._word, self._probed = word, probed

    def lines(self, output: bytes) -> list[int]:
        """The lines of the focal file that an output claims."""
        return self._probed.executed(reached(output, self._word))


def with_probes(suite: Suite, probe: Probe) -> tuple[Suite, Tracing | None]:
    """The suite with probes in its focal file; as it is where that file does not parse."""
    word = random_word()
    probed = probe(suite.files.get(suite.focal, ""), word)
    if probed is None:
        return suite, None
    files = {**suite.files, suite.focal: probed.code}
    return msgspec.structs.replace(suite, files=files), Tracing(word, probed)


def lines_of(tracing: Tracing | None, output: bytes) -> list[int]:
    """The executed lines; none of a suite without probes."""
    return [] if tracing is None else tracing.lines(output)
