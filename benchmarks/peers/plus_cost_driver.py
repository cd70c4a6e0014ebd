"""Judges a file of whole programs with EvalPlus's `untrusted_check`, both sets. The peers' Python runs it.

As `evalplus.evaluate` does it: a pool of processes, one submit a sample, expected values from the canonical
solutions, which it computes once and keeps as a pickle beside its data.
"""

from __future__ import annotations

import argparse
import json
import pickle
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from plus_driver import _checked, _expected, _lines


def main() -> None:
    """Write a row for each program: its task and whether it passed both sets."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--samples", type=Path, required=True)
    parser.add_argument("--kept", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--workers", type=int, default=2)
    chosen = parser.parse_args()
    samples = list(_lines(chosen.samples))
    wanted = {sample["task_id"] for sample in samples}
    rows = {row["task_id"]: row for row in _lines(chosen.data) if row["task_id"] in wanted}
    expected = _kept(rows, chosen.kept)
    with ProcessPoolExecutor(max_workers=chosen.workers) as pool:
        waiting = {
            pool.submit(_checked, rows[each["task_id"]], each["completion"], expected[each["task_id"]]): each
            for each in samples
        }
        statuses = [(waiting[done]["task_id"], done.result()) for done in as_completed(waiting)]
    with chosen.out.open("w", encoding="utf-8") as file:
        for task_id, status in statuses:
            row = {"task_id": task_id, "passed": all(word == "pass" for word in status.values())}
            file.write(json.dumps(row) + "\n")


def _kept(rows: dict[str, Any], path: Path) -> dict[str, Any]:
    """The expected values of an earlier run, or of this one."""
    if path.is_file():
        found: dict[str, Any] = pickle.loads(path.read_bytes())
        return found
    made = {task_id: _expected(row) for task_id, row in rows.items()}
    path.write_bytes(pickle.dumps(made))
    return made


if __name__ == "__main__":
    main()
