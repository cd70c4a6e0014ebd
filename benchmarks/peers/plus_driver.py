"""Judges whole programs with EvalPlus's `untrusted_check`, base and plus inputs. The peers' Python runs it.

EvalPlus's own command takes its data set from the network, so this is its loop without: its typed inputs,
its canonical solutions executed for the expected values, its check of both sets of inputs.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

for absent in ("wget", "tempdir", "appdirs", "datasets"):  # what only its downloads need
    sys.modules[absent] = made = ModuleType(absent)
    made.user_cache_dir = lambda name: f"/tmp/{name}"  # type: ignore[attr-defined]
    made.load_dataset = None  # type: ignore[attr-defined]

from evalplus.data.mbpp import mbpp_deserialize_inputs  # noqa: E402
from evalplus.eval import untrusted_check  # noqa: E402
from evalplus.eval._special_oracle import MBPP_OUTPUT_NOT_NONE_TASKS  # noqa: E402
from evalplus.gen.util import trusted_exec  # noqa: E402

SETS = ("base", "plus")
MIN_S = 4.0  # on the wall, for one input: EvalPlus's own since 0.3.1, whose second is short on a busy machine


def main() -> None:
    """Write a row for each program: its number and EvalPlus's word for each set of inputs."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--programs", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    chosen = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    rows = {row["task_id"]: row for row in _lines(chosen.data)}
    expected: dict[str, Any] = {}
    with chosen.out.open("w", encoding="utf-8") as out:
        for number, given in enumerate(_lines(chosen.programs)):
            row = rows[given["task_id"]]
            if given["task_id"] not in expected:
                expected.clear()  # programs of a task stand together, and the values of some are large
                expected[given["task_id"]] = _expected(row)
            statuses = _checked(row, given["program"], expected[given["task_id"]])
            print(json.dumps({"number": number, **statuses}), file=out, flush=True)


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)


def _dataset(row: dict[str, Any]) -> str:
    return "mbpp" if row["task_id"].startswith("Mbpp/") else "humaneval"


def _expected(row: dict[str, Any]) -> dict[str, tuple[Any, Any, Any]]:
    """Inputs, values and seconds of each set, as `evalplus.evaluate` makes them."""
    found = {}
    for name in SETS:
        inputs = row[f"{name}_input"]
        if _dataset(row) == "mbpp":
            inputs = mbpp_deserialize_inputs(row["task_id"], inputs)
        values, seconds = trusted_exec(
            row["prompt"] + row["canonical_solution"],
            inputs,
            row["entry_point"],
            record_time=True,
            output_not_none=_dataset(row) == "mbpp" and row["entry_point"] in MBPP_OUTPUT_NOT_NONE_TASKS,
        )
        found[name] = (inputs, values, seconds)
    return found


def _checked(row: dict[str, Any], program: str, sets: dict[str, tuple[Any, Any, Any]]) -> dict[str, str]:
    statuses = {}
    for name, (inputs, values, seconds) in sets.items():
        statuses[name], _ = untrusted_check(
            _dataset(row),
            program,
            inputs,
            row["entry_point"],
            expected=values,
            atol=row["atol"],
            ref_time=seconds,
            fast_check=True,
            min_time_limit=MIN_S,
        )
    return statuses


if __name__ == "__main__":
    main()
