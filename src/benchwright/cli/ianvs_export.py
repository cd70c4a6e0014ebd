"""`benchwright ianvs export FOLDER`: write a data set as an Ianvs example."""

from __future__ import annotations

import click

from benchwright.cli.arguments import json_option, not_empty, print_json
from benchwright.cli.shell_completion import files, models, run_folders, tracks
from benchwright.cli.terminal import console
from benchwright.display.escape import markup, quoted
from benchwright.display.wording import counted
from benchwright.interop.ianvs.job_export import ExportedJob, Mode, export_job


def _check_not_empty(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """Return an optional value. Raises UsageError if it is empty."""
    return value if value is None else not_empty(ctx, param, value)


@click.command()
@click.argument("folder", callback=not_empty, shell_complete=files)
@click.option("--track", required=True, callback=not_empty, shell_complete=tracks, help="Track of the rows.")
@click.option(
    "--data",
    required=True,
    callback=not_empty,
    shell_complete=files,
    metavar="DATA",
    help="Rows, as for `benchwright run TRACK --data`.",
)
@click.option(
    "--model",
    default="gold:",
    show_default=True,
    callback=not_empty,
    shell_complete=models,
    metavar="SPEC",
    help="Model that the job tests; stored answers are copied to the folder.",
)
@click.option(
    "--judge",
    default="",
    shell_complete=run_folders,
    metavar="SPEC",
    help="Model judge, as for `run --judge`; stored replies are copied too.  [default: none]",
)
@click.option(
    "--place",
    callback=_check_not_empty,
    metavar="FOLDER",
    help="Path of the folder relative to the start folder of Ianvs.  [default: FOLDER]",
)
@click.option(
    "--live", is_flag=True, help="Ask and judge when the job runs; requires Benchwright next to Ianvs."
)
@json_option
def command(
    folder: str, track: str, data: str, model: str, judge: str, place: str | None, live: bool, as_json: bool
) -> None:
    """Write a data set as an example that Ianvs runs: job, algorithm, metrics and data.

    FOLDER must be new or empty. The model is asked and judged now, and the example contains the results, a
    README.md and a licence: it requires Ianvs (v0.3.0 or later) and Python 3.8, but not Benchwright. Each
    figure has further metrics for the number of judged items and its interval.

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
        f"{markup(exported.folder)}: {counted(exported.items, 'item')} of {markup(exported.track)}, "
        f"metrics {', '.join(exported.metrics)}",
        soft_wrap=True,
    )
    if exported.left_out:
        absent = ", ".join(exported.left_out)
        target.print(
            f"omitted because they are not means over items: {absent} (use `--live`)", soft_wrap=True
        )
    if exported.undecided:
        reason = "not ranked; add a judge: `--judge SPEC`"
        target.print(
            f"{exported.undecided} of {counted(exported.items, 'item')} undecided ({reason})", soft_wrap=True
        )
    start = f"ianvs -f {markup(quoted(exported.start))}"
    if exported.start == "benchmarkingjob.yaml":
        start = f"cd {markup(quoted(folder))} && {start}"
    target.print(f"run it with: {start}", soft_wrap=True)
