"""Benchwright builds, runs, judges and ranks benchmarks for code models, with verdicts that can be trusted.

    import benchwright as bw

    score = bw.run("humaneval", data="HumanEval.jsonl.gz", model="replay:samples.jsonl")
    with bw.Sandbox() as box:
        box.run("def add(x, y): return x + y", "add", [((1, 2), {})])
    bw.pass_at_k(n=10, c=3, k=5)

Names are loaded when they are first used, so `import benchwright` is cheap.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from benchwright.version import VERSION as __version__

if TYPE_CHECKING:
    from benchwright.running.pipeline import run
    from benchwright.sandbox.box import Sandbox
    from benchwright.sandbox.environments import Environment
    from benchwright.sandbox.limits import Limits
    from benchwright.stats.passk import pass_at_k

__all__ = ["Environment", "Limits", "Sandbox", "__version__", "pass_at_k", "run"]

_HOMES = {
    "Sandbox": "benchwright.sandbox.box",
    "Environment": "benchwright.sandbox.environments",
    "Limits": "benchwright.sandbox.limits",
    "pass_at_k": "benchwright.stats.passk",
    "run": "benchwright.running.pipeline",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
