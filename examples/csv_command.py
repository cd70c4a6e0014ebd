"""A command: `benchwright export csv RUN` prints the outcomes of a run, one line for each answer.

[project.entry-points."benchwright.commands"]
"export.csv" = "csv_command:command"
"""

import csv
import io
from pathlib import Path

import click

from benchwright.store.runfolder import RunFolder


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--profile", default="", help="Scoring profile.  [default: that of the run]")
def command(run: Path, profile: str) -> None:
    """Print the outcomes of a run as CSV."""
    lines = io.StringIO()
    writer = csv.writer(lines)
    writer.writerow(["task_id", "sample", "outcome"])
    folder = RunFolder.read(run)  # raises RunError with a hint; the command line prints it
    for verdict in folder.verdicts(profile):
        writer.writerow([verdict.task_id, verdict.sample, verdict.outcome.value])
    click.echo(lines.getvalue(), nl=False)
