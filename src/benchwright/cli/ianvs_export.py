"""`benchwright ianvs export FOLDER`."""

from __future__ import annotations

import click

from benchwright.cli.arguments import json_option, not_empty, print_json
from benchwright.cli.completing import files, models, run_folders, tracks
from benchwright.cli.terminal import console
from benchwright.display.escape import markup, quoted
from benchwright.interop.ianvs.exporting import ExportedJob, export_job


@click.command()
@click.argument("folder", callback=not_empty, shell_complete=files)
@click.option(
    "--track", required=True, callback=not_empty, shell_complete=tracks, help="The track of the rows."
)
@click.option(
    "--data",
    required=True,
    callback=not_empty,
    shell_complete=files,
    metavar="DATA",
    help="The rows, as `benchwright run TRACK --data` takes them.",
)
@click.option(
    "--model",
    default="gold:",
    show_default=True,
    callback=not_empty,
    shell_complete=models,
    metavar="SPEC",
    help="What the job tests; stored answers are copied into the folder.",
)
@click.option(
    "--judge",
    default="",
    shell_complete=run_folders,
    metavar="SPEC",
    help="A model judge, as `run --judge` takes it; stored replies are copied too.  [default: none]",
)
@json_option
def command(folder: str, track: str, data: str, model: str, judge: str, as_json: bool) -> None:
    """Write a data set as an example that Ianvs itself runs: job, algorithm, metrics, data.

    FOLDER must be new or empty. The job's model and metrics call Benchwright, which has to be installed
    beside Ianvs (v0.3.0 or later); so its figures are those of `benchwright run`.

    \b
    benchwright ianvs export out/comments --track smartcoding-comments --data rows.jsonl \\
        --model replay:answers.jsonl
    cd out/comments && ianvs -f benchmarkingjob.yaml
    """
    exported = export_job(track, data, folder, model=model, judge=judge)
    if as_json:
        print_json(exported)
    else:
        _print(exported, folder)


def _print(exported: ExportedJob, folder: str) -> None:
    target = console()
    target.print(
        f"{markup(exported.folder)}: {exported.items} items of {markup(exported.track)}, "
        f"metrics {', '.join(exported.metrics)}",
        soft_wrap=True,
    )
    where = markup(quoted(folder))
    target.print(f"run it with: cd {where} && ianvs -f benchmarkingjob.yaml", soft_wrap=True)
