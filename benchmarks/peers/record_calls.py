"""Records the calls that HumanEval's own tests make, as EvalPlus's base inputs. Run by the peers' Python.

Each task's check() runs around its canonical solution, which is the data set's trusted reference code.
The entry point is bound to the recorder by name as well, because the test of HumanEval/33 calls it so;
calls from inside a call are the solution's own recursion and are not recorded.
"""

from __future__ import annotations

import argparse
import json
import pickle
import time
from copy import deepcopy
from pathlib import Path
from typing import Any


class Recorder:
    """A stand-in for one function that notes what goes in and what comes out of outermost calls."""

    def __init__(self, function: Any) -> None:
        self.function = function
        self.depth = 0
        self.inputs: list[tuple[Any, ...]] = []
        self.expected: list[Any] = []
        self.seconds: list[float] = []

    def __call__(self, *arguments: Any) -> Any:
        if self.depth:
            return self.function(*arguments)
        before, started = deepcopy(arguments), time.perf_counter()
        self.depth += 1
        try:
            value = self.function(*arguments)
        finally:
            self.depth -= 1
        self.seconds.append(time.perf_counter() - started)
        self.inputs.append(before)
        self.expected.append(deepcopy(value))
        return value


def record(problem: dict[str, str]) -> dict[str, Any]:
    """One task's inputs, expected values, reference times and tolerance, in EvalPlus's terms."""
    name = problem["entry_point"]
    scope: dict[str, Any] = {}
    exec(problem["prompt"] + problem["canonical_solution"] + "\n" + problem["test"], scope)
    recorder = Recorder(scope[name])
    scope[name] = recorder
    scope["check"](recorder)
    return {
        "task_id": problem["task_id"],
        "entry_point": name,
        "base_input": recorder.inputs,
        "base": recorder.expected,
        "base_time": recorder.seconds,
        # EvalPlus's own tolerance for the one task that is judged by its residual, a root finder.
        "atol": 1e-4 if name == "find_zero" else 0,
    }


def main() -> None:
    """Pickle {task id: record}; only the bench, which asked for the file, reads it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--problems", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    chosen = parser.parse_args()
    problems = [json.loads(line) for line in chosen.problems.read_text("utf-8").splitlines()]
    calls = {problem["task_id"]: record(problem) for problem in problems}
    chosen.out.write_bytes(pickle.dumps(calls))
    print(json.dumps({"tasks": len(calls), "calls": sum(len(each["base"]) for each in calls.values())}))


if __name__ == "__main__":
    main()
