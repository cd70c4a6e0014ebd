"""Suites whose focal file says which of its lines are executed: for languages that are compiled."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from benchwright.contracts import Suite
from benchwright.judges.suites.canaries import random_word
from benchwright.lang.tree_probes import Probed, reached

Probe = Callable[[str, str], Probed | None]


class Tracing:
    """The probes of one suite. Their word is drawn, but the code can read it: the reported lines are a claim,
    and only narrow a choice of lines."""

    def __init__(self, word: str, probed: Probed) -> None:
        self._word, self._probed = word, probed

    def lines(self, output: bytes) -> list[int]:
        """Return the lines of the focal file that an output claims."""
        return self._probed.executed(reached(output, self._word))


def with_probes(suite: Suite, probe: Probe) -> tuple[Suite, Tracing | None]:
    """Return the suite with probes in its focal file; unchanged if that file does not parse."""
    word = random_word()
    probed = probe(suite.files.get(suite.focal, ""), word)
    if probed is None:
        return suite, None
    files = {**suite.files, suite.focal: probed.code}
    return msgspec.structs.replace(suite, files=files), Tracing(word, probed)


def lines_of(tracing: Tracing | None, output: bytes) -> list[int]:
    """Return the executed lines; none for a suite without probes."""
    return [] if tracing is None else tracing.lines(output)
