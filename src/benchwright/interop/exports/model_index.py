"""The `model-index` of a model card: scores in the metadata that the Hugging Face hub reads.

Format: https://github.com/huggingface/hub-docs/blob/main/modelcard.md. `value` stays a number; the interval
and the number of tasks are in the metric's `name`, which the hub shows, and with the counts in its `args`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchwright.display.escape import escaped_name
from benchwright.display.wording import counted
from benchwright.errors import UsageError
from benchwright.interop.exports.finished_runs import CountedFigure, FinishedRun, finished_runs
from benchwright.running.run_data import measures_of
from benchwright.store.named_data import known_data
from benchwright.store.yaml_documents import load_yaml

_TASK = {"type": "text-generation", "name": "Text Generation"}


def model_index(
    runs: Sequence[str | Path], *, name: str | None = None, dataset: str | None = None
) -> list[dict[str, Any]]:
    """Return the model-index of finished runs of one model: an entry for each run.

    `name` is the model's name on the hub, by default that of its spec. `dataset` is the hub's id of the data
    set; without it, the name of the track. Raises UsageError for runs of several models.
    """
    loaded_runs = finished_runs(runs)
    models = sorted({run.model for run in loaded_runs})
    if len(models) > 1 and name is None:
        model_names = ", ".join(map(escaped_name, models))
        raise UsageError(
            f"the runs are of several models: {model_names}", hint="name the model: --name OWNER/NAME"
        )
    return [
        {
            "name": name or models[0].partition(":")[2] or models[0],
            "results": [_result(run, dataset) for run in loaded_runs],
        }
    ]


def model_index_yaml(index: Sequence[dict[str, Any]]) -> str:
    """Return the block for a model card. Raises PrerequisiteError without PyYAML."""
    yaml = load_yaml("writing YAML")
    text: str = yaml.safe_dump({"model-index": list(index)}, sort_keys=False, allow_unicode=True, width=110)
    return text


def _result(run: FinishedRun, dataset: str | None) -> dict[str, Any]:
    sha256 = str(run.identity["data"])
    title = next((each.title for each in known_data().values() if each.sha256 == sha256), run.track)
    return {
        "task": dict(_TASK),
        "dataset": {
            "name": title,
            "type": dataset or run.track,
            "args": {"sha256": sha256},
        },
        "metrics": [_metric(run, figure) for figure in run.figures()],
    }


def _metric(run: FinishedRun, figure: CountedFigure) -> dict[str, Any]:
    metric, measure = figure.metric, measures_of(run.track).find(figure.name)
    interval = f"95% interval {metric.low:.4f} to {metric.high:.4f}, {counted(metric.n, 'task')}"
    return {
        "type": figure.name,
        "name": f"{measure.title} ({figure.profile}; {interval})",
        "value": metric.value,
        "args": {
            "profile": figure.profile,
            "low": metric.low,
            "high": metric.high,
            "tasks": metric.n,
            "samples": metric.samples,
            "answers": sum(figure.outcomes.values()),
            "outcomes": dict(sorted(figure.outcomes.items())),
        },
    }
