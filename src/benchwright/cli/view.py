"""`benchwright view [FOLDER]`: pages of runs that are updated while the runs grow."""

from __future__ import annotations

import webbrowser
from pathlib import Path

import click

from benchwright.cli.arguments import json_option, need_station, not_empty, print_json
from benchwright.cli.shell_completion import run_folders
from benchwright.display.escape import escaped_path, quoted
from benchwright.errors import UsageError

DEFAULT = "runs"


@click.command(context_settings={"show_default": True})
@click.argument("folder", default=DEFAULT, callback=not_empty, shell_complete=run_folders)
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="0 selects a free port.")
@click.option("--host", default="127.0.0.1", callback=not_empty, help="An address of this machine alone.")
@click.option("--open/--no-open", "opens", default=False, help="Open the page in your browser.")
@json_option
def command(folder: str, port: int, host: str, opens: bool, as_json: bool) -> None:
    """Serve live pages of the runs in FOLDER: progress, and answers as they arrive.

    FOLDER is a run folder or holds run folders, also of runs that start later. The pages change nothing and
    can be opened on this machine only. Stop the view with Ctrl-C.

    \b
    benchwright view
    benchwright view runs/nightly --port 8080 --open
    """
    top = checked_folder(Path(folder))
    with need_station("the live view"):
        from benchwright.web.view import application  # noqa: PLC0415 (half a second, and the extra `web`)

    def ready(address: str) -> None:
        if as_json:
            print_json({"address": address, "folder": str(top)})
        else:
            click.echo(address)
            click.echo("press Ctrl-C to stop", err=True)
        if opens and not webbrowser.open(address):
            click.echo("warning: no browser was found; open the address yourself", err=True)

    application.serve_view(top, application.ListenOptions(host=host, port=port), ready)


def checked_folder(top: Path) -> Path:
    """Return a folder. Raises UsageError if there is none."""
    try:
        is_folder, exists = top.is_dir(), top.exists()
    except (OSError, ValueError):  # a NUL byte, or a name that no file system takes
        is_folder = exists = False
    if is_folder:
        return top
    if exists:
        raise UsageError(f"{escaped_path(top)} is a file, not a folder", hint="name the folder of the runs")
    hint = f"start a run, or create the folder: mkdir -p {quoted(top)}"
    raise UsageError(f"folder not found: {escaped_path(top)}", hint=hint)
