"""`benchwright export parquet`, `export hf` and `export model-index`."""

from __future__ import annotations

from typing import Any

import click

from benchwright.cli.arguments import json_option, not_empty, not_empty_each, print_json
from benchwright.cli.shell_completion import files, run_folders
from benchwright.cli.terminal import console
from benchwright.display.escape import markup
from benchwright.display.wording import counted
from benchwright.interop.exports.hub_dataset import export_hub
from benchwright.interop.exports.model_index import model_index, model_index_yaml
from benchwright.interop.exports.parquet_files import export_parquet

runs_argument = click.argument(
    "runs", metavar="RUN…", nargs=-1, required=True, callback=not_empty_each, shell_complete=run_folders
)


@click.command()
@runs_argument
@click.option(
    "--out",
    required=True,
    callback=not_empty,
    shell_complete=files,
    metavar="FOLDER",
    help="Folder for answers.parquet, verdicts.parquet and scores.parquet.",
)
@json_option
def parquet(runs: tuple[str, ...], out: str, as_json: bool) -> None:
    """Write answers, verdicts and scores of runs as Parquet files.

    scores.parquet has a row for each metric and profile, with its interval, tasks and answers by outcome. A
    folder of run folders stands for those in it that have a score. Requires
    pip install 'benchwright[parquet]'.

    \b
    benchwright export parquet runs/mine --out tables
    duckdb -c "from 'tables/scores.parquet'"
    """
    exported = export_parquet(runs, out)
    if as_json:
        print_json(exported)
        return
    _print_files(exported.files, exported.out, exported.runs)


def _print_files(rows: dict[str, int], folder: str, runs: list[str]) -> None:
    file_list = ", ".join(f"{name} ({counted(number, 'row')})" for name, number in rows.items())
    console().print(f"{markup(folder)}: {file_list}; {counted(len(runs), 'run')}", soft_wrap=True)


@click.command()
@runs_argument
@click.option("--out", callback=not_empty, shell_complete=files, metavar="FOLDER", help="Folder to write.")
@click.option("--to", callback=not_empty, metavar="OWNER/NAME", help="Repository of the hub to write.")
@click.option("--public", is_flag=True, help="Create a public repository, or write to a public one.")
@json_option
def hf(runs: tuple[str, ...], as_json: bool, **given: Any) -> None:
    """Write runs as a data set for the Hugging Face hub.

    The data set contains answers, verdicts and scores, but nothing that may quote a task: no prompts, tests,
    programs or reasons. Answers of runs with --without-tasks are left out. --to creates a private repository
    and reads the token from HF_TOKEN. Requires pip install 'benchwright[parquet,hub]'.

    \b
    benchwright export hf runs/mine --out dataset
    HF_TOKEN=… benchwright export hf runs/mine runs/other --to me/my-runs
    """
    exported = export_hub(runs, **given)
    if as_json:
        print_json(exported)
        return
    if exported.out:
        _print_files(exported.files, exported.out, exported.runs)
    if exported.address:
        kind = "private" if exported.private else "public"
        console().print(f"uploaded to {markup(exported.address)} ({kind})", soft_wrap=True)
    for name in exported.withheld:
        console().print(
            f"note: answers of {markup(name)} are left out: its tasks are private", soft_wrap=True
        )


@click.command("model-index")
@runs_argument
@click.option("--name", callback=not_empty, metavar="NAME", help="Model's name.  [default: of its spec]")
@click.option(
    "--dataset",
    callback=not_empty,
    metavar="OWNER/NAME",
    help="Data set's id.  [default: the track]",
)
@json_option
def model_index_command(runs: tuple[str, ...], name: str | None, dataset: str | None, as_json: bool) -> None:
    """Print the model-index block of a model card, with the scores of runs.

    Each metric has its interval and its number of tasks in its name, and its counts in `args`. Paste the
    block between the --- lines of the card. Requires pip install 'benchwright[hub]'.

    \b
    benchwright export model-index runs/mine --name me/my-model
    """
    index = model_index(runs, name=name, dataset=dataset)
    if as_json:
        print_json({"model-index": index})
    else:
        click.echo(model_index_yaml(index), nl=False)
