"""`benchwright export wandb` and `benchwright export mlflow`."""

from __future__ import annotations

import click

from benchwright.cli.arguments import json_option, not_empty, print_json
from benchwright.cli.export_tables import runs_argument
from benchwright.cli.shell_completion import files
from benchwright.cli.terminal import console
from benchwright.display.escape import markup
from benchwright.display.wording import counted
from benchwright.interop.exports.mlflow_log import export_mlflow
from benchwright.interop.exports.tracked_run import ExportedToTracker
from benchwright.interop.exports.wandb_log import export_wandb


@click.command()
@runs_argument
@click.option("--project", required=True, callback=not_empty, help="Project to log to.")
@click.option("--entity", callback=not_empty, help="User or team of the project.  [default: the key's]")
@click.option(
    "--out",
    callback=not_empty,
    shell_complete=files,
    metavar="FOLDER",
    help="Write offline runs to FOLDER, for `wandb sync`, and contact no server.",
)
@json_option
def wandb(runs: tuple[str, ...], project: str, entity: str | None, out: str | None, as_json: bool) -> None:
    """Log scores, settings and verdicts of runs to Weights & Biases.

    The summary has each metric with its interval, its tasks and its answers by outcome; an artifact has the
    table of verdicts. A second export updates the same runs. The key comes from WANDB_API_KEY, the address of
    an own server from WANDB_BASE_URL. Requires pip install 'benchwright[wandb]'.

    \b
    WANDB_API_KEY=… benchwright export wandb runs/mine --project code-models
    benchwright export wandb runs/mine --project code-models --out offline
    """
    _print(export_wandb(runs, project=project, entity=entity, out=out), as_json=as_json)


@click.command()
@runs_argument
@click.option(
    "--to", callback=not_empty, metavar="URI", help="Tracking address.  [default: MLFLOW_TRACKING_URI]"
)
@click.option(
    "--experiment",
    callback=not_empty,
    default="benchwright",
    show_default=True,
    help="Experiment; created if it does not exist.",
)
@json_option
def mlflow(runs: tuple[str, ...], to: str | None, experiment: str, as_json: bool) -> None:
    """Log scores, settings and verdicts of runs to an MLflow server.

    Each metric is logged with its interval, its tasks and its answers by outcome; an artifact has the table
    of verdicts. A second export updates the same runs. Credentials come from MLFLOW_TRACKING_TOKEN, or
    MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD. Requires pip install 'benchwright[mlflow]'.

    \b
    benchwright export mlflow runs/mine --to http://localhost:5000
    """
    _print(export_mlflow(runs, to=to, experiment=experiment), as_json=as_json)


def _print(exported: ExportedToTracker, *, as_json: bool) -> None:
    if as_json:
        print_json(exported)
        return
    target = console()
    for name, tracked in exported.runs.items():
        done = "updated" if name in exported.updated else "logged"
        target.print(f"{markup(name)}: {done} as {markup(tracked)}", soft_wrap=True)
    figures = counted(exported.figures, "number")
    target.print(f"{markup(exported.place)}: {counted(len(exported.runs), 'run')}, {figures}", soft_wrap=True)
