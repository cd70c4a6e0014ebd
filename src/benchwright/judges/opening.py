"""The judge of each spec, found in the registry by the spec's tag and opened when first needed."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any, NamedTuple

from benchwright import registry
from benchwright.contracts import Judge, Spec
from benchwright.sandbox.bounds import Bound, processor_limit
from benchwright.sandbox.box import Sandbox


class Resources(NamedTuple):
    """What a judge may use. `sandbox` starts nothing before it is used.

    `checking` is entered for as long as what an answer returned is at work in this process: it bounds what
    that may take, by default its processor time alone. What a judge keeps open is closed by `closing`.
    """

    sandbox: Sandbox
    closing: ExitStack
    checking: Bound = processor_limit


class Judges:
    """All judges of one worker."""

    def __init__(self, resources: Resources) -> None:
        self._resources = resources
        self._open: dict[str, Judge[Any]] = {}

    def named(self, name: str) -> Judge[Any]:
        """The judge of a name. Raises UsageError where there is none, and whatever opening it raises."""
        if name not in self._open:
            self._open[name] = registry.find("judge", name)(self._resources)
        return self._open[name]

    def of(self, spec: Spec) -> Judge[Any]:
        """The judge of a spec."""
        return self.named(spec.judge)
