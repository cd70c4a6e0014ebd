"""Runs as runs of an MLflow experiment: metrics with their bounds, parameters, tags, a table of verdicts.

A tag holds the key of the run, so a second export updates the run of the first. Metrics have the time of the
run's end and step 0: MLflow stores an equal point once.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.display.escape import escaped_name
from benchwright.errors import PrerequisiteError, RunError, UsageError, install_command
from benchwright.interop.exports.finished_runs import FinishedRun, finished_runs
from benchwright.interop.exports.tracked_run import (
    ExportedToTracker,
    tracked_figures,
    tracked_settings,
    verdict_table,
)

URI = "MLFLOW_TRACKING_URI"
KEY = "benchwright.run"  # tag with the key of the run
TABLE = "benchwright/verdicts.json"
_METRICS = 1000  # in one request, by the REST API
_DEFAULTS = {  # of the client's environment: no reports to others, no minutes of retries
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "2",
    "MLFLOW_ENABLE_ARTIFACTS_PROGRESS_BAR": "false",
    "MLFLOW_SUPPRESS_PRINTING_URL_TO_STDOUT": "true",
}


class _Library(NamedTuple):
    client: Any
    entities: Any
    error: type[Exception]


def export_mlflow(
    runs: Sequence[str | Path], *, to: str | None = None, experiment: str = "benchwright"
) -> ExportedToTracker:
    """Log finished runs to an experiment at the tracking address `to`, by default MLFLOW_TRACKING_URI.

    The client reads its credentials from the environment (MLFLOW_TRACKING_TOKEN, MLFLOW_TRACKING_USERNAME).
    Raises RunError for a server that refuses or cannot be reached, PrerequisiteError without the client.
    """
    address = to or os.environ.get(URI, "").strip()
    if not address:
        raise UsageError("missing --to", hint=f"--to http://localhost:5000, or export {URI}=…")
    library = _library(address)
    loaded_runs = finished_runs(runs)
    ids: dict[str, str] = {}
    updated: list[str] = []
    with _explained(address, library.error):
        place = _experiment(library.client, experiment)
        for run in loaded_runs:
            ids[run.name], is_known = _log(library, place, run)
            updated += [run.name] if is_known else []
    figures = sum(len(tracked_figures(run)) for run in loaded_runs)
    return ExportedToTracker(
        place=f"{_without_secrets(address)}, experiment {experiment}",
        runs=ids,
        updated=updated,
        figures=figures,
    )


def _library(address: str) -> _Library:
    """Return a client. Raises PrerequisiteError if MLflow is not installed."""
    for name, value in _DEFAULTS.items():
        os.environ.setdefault(name, value)
    try:
        from mlflow import entities  # noqa: PLC0415 (an extra)
        from mlflow.exceptions import MlflowException  # noqa: PLC0415
        from mlflow.tracking import MlflowClient  # noqa: PLC0415
    except ImportError as error:
        message = f"exporting to MLflow needs mlflow: {error}"
        raise PrerequisiteError(message, hint=install_command("mlflow")) from None
    with _explained(address, MlflowException):
        return _Library(MlflowClient(tracking_uri=address), entities, MlflowException)


def _experiment(client: Any, name: str) -> str:
    """Return the id of an experiment, which is created if it does not exist."""
    found = client.get_experiment_by_name(name)
    if found is not None and found.lifecycle_stage == "deleted":
        hint = "restore it, or name another: --experiment NAME"
        raise RunError(f"experiment {escaped_name(name)} is deleted on the server", hint=hint)
    return str(client.create_experiment(name) if found is None else found.experiment_id)


def _log(library: _Library, experiment: str, run: FinishedRun) -> tuple[str, bool]:
    """Log a run; return its id, and whether the server knew it."""
    client, at = library.client, _milliseconds(run.finished)
    found = client.search_runs(
        [experiment], filter_string=f"tags.`{KEY}` = '{_quoted(run.key)}'", max_results=1
    )
    if found:
        run_id = found[0].info.run_id
    else:
        tags = {KEY: run.key, "mlflow.runName": run.name}
        run_id = client.create_run(experiment, start_time=at, tags=tags).info.run_id
    _log_figures(library, run_id, run, at)
    _log_settings(library, run_id, run, is_new=not found)
    table = verdict_table(run)
    client.log_dict(run_id, {"columns": table.columns, "data": table.data}, TABLE)
    client.set_terminated(run_id, "FINISHED", end_time=at)
    return str(run_id), bool(found)


def _log_figures(library: _Library, run_id: str, run: FinishedRun, at: int) -> None:
    metrics = [library.entities.Metric(name, value, at, 0) for name, value in tracked_figures(run).items()]
    for first in range(0, len(metrics), _METRICS):
        library.client.log_batch(run_id, metrics=metrics[first : first + _METRICS])


def _log_settings(library: _Library, run_id: str, run: FinishedRun, *, is_new: bool) -> None:
    """Log the settings: of a new run as parameters, which MLflow never changes; those that may as tags."""
    settings = tracked_settings(run)
    fixed = ("track", "model", "data_sha256", "answers_a_task")
    parameters = [library.entities.Param(name, str(settings[name])) for name in fixed if is_new]
    tags = [
        library.entities.RunTag(f"benchwright.{name}", str(value))
        for name, value in settings.items()
        if name not in fixed
    ]
    library.client.log_batch(run_id, params=parameters, tags=tags)


def _milliseconds(time: str) -> int:
    return int(datetime.fromisoformat(time).timestamp() * 1000)


def _quoted(text: str) -> str:
    return text.replace("'", "_")


@contextmanager
def _explained(address: str, kind: type[Exception]) -> Iterator[None]:
    """Turn the client's errors into RunErrors."""
    try:
        yield
    except kind as error:
        text = _without_secrets(" ".join(str(error).split()))
        raise RunError(
            f"MLflow at {escaped_name(_without_secrets(address))}: {escaped_name(text, 300)}",
            hint=_hint(text),
        ) from None


def _without_secrets(text: str) -> str:
    """Return a text without the user and the password of addresses."""
    return re.sub(r"//[^/@\s]+@", "//", text)


def _hint(text: str) -> str:
    if "401" in text or "403" in text:
        return "set MLFLOW_TRACKING_TOKEN, or MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD"
    if "Max retries" in text or "Connection" in text:
        return "check that the server runs, and the address: --to http://HOST:5000"
    return "check the address: --to http://HOST:5000, or --to sqlite:///mlflow.db"
