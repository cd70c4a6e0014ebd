"""Executes canonical solutions with their tests, one after the other in this process, without isolation.

This is the floor of every comparison: what the programs cost by themselves on this interpreter. Run by the
Python that executes Benchwright. It executes only text of the data set, prompt, canonical solution and tests:
a sample that is anything else is refused before the first execution.
"""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path
from typing import Any

COMMENT = re.compile(r"\n    # sample \d+\n")  # what keeps the samples of a task distinct


def programs(problems: Path, samples: Path) -> list[tuple[str, str]]:
    """The (task id, whole program) of each sample. Ends the process if one is not a canonical solution."""
    rows: dict[str, dict[str, Any]] = {
        row["task_id"]: row for row in map(json.loads, problems.read_text("utf-8").splitlines())
    }
    found = []
    for sample in map(json.loads, samples.read_text("utf-8").splitlines()):
        row, completion = rows[sample["task_id"]], sample["completion"]
        solution = row["canonical_solution"].rstrip()
        if not (completion.startswith(solution) and COMMENT.fullmatch(completion[len(solution) :])):
            raise SystemExit(
                f"{row['task_id']}: not its canonical solution, so not executed without a sandbox"
            )
        calls = f"{row['test']}\ncheck({row['entry_point']})"
        found.append((row["task_id"], f"{row['prompt']}{completion}\n{calls}"))
    return found


def main() -> None:
    """Write one row a sample, as the other drivers do. A test that fails ends the process."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--problems", type=Path, required=True)
    parser.add_argument("--samples", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    chosen = parser.parse_args()
    with chosen.out.open("w", encoding="utf-8") as file:
        for task_id, program in programs(chosen.problems, chosen.samples):
            exec(program, {"__name__": "floor"})
            file.write(json.dumps({"task_id": task_id, "passed": True}) + "\n")


if __name__ == "__main__":
    main()
