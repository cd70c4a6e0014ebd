"""The process of one test case: reads the case from standard input and reports progress on a pipe."""

from __future__ import annotations

import os
import sys
from mmap import mmap
from pathlib import Path
from typing import Any

from benchwright.interop.ianvs.case_results import JOURNAL
from benchwright.interop.ianvs.child import sedna_shim
from benchwright.interop.ianvs.child.case_spec import CaseSpec, load, read_spec
from benchwright.interop.ianvs.child.costs import CostMeter, cpu_seconds
from benchwright.interop.ianvs.child.journal import Journal
from benchwright.interop.ianvs.child.metrics import MetricRun, metric_functions
from benchwright.interop.ianvs.child.paradigms import run_paradigm
from benchwright.interop.ianvs.child.predictions import (
    BatchDependent,
    CasePredictions,
    PredictionState,
    all_predicted,
)
from benchwright.interop.ianvs.child.progress_pipe import PAGE, ProgressPipe, failure_message
from benchwright.sandbox.inside.linux import die_with_parent


def main(pipe: int, page: int, parent: int) -> None:
    """Run the case from standard input; `parent` is the process that started this one.

    `pipe` and `page` are descriptors: the pipe for reports, and the shared memory with the current stage.
    """
    die_with_parent()
    if os.getppid() != parent:
        os._exit(1)  # the parent ended before prctl took effect
    spec = read_spec(sys.stdin.buffer.read())
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for fd in (pipe, page):
        os.set_inheritable(fd, False)
    progress = ProgressPipe(pipe, mmap(page, PAGE))
    try:
        outcome = run(spec, progress)
    except BatchDependent:
        outcome = {"again": "all"}
    except BaseException as error:  # noqa: BLE001 (the code is the user's: SystemExit too ends a case alone)
        _show(error)
        outcome = failure_message(error, progress.stage, progress.hint)
    progress.end(outcome)


def run(spec: CaseSpec, progress: ProgressPipe) -> dict[str, Any]:
    """The metrics of the case's predictions, and what they took."""
    sedna_shim.install()
    costs = CostMeter()
    with costs.of("setup"):
        for package in spec.packages:
            progress.at(f"loading {package}")
            load(Path(package))
    with Journal(spec.folder / JOURNAL) as journal:
        work = PredictionState(spec, journal, progress, costs)
        predicted = all_predicted(work) or run_paradigm(work)
    metrics = _metric_results(work, predicted)
    return {
        "metrics": metrics,
        "items": len(predicted.expected),
        "costs": costs.document(),
        "figures": journal.figures.figures().document() if journal.figures else {},
        "cpu_s": round(cpu_seconds(), 3),
        "peak_mb": round(costs.peak_mb(), 1),
    }


def _metric_results(work: PredictionState, predicted: CasePredictions) -> dict[str, Any]:
    """Return the results of the metrics. Their files are loaded after the last prediction, as in Ianvs: a
    file may seed a random generator or read output of the model."""
    spec, progress = work.spec, work.progress
    progress.at("loading the metrics")
    with work.costs.of("setup"):
        metrics = metric_functions(spec.metrics, strict=spec.strict)
    measuring = MetricRun(predicted.expected, predicted.predictions)
    with work.costs.of("metrics"):
        for metric in metrics:
            progress.at(f"the metric {metric.name}", len(predicted.expected))
            measuring.measure(metric)
        found = measuring.found if spec.strict else measuring.counted(predicted.miscount)
    return {name: each._asdict() for name, each in found.items()}


def _show(error: BaseException) -> None:
    """The whole traceback into the log of the case."""
    import traceback  # noqa: PLC0415 (only where something failed)

    traceback.print_exception(error)
