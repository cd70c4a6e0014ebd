"""Benchwright builds, runs, judges and ranks benchmarks for code models, with verdicts that can be trusted.

    import benchwright as bw

    run = bw.run("humaneval", data="HumanEval.jsonl.gz", model="replay:samples.jsonl")
    print(run.scores["pass@1"].value, run.to_pandas())
    with bw.Judge("HumanEval.jsonl.gz") as judge:
        judge.judge("HumanEval/0", "    return True")

Names are loaded when they are first used, so `import benchwright` is cheap.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

from benchwright.version import VERSION as __version__

if TYPE_CHECKING:
    from benchwright.api.building import audit as audit
    from benchwright.api.building import build as build
    from benchwright.api.comparing import compare as compare
    from benchwright.api.comparing import rank as rank
    from benchwright.api.comparing import report as report
    from benchwright.api.frames import AnswerRow as AnswerRow
    from benchwright.api.judge import JudgePool as Judge
    from benchwright.api.running import run as run
    from benchwright.api.runs import Scores as Scores
    from benchwright.api.runs import StoredRun as Run
    from benchwright.api.runs import open_run as open_run
    from benchwright.api.suites import SuiteResults as SuiteResults
    from benchwright.api.suites import suite as suite
    from benchwright.errors import ArgumentError as ArgumentError
    from benchwright.errors import BatchesPending as BatchesPending
    from benchwright.errors import BenchwrightError as BenchwrightError
    from benchwright.errors import DataError as DataError
    from benchwright.errors import PrerequisiteError as PrerequisiteError
    from benchwright.errors import RunError as RunError
    from benchwright.errors import SandboxError as SandboxError
    from benchwright.errors import SelfCheckError as SelfCheckError
    from benchwright.errors import UnknownNameError as UnknownNameError
    from benchwright.errors import UsageError as UsageError
    from benchwright.rank.comparison import Comparison as Comparison
    from benchwright.rank.standing import Standing as Standing
    from benchwright.records import Answer as Answer
    from benchwright.records import Metric as Metric
    from benchwright.records import Outcome as Outcome
    from benchwright.records import Score as Score
    from benchwright.records import Task as Task
    from benchwright.records import Verdict as Verdict
    from benchwright.sandbox.box import Sandbox as Sandbox
    from benchwright.sandbox.environments import Environment as Environment
    from benchwright.sandbox.limits import Limits as Limits
    from benchwright.stats.passk import pass_at_k as pass_at_k

__all__ = [
    "Answer",
    "AnswerRow",
    "ArgumentError",
    "BatchesPending",
    "BenchwrightError",
    "Comparison",
    "DataError",
    "Environment",
    "Judge",
    "Limits",
    "Metric",
    "Outcome",
    "PrerequisiteError",
    "Run",
    "RunError",
    "Sandbox",
    "SandboxError",
    "Score",
    "Scores",
    "SelfCheckError",
    "Standing",
    "SuiteResults",
    "Task",
    "UnknownNameError",
    "UsageError",
    "Verdict",
    "__version__",
    "audit",
    "build",
    "compare",
    "open_run",
    "pass_at_k",
    "rank",
    "report",
    "run",
    "suite",
]

_HOMES = {
    "Answer": "benchwright.records",
    "AnswerRow": "benchwright.api.frames",
    "ArgumentError": "benchwright.errors",
    "BatchesPending": "benchwright.errors",
    "BenchwrightError": "benchwright.errors",
    "Comparison": "benchwright.rank.comparison",
    "DataError": "benchwright.errors",
    "Environment": "benchwright.sandbox.environments",
    "Judge": "benchwright.api.judge:JudgePool",
    "Limits": "benchwright.sandbox.limits",
    "Metric": "benchwright.records",
    "Outcome": "benchwright.records",
    "PrerequisiteError": "benchwright.errors",
    "Run": "benchwright.api.runs:StoredRun",
    "RunError": "benchwright.errors",
    "Sandbox": "benchwright.sandbox.box",
    "SandboxError": "benchwright.errors",
    "Score": "benchwright.records",
    "Scores": "benchwright.api.runs",
    "SelfCheckError": "benchwright.errors",
    "Standing": "benchwright.rank.standing",
    "SuiteResults": "benchwright.api.suites",
    "Task": "benchwright.records",
    "UnknownNameError": "benchwright.errors",
    "UsageError": "benchwright.errors",
    "Verdict": "benchwright.records",
    "audit": "benchwright.api.building",
    "build": "benchwright.api.building",
    "compare": "benchwright.api.comparing",
    "open_run": "benchwright.api.runs",
    "pass_at_k": "benchwright.stats.passk",
    "rank": "benchwright.api.comparing",
    "report": "benchwright.api.comparing",
    "run": "benchwright.api.running",
    "suite": "benchwright.api.suites",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415 (only the use of a name needs it)

    module, _, attribute = _HOMES[name].partition(":")
    return getattr(import_module(module), attribute or name)


def __dir__() -> list[str]:
    return sorted(__all__)


class _Package(ModuleType):
    """The package. The public functions `rank` and `report` have the names of subpackages.

    The import of a subpackage would set the attribute of its name to the module.
    """

    def __setattr__(self, name: str, value: object) -> None:
        if name not in _HOMES or not isinstance(value, ModuleType):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
