"""`benchwright serve FOLDER…`: live pages of runs and leaderboards."""

from __future__ import annotations

import signal
import threading
import webbrowser
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from benchwright.cli.arguments import (
    SectionedCommand,
    as_path,
    json_option,
    need_station,
    not_empty,
    print_json,
)
from benchwright.cli.listen_options import listening_of, oidc_of, oidc_options, tls_options
from benchwright.cli.shell_completion import run_folders
from benchwright.cli.view import checked_folder
from benchwright.display.escape import escaped_path
from benchwright.errors import UsageError

DATABASE = "serve.sqlite"


@click.command(cls=SectionedCommand, context_settings={"show_default": True})
@click.argument("folders", nargs=-1, metavar="FOLDER...", shell_complete=run_folders)
@click.option(
    "--database",
    envvar="DATABASE_URL",
    default=DATABASE,
    callback=not_empty,
    metavar="FILE|URL",
    help="Index of the runs and accounts: a SQLite file, or postgresql://USER@HOST/NAME.",
)
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="0 selects a free port.")
@click.option("--host", default="127.0.0.1", callback=not_empty, help="Address to listen on.")
@click.option("--open/--no-open", "opens", default=False, help="Open the page in your browser.")
@click.option(
    "--freeze",
    "frozen",
    callback=as_path,
    metavar="FOLDER",
    help="Write all pages to an empty folder and end; they open from a disk or any static host.",
)
@click.option(
    "--accept",
    "rules",
    callback=as_path,
    metavar="FILE",
    help="Accept pushed runs on the data sets in this file; pages then have accounts.",
)
@click.option(
    "--submissions",
    "state",
    default="submissions",
    callback=not_empty,
    metavar="FOLDER",
    help="Folder of pushed runs.",
)
@click.option(
    "--on", default="local", callback=not_empty, metavar="WHERE", help="Where pushed runs are judged."
)
@click.option(
    "--judge/--no-judge",
    "judges",
    default=True,
    help="Judge pushed runs on this machine, or leave them to processes with --judge-only.",
)
@click.option("--judge-only", is_flag=True, help="Judge pushed runs of another server; serve no pages.")
@tls_options
@oidc_options
@json_option
def command(
    folders: tuple[str, ...],
    database: str,
    opens: bool,
    frozen: Path | None,
    judge_only: bool,
    as_json: bool,
    **given: Any,
) -> None:
    """Serve leaderboards and live pages of the runs in FOLDER.

    FOLDER is a run folder or holds run folders, also of runs that start later.  [default: runs]
    Leaderboards rank the finished runs that can be compared, as `benchwright rank` does.
    Without --accept the pages change nothing and open on this machine only. Stop the server with Ctrl-C.

    \b
    benchwright serve
    benchwright serve runs/nightly runs/releases --port 8080
    benchwright serve runs --freeze site
    benchwright serve --accept data.toml
    benchwright serve --accept data.toml --judge-only
    benchwright serve --accept data.toml --host 0.0.0.0 --public --behind-proxy 127.0.0.1 --allowed-host b.org
    """
    rules = given["rules"]
    if judge_only and not given["judges"]:
        raise UsageError("--judge-only and --no-judge are mutually exclusive", hint="use only one of them")
    if judge_only and rules is None:
        raise UsageError("--judge-only needs the data sets to judge", hint="--accept data.toml --judge-only")
    if rules is not None:
        _serve_team(folders, database, given, as_json, judge_only)
        return
    if given["public"] or given["oidc_issuer"]:
        raise UsageError(
            "a server without --accept has no accounts, so only this machine may reach it",
            hint="--accept data.toml, as in docs/submissions.md",
        )
    tops = [checked_folder(Path(folder)) for folder in folders or ("runs",)]
    with need_station("the server"):
        from benchwright.web.serve import application  # noqa: PLC0415 (half a second, and the extra `web`)
    if frozen is not None:
        _freeze(tops, frozen, as_json=as_json)
        return

    def ready(address: str) -> None:
        if as_json:
            print_json({"address": address, "folders": [str(top) for top in tops]})
        else:
            click.echo(address)
            click.echo("press Ctrl-C to stop", err=True)
        if opens and not webbrowser.open(address):
            click.echo("warning: no browser was found; open the address yourself", err=True)

    application.serve_folders(tops, database, listening_of(given), ready)


def _freeze(tops: Sequence[Path], out: Path, *, as_json: bool) -> None:
    from benchwright.web.serve.static_site import freeze  # noqa: PLC0415 (as above)

    site = freeze(tops, out)
    for each in site.left_out:
        click.echo(f"no report: {each}", err=True)
    if as_json:
        print_json({"page": str(site.page), "files": site.files, "left_out": list(site.left_out)})
    else:
        click.echo(escaped_path(site.page))


def _serve_team(
    folders: tuple[str, ...], database: str, given: Mapping[str, Any], as_json: bool, judge_only: bool
) -> None:
    with need_station("the server"):
        from benchwright.web.serve import team  # noqa: PLC0415 (half a second, and the extra `web`)
    options = team.TeamOptions(
        given["rules"],
        Path(given["state"]),
        given["on"],
        judges=given["judges"],
        is_public=given["public"],
        oidc=oidc_of(given),
    )
    if judge_only:
        ended = threading.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: ended.set())
        click.echo("judging; press Ctrl-C to stop", err=True)
        team.judge_only(database, options, ended)
        return

    def ready(address: str, setup: str | None) -> None:
        link = f"{address}/setup?token={setup}" if setup else None
        if as_json:
            print_json({"address": address, "setup": link})
            return
        if link:
            click.echo("create the first account with this link, which is not printed again:", err=True)
            click.echo(f"  {link}", err=True)
        click.echo(address)
        click.echo("press Ctrl-C to stop", err=True)

    tops = [checked_folder(Path(folder)) for folder in folders]
    team.serve_team(tops, database, listening_of(given), ready, options)
