"""`benchwright report BUILD`: statistics of a build of AICoderEval in the terminal, on a page, as charts."""

from __future__ import annotations

from pathlib import Path

import click
import msgspec

from benchwright.building.aicodereval.build_statistics import BuildStatistics, statistics_of
from benchwright.cli.arguments import print_json
from benchwright.cli.build_options import funnel_table
from benchwright.cli.terminal import console, print_whole
from benchwright.display.escape import escaped_path, markup
from benchwright.display.text_table import text_table
from benchwright.display.wording import counted


def report_build(folder: Path, out: Path | None, charts: Path | None, *, as_json: bool) -> None:
    """Write the page of a build, by default `report.html` in its folder, and print its statistics."""
    from benchwright.building.aicodereval.page import write_build_page  # noqa: PLC0415 (jinja2: 0.1 s)

    found = statistics_of(folder)
    written = write_build_page(found, out or folder / "report.html", charts=charts)
    if as_json:
        paths = {"report": str(written.page), "charts": [str(path) for path in written.charts]}
        print_json({**paths, "left_out": written.left_out, "statistics": msgspec.to_builtins(found)})
        return
    print_statistics(found)
    for reason in written.left_out:
        click.echo(f"not on the page: {escaped_path(reason)}", err=True)
    if written.charts:
        click.echo(
            f"{counted(len(written.charts), 'chart')} in {escaped_path(written.charts[0].parent)}", err=True
        )
    click.echo(escaped_path(written.page))


def print_statistics(found: BuildStatistics) -> None:
    """Print the funnel, and the rows of all charts in one table."""
    from benchwright.building.aicodereval.page import lede, number, tallies  # noqa: PLC0415 (jinja2: 0.1 s)

    target = console()
    print_whole(target, funnel_table(found.funnel))
    table = text_table(header=False)
    for tally in tallies(found):
        if tally.key == "funnel":  # printed above
            continue
        table.add_row(f"[bold]{markup(tally.title)}[/]", "")
        for name, value in tally.rows:
            table.add_row(f"  {markup(name)}", number(value))
    print_whole(target, table)
    target.print(f"[bold]{markup(lede(found))}[/]", soft_wrap=True)
