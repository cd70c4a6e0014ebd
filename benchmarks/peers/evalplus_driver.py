"""Judges a samples file with EvalPlus's `untrusted_check`, base inputs only. Run by the peers' Python.

EvalPlus's own command also needs its data set from the network, and always prepares the extra inputs.
So this is its loop without them: one ProcessPool, one submit a sample that carries the inputs and the
expected values along, results as they complete.

EvalPlus 0.3.1 reports HumanEval/32 (find_zero) as failed even when every residual is within the
tolerance: that special case skips the line that notes an input as passed. All inputs are still executed,
so the cost is right, and the verdict is left as EvalPlus gives it.
"""

from __future__ import annotations

import argparse
import json
import pickle
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from evalplus.eval import PASS, untrusted_check


def check(number: int, solution: str, task: dict[str, Any]) -> tuple[int, str]:
    """One sample's number and EvalPlus's status for it."""
    status, _details = untrusted_check(
        "humaneval",
        solution,
        task["base_input"],
        task["entry_point"],
        expected=task["base"],
        atol=task["atol"],
        ref_time=task["base_time"],
        fast_check=True,
    )
    return number, status


def main() -> None:
    """Write one row a sample: its task id and whether it passed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--problems", type=Path, required=True)
    parser.add_argument("--samples", type=Path, required=True)
    parser.add_argument("--calls", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--workers", type=int, default=2)
    chosen = parser.parse_args()
    problems = (json.loads(line) for line in chosen.problems.read_text("utf-8").splitlines())
    prompts = {problem["task_id"]: problem["prompt"] for problem in problems}
    samples = [json.loads(line) for line in chosen.samples.read_text("utf-8").splitlines()]
    calls = pickle.loads(chosen.calls.read_bytes())
    statuses: dict[int, str] = {}
    with ProcessPoolExecutor(max_workers=chosen.workers) as pool:
        waiting = []
        for number, sample in enumerate(samples):
            task_id = sample["task_id"]
            solution = prompts[task_id] + sample["completion"]
            waiting.append(pool.submit(check, number, solution, calls[task_id]))
        for done in as_completed(waiting):
            number, status = done.result()
            statuses[number] = status
    with chosen.out.open("w", encoding="utf-8") as file:
        for number, sample in enumerate(samples):
            row = {"task_id": sample["task_id"], "passed": statuses[number] == PASS}
            file.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    main()
