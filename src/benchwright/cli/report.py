"""`benchwright report RUN…`: the HTML report of runs, or of another folder with a registered report."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchwright import registry
from benchwright.cli.arguments import as_path, data_of_runs, json_option, not_empty, print_json
from benchwright.cli.shell_completion import files, run_folders
from benchwright.display.escape import escaped_path
from benchwright.display.wording import counted
from benchwright.errors import UsageError
from benchwright.rank.comparability import ALLOWANCES
from benchwright.running.options import check_name
from benchwright.running.run_data import data_by_hash
from benchwright.running.run_folders import PAGE, named_runs

if TYPE_CHECKING:
    from benchwright.report.pipeline import WrittenReport


@click.command()
@click.argument("runs", metavar="RUN…", nargs=-1, required=True, shell_complete=run_folders)
@click.option(
    "--out",
    metavar="FILE",
    callback=as_path,
    shell_complete=files,
    help="Output file.  [default: RUN/report.html for one run, report.html for several]",
)
@click.option(
    "--metric",
    callback=not_empty,
    help="Metric to sort and compare by.  [default: the first that all runs have]",
)
@click.option(
    "--charts",
    metavar="FOLDER",
    callback=as_path,
    shell_complete=files,
    help="Also write each chart to this folder, as SVG and PNG.",
)
@click.option(
    "--csv",
    metavar="FILE",
    callback=as_path,
    shell_complete=files,
    help="Also write the overview to this file: a run per row, with value, interval, place and date.",
)
@click.option(
    "--allow",
    multiple=True,
    type=click.Choice(ALLOWANCES),
    help="Compare even if prompts differ (prompts), or if far more answers of one run could be decided "
    "(coverage).",
)
@data_of_runs
@json_option
@click.option("--quiet", "-q", is_flag=True, help="No progress.")
def command(
    runs: tuple[str, ...],
    out: Path | None,
    charts: Path | None,
    csv: Path | None,
    data: tuple[str, ...],
    as_json: bool,
    **given: Any,
) -> None:
    """Write an HTML report in one file: scores, comparisons, charts, and every answer.

    For a single build of AICoderEval: domains, success rates, code sizes, libraries, funnel, gates.

    A folder of run folders, such as a suite's, means all runs in it.

    The file loads nothing from a network, so it opens from a disk or an e-mail. Answers of very large runs
    are written to a folder next to it. Logs of Inspect and sample files of lm-eval can be used directly.

    \b
    benchwright report runs/mine
    benchwright report logs/*.eval --out models.html
    benchwright report runs/mine runs/other --out mine-and-other.html
    benchwright report runs/nightly --out nightly.html
    benchwright report out/demo/* --out demo.html --charts figures --csv demo.csv
    benchwright report builds/mine --charts figures
    """
    from benchwright.report.page import check_target, write_file  # noqa: PLC0415 (jinja2: 0.1 s)
    from benchwright.report.pipeline import write_report  # noqa: PLC0415

    for path in (*runs, *filter(None, (out, charts, csv))):
        check_name("a name", str(path))
    is_single = len(runs) == 1 and Path(runs[0], "run.json").is_file()
    if len(runs) == 1 and not is_single and (write := _folder_report(Path(runs[0]))):
        if csv is not None:
            raise UsageError("--csv is not available for this folder", hint="leave out --csv")
        write(Path(runs[0]), out, charts, as_json=as_json)
        return
    selected_runs = named_runs(runs)
    target = out or (Path(runs[0]) / PAGE if is_single else Path(PAGE))
    if csv:
        check_target(csv)
    with _Bar(visible=not given["quiet"]) as bar:
        written = write_report(
            selected_runs,
            target,
            metric=given["metric"],
            charts=charts,
            allow=given["allow"],
            progress=bar.begin,
            given=data_by_hash(data),
        )
    if csv:
        write_file(csv, [written.csv.encode()])
    if as_json:
        print_json(_document(written, csv))
    else:
        _print_files(written, csv)


def _folder_report(folder: Path) -> Callable[..., None] | None:
    """The function that reports on another kind of folder, such as a build; None if no file marks it."""
    marker = next((name for name in registry.names("report") if Path(folder, name).is_file()), None)
    return None if marker is None else registry.find("report", marker)


class _Bar:
    """A progress bar over the tasks on stderr, if it is a terminal."""

    def __init__(self, *, visible: bool) -> None:
        self._visible = visible
        self._close: Callable[[], object] | None = None

    def __enter__(self) -> _Bar:
        return self

    def __exit__(self, *error: object) -> None:
        if self._close:
            self._close()

    def begin(self, total: int) -> Callable[[], None]:
        """Start the bar; the returned function advances it by one task."""
        from benchwright.cli.terminal import console  # noqa: PLC0415 (rich: 0.1 s)

        target = console()
        if not (self._visible and target.is_terminal):
            return lambda: None
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415

        columns = (TextColumn("{task.description}"), BarColumn(bar_width=30), MofNCompleteColumn())
        progress = Progress(
            *columns, TextColumn("left"), TimeRemainingColumn(), console=target, transient=True
        )
        progress.start()
        self._close = progress.stop
        task = progress.add_task("tasks packed", total=total)
        return lambda: progress.advance(task)


def _print_files(written: WrittenReport, csv: Path | None) -> None:
    """Print the written files; the page last, so that scripts can read that line."""
    if written.charts:
        charts = escaped_path(written.charts[0].parent)
        click.echo(f"{counted(len(written.charts), 'chart')} in {charts}", err=True)
    if csv:
        click.echo(f"overview in {escaped_path(csv)}", err=True)
    if written.side:
        click.echo(f"answers are in {escaped_path(written.side)}: send this folder with the page", err=True)
    for reason in written.left_out:
        click.echo(f"not on the page: {escaped_path(reason)}", err=True)
    for note in written.notes:
        click.echo(f"note: {note}", err=True)
    counts = {"run": len(written.runs), "task": written.tasks, "answer": written.answers}
    click.echo(", ".join(counted(count, noun) for noun, count in counts.items()), err=True)
    click.echo(escaped_path(written.page))


def _document(written: WrittenReport, csv: Path | None) -> dict[str, object]:
    return {
        "report": str(written.page),
        "answers_folder": str(written.side) if written.side else None,
        "charts": [str(path) for path in written.charts],
        "csv": str(csv) if csv else None,
        "runs": [{"name": run.name, "run": run.contestant.path} for run in written.runs],
        "tasks": written.tasks,
        "answers": written.answers,
        "left_out": written.left_out,
        "notes": written.notes,
    }
