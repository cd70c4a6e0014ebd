"""`benchwright ianvs export FOLDER`."""

from __future__ import annotations

import click

from benchwright.cli.arguments import json_option, not_empty, print_json
from benchwright.cli.completing import files, models, run_folders, tracks
from benchwright.cli.terminal import console
from benchwright.display.escape import markup, quoted
from benchwright.interop.ianvs.exporting import ExportedJob, Mode, export_job


def _given(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """An option that may be left out, and is not empty."""
    return value if value is None else not_empty(ctx, param, value)


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
@click.option(
    "--place",
    callback=_given,
    metavar="FOLDER",
    help="Where the folder will be, as seen from where Ianvs is started.  [default: FOLDER as it is given]",
)
@click.option("--live", is_flag=True, help="Ask and judge when the job is run, by Benchwright beside Ianvs.")
@json_option
def command(
    folder: str, track: str, data: str, model: str, judge: str, place: str | None, live: bool, as_json: bool
) -> None:
    """Write a data set as an example that Ianvs itself runs: job, algorithm, metrics, data.

    FOLDER must be new or empty. The model is asked and judged now, and the example holds what came of it,
    with README.md and licence: it needs Ianvs (v0.3.0 or later), Python 3.8 and nothing of Benchwright. Each
    figure has the number of judged items and its interval beside it, as metrics.

    \b
    benchwright ianvs export examples/comments --track smartcoding-comments --data rows.jsonl \\
        --model replay:answers.jsonl --judge replay:JUDGED_RUN
    ianvs -f examples/comments/benchmarkingjob.yaml
    """
    mode: Mode = "live" if live else "stored"
    exported = export_job(track, data, folder, model=model, judge=judge, mode=mode, place=place)
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
    if exported.left_out:
        absent = ", ".join(exported.left_out)
        target.print(
            f"left out, since they are no means over items: {absent} (`--live` has them)", soft_wrap=True
        )
    if exported.undecided:
        why = "no rank; a judge decides: `--judge SPEC`"
        target.print(f"{exported.undecided} of {exported.items} items are undecided ({why})", soft_wrap=True)
    start = f"ianvs -f {markup(quoted(exported.start))}"
    if exported.start == "benchmarkingjob.yaml":
        start = f"cd {markup(quoted(folder))} && {start}"
    target.print(f"run it with: {start}", soft_wrap=True)
