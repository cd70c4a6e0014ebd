"""Edge report: the resources that a job uses on a device per item, with the harness separate from the model.

Figures of items are sums from the case's process, or are read from the journal if an earlier process took
part. Other figures are from the last process. Nothing is estimated: unknown figures are "not measured".
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.display.escape import escaped_path, quoted
from benchwright.errors import DataError
from benchwright.interop.ianvs.case_results import JOURNAL, CaseResult
from benchwright.interop.ianvs.child.costs import CallCost, largest_mb
from benchwright.interop.ianvs.child.journal import (
    CallFigures,
    ItemFigures,
    Latency,
    ReplyRate,
    read_figures,
)

FORMAT = 1


class Device(NamedTuple):
    """The measured machine, without host name and paths."""

    cpu: str
    machine: str  # such as x86_64 or aarch64
    cores: int  # that this process may use
    memory_mb: int
    kernel: str
    python: str
    load: float  # of the last minute, when the report was made


class EdgeCase(NamedTuple):
    """Resources of a case. `latency` is None if predict was called once for all items: see `shared_by`.

    `model_s` and `model_cpu_s` are for calls of predict, `setup_cpu_s` for loading and training,
    `metrics_cpu_s` for calls of the metrics: all three are the example's code. `harness_cpu_s` is ours,
    including the start of the process. `peak_mb` is for all processes of the case.
    """

    algorithm: str
    hyperparameters: dict[str, str]
    predictions: str  # the file with the figures of each item
    items: int
    latency: Latency | None
    shared_by: int
    items_per_s: float | None
    rate: ReplyRate
    first_token_s: float | None  # median of the items whose replies state it
    model_s: float
    model_cpu_s: float
    setup_cpu_s: float | None
    metrics_cpu_s: float | None
    harness_s: float | None
    harness_cpu_s: float | None
    peak_mb: float


class EdgeReport(NamedTuple):
    """Resources of a job's cases, each in its own process, and of the command.

    `command_cpu_s` and `command_peak_mb` are for the process of the command, from its start to the report.
    """

    device: Device
    command_cpu_s: float
    command_peak_mb: float
    cases: list[EdgeCase]

    def document(self) -> dict[str, Any]:
        """As JSON."""
        cases = [
            {
                **each._asdict(),
                "latency": each.latency and each.latency._asdict(),
                "rate": each.rate._asdict(),
            }
            for each in self.cases
        ]
        return {
            "format": FORMAT,
            "device": self.device._asdict(),
            "command_cpu_s": self.command_cpu_s,
            "command_peak_mb": self.command_peak_mb,
            "cases": cases,
        }


def edge_report(results: Sequence[CaseResult]) -> EdgeReport:
    """Make the report on results."""
    cases = [_case(result) for result in results]
    cpu_s, peak_mb = round(time.process_time(), 3), round(largest_mb(), 1)
    return EdgeReport(describe_device(), cpu_s, peak_mb, cases)


def with_harness_costs(
    costs: Mapping[str, Mapping[str, float]], total: CallCost
) -> dict[str, dict[str, float]]:
    """Return the costs of the example's code, with the rest of the total as "harness"."""
    found = {kind: dict(each) for kind, each in costs.items()}
    example_totals = [sum(each[unit] for each in costs.values()) for unit in ("seconds", "cpu_s")]
    left = [max(0.0, whole - part) for whole, part in zip(total, example_totals, strict=False)]
    found["harness"] = {"seconds": round(left[0], 6), "cpu_s": round(left[1], 6)}
    return found


def _case(result: CaseResult) -> EdgeCase:
    path, costs = Path(result.url) / JOURNAL, result.costs
    items = read_figures(result.figures) if result.figures else _figures(path)
    return EdgeCase(
        algorithm=result.algorithm,
        hyperparameters=dict(result.hyperparameters),
        predictions=str(path),
        items=result.items,
        **{**items._asdict(), "peak_mb": max(result.peak_mb, items.peak_mb)},
        setup_cpu_s=_cost(costs, "setup", "cpu_s"),
        metrics_cpu_s=_cost(costs, "metrics", "cpu_s"),
        harness_s=_cost(costs, "harness", "seconds"),
        harness_cpu_s=_cost(costs, "harness", "cpu_s"),
    )


def _figures(path: Path) -> CallFigures:
    """Read the figures of a journal; empty without a file. Raises DataError for a line without figures."""
    items = ItemFigures()
    if path.is_file():
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                try:
                    items.add(json.loads(line))
                except (ValueError, KeyError, TypeError, RecursionError) as error:
                    what, hint = f"no figures of an item: {error}", f"rm {quoted(path)}"
                    raise DataError(what, path=escaped_path(path), line=number, hint=hint) from None
    return items.figures()


def _cost(costs: Mapping[str, Mapping[str, float]], kind: str, unit: str) -> float | None:
    return costs[kind][unit] if kind in costs else None


def describe_device() -> Device:
    """Describe this machine."""
    system = os.uname()
    return Device(
        cpu=_field("/proc/cpuinfo", "model name") or _board() or "unknown",
        machine=system.machine,
        cores=len(os.sched_getaffinity(0)),
        memory_mb=int(_field("/proc/meminfo", "MemTotal").split()[0]) // 1024,
        kernel=system.release,
        python=".".join(map(str, sys.version_info[:3])),
        load=round(os.getloadavg()[0], 2),
    )


def _field(file: str, name: str) -> str:
    with open(file, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            key, _, value = line.partition(":")
            if key.strip() == name:
                return value.strip()
    return ""


def _board() -> str:
    """Return the model of the device tree: Arm processors have no name in cpuinfo."""
    try:
        return Path("/proc/device-tree/model").read_text("utf-8", "replace").rstrip("\0\n")
    except OSError:
        return ""
