"""Find the judge of a spec in the registry by the spec's tag, and open it on first use."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any, NamedTuple

from benchwright import registry
from benchwright.contracts import Judge, Spec
from benchwright.sandbox.box import Sandbox
from benchwright.sandbox.untrusted import OpenClock, processor_limit


class Resources(NamedTuple):
    """Resources of a judge. `sandbox` starts nothing before its first use.

    `checking` is entered while values of an answer are used in this process: it bounds their cost, by default
    only CPU time. `closing` closes what a judge opens.
    """

    sandbox: Sandbox
    closing: ExitStack
    checking: OpenClock = processor_limit


class Judges:
    """All judges of one worker."""

    def __init__(self, resources: Resources) -> None:
        self._resources = resources
        self._open: dict[str, Judge[Any]] = {}

    def named(self, name: str) -> Judge[Any]:
        """Return the judge with a name. Raises UsageError if there is none, and errors of opening it."""
        if name not in self._open:
            self._open[name] = registry.find("judge", name)(self._resources)
        return self._open[name]

    def of(self, spec: Spec) -> Judge[Any]:
        """Return the judge of a spec."""
        return self.named(spec.judge)
