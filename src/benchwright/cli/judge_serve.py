"""`benchwright judge serve RUN…`: a web station on which people judge answers, blind."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from benchwright.cli.arguments import (
    Option,
    SectionedCommand,
    as_path,
    data_of_runs,
    json_option,
    need_station,
    not_empty,
    print_json,
)
from benchwright.cli.listen_options import SERVING, listening_of, tls_options
from benchwright.cli.shell_completion import files, run_folders
from benchwright.display.wording import counted
from benchwright.errors import UsageError, command_name

DATABASE = "station.sqlite"
_NEW = "New project"


@click.command(cls=SectionedCommand, context_settings={"show_default": True})
@click.argument("runs", nargs=-1, metavar="RUN...", shell_complete=run_folders)
@data_of_runs
@click.option(
    "--database",
    envvar="DATABASE_URL",
    default=DATABASE,
    callback=not_empty,
    metavar="FILE|URL",
    help="Database of projects, accounts and votes: a SQLite file, or postgresql://USER@HOST/NAME.",
)
@json_option
@click.option(
    "--kind",
    cls=Option,
    section=_NEW,
    type=click.Choice(["rate", "decide", "pair", "annotate"]),
    show_default=False,
    help="Kind of judgement.  [default: that of the track; pair for two runs]",
)
@click.option(
    "--judgements", cls=Option, section=_NEW, type=click.IntRange(1, 1000), default=3, help="Judges per item."
)
@click.option(
    "--repeat",
    cls=Option,
    section=_NEW,
    type=click.FloatRange(0, 1),
    default=0.1,
    help="Share of items shown to a judge a second time.",
)
@click.option(
    "--gold",
    cls=Option,
    section=_NEW,
    callback=as_path,
    shell_complete=files,
    metavar="FILE",
    help="Gold items to mix in: rows of task_id, answer, expected.",
)
@click.option(
    "--threshold",
    cls=Option,
    section=_NEW,
    type=click.FloatRange(0, 1),
    default=0.5,
    help="Agreement below which an item is adjudicated.",
)
@click.option(
    "--lease",
    cls=Option,
    section=_NEW,
    type=click.IntRange(1, 24 * 60),
    default=20,
    help="Minutes an item is reserved for a judge.",
)
@click.option(
    "--name",
    cls=Option,
    section=_NEW,
    default="",
    help="Project name, shown to judges. Do not mention models.",
)
@click.option(
    "--seed",
    cls=Option,
    section=_NEW,
    callback=not_empty,
    help="Seed of the judges' orders, to reproduce them.",
)
@click.option("--host", cls=Option, section=SERVING, default="127.0.0.1", callback=not_empty)
@click.option(
    "--port",
    cls=Option,
    section=SERVING,
    type=click.IntRange(0, 65535),
    default=0,
    help="0 selects a free port.",
)
@tls_options
def command(runs: tuple[str, ...], database: str, as_json: bool, **given: Any) -> None:
    """Serve a web station on which people judge answers of runs, blind and by keyboard.

    The same runs open the same project with all its votes. The address is printed, and at the first start
    a link that creates the first account. Without RUN, the existing projects of the database are served.
    Stop the station with Ctrl-C; every vote is stored at once.

    \b
    benchwright judge serve runs/mine
    benchwright judge serve runs/mine runs/theirs --kind pair --judgements 5
    benchwright judge serve runs/mine --host 0.0.0.0 --public --tls-certificate c.pem --tls-key k.pem
    """
    with need_station("a judging station"):
        from benchwright.web.station import application  # noqa: PLC0415 (half a second, and the extra `web`)
    if not runs and not _exists(database):
        raise UsageError("no run given", hint=f"{command_name()} judge serve RUN")
    listening = listening_of(given)
    project_options = application.ProjectOptions(
        kind=given["kind"],
        judgements=given["judgements"],
        repeat_share=given["repeat"],
        threshold=given["threshold"],
        lease_s=given["lease"] * 60,
        gold=given["gold"],
        seed=given["seed"],
        name=given["name"],
    )
    printer = _StartupPrinter(as_json, ignored=_given_for_new(click.get_current_context()))
    application.serve_runs(
        [*runs],
        given["data"],
        database,
        project_options,
        listening,
        is_public=given["public"],
        tell=printer.print_address,
    )


class _StartupPrinter:
    """Prints the address of the station and, once, the link for the first account."""

    def __init__(self, as_json: bool, *, ignored: str = "") -> None:
        self._as_json, self._ignored = as_json, ignored

    def print_address(self, address: str, setup: str | None, project: Any) -> None:
        """Print one JSON document, or lines for people with only the address on stdout."""
        link = f"{address}/setup?token={setup}" if setup else None
        if self._ignored and project is not None and not project.is_new:
            click.echo(
                f"warning: {self._ignored}: the project already exists and keeps its settings", err=True
            )
        if self._as_json:
            document = None if project is None else project._asdict()
            print_json({"address": address, "setup": link, "project": document})
            return
        if project is not None:
            state = "new project" if project.is_new else "existing project"
            added = (
                f", {counted(project.added, 'item')} of them new"
                if project.added and not project.is_new
                else ""
            )
            click.echo(f"{state}: {counted(project.items, 'item')}{added}", err=True)
            if project.equal_pairs:
                from benchwright.cli.judge_votes import equal_pairs_note  # noqa: PLC0415 (loads the tracks)

                click.echo(equal_pairs_note(project.equal_pairs), err=True)
        if link:
            click.echo("create the first account with this link, which is not printed again:", err=True)
            click.echo(f"  {link}", err=True)
        click.echo(address)
        click.echo("press Ctrl-C to stop", err=True)


def _given_for_new(context: click.Context) -> str:
    """The options of a new project that were given."""
    option_names = (
        max(param.opts, key=len)
        for param in context.command.params
        if isinstance(param, Option)
        and param.section == _NEW
        and param.name != "kind"  # another kind is another project
        and context.get_parameter_source(str(param.name)) is ParameterSource.COMMANDLINE
    )
    return ", ".join(option_names)


def _exists(database: str) -> bool:
    return "://" in database or os.path.exists(Path(database))
