"""`benchwright backup FILE` and `benchwright restore FILE FOLDER`: the data of a server."""

from __future__ import annotations

from pathlib import Path

import click

from benchwright.cli.arguments import as_path, json_option, need_station, not_empty, print_json
from benchwright.cli.shell_completion import files
from benchwright.display.escape import escaped_name, escaped_path, quoted
from benchwright.display.wording import counted
from benchwright.errors import command_name

DATABASE = "serve.sqlite"


@click.command(context_settings={"show_default": True})
@click.argument("file", metavar="FILE", callback=as_path)
@click.option(
    "--database",
    envvar="DATABASE_URL",
    default=DATABASE,
    callback=not_empty,
    metavar="FILE|URL",
    help="Database of the server: a SQLite file, or postgresql://USER@HOST/NAME.",
)
@click.option(
    "--submissions",
    default="submissions",
    callback=not_empty,
    metavar="FOLDER",
    help="Folder of pushed runs.",
)
@click.option(
    "--accept",
    "rules",
    callback=as_path,
    shell_complete=files,
    metavar="FILE",
    help="Include this file of data sets, and the data next to it.",
)
@json_option
def command(file: Path, database: str, submissions: str, rules: Path | None, as_json: bool) -> None:
    """Write the data of a server to FILE: accounts, spaces, pushed runs and their state.

    The server may be running: the backup has the state of one moment. It works for `serve` and `judge serve`.
    FILE is a ZIP archive with hashes of passwords and tokens; only its owner can read it. The run folders
    given to `serve` are not included. PostgreSQL needs pg_dump.

    \b
    benchwright backup backup.zip
    benchwright backup backup.zip --database serve.sqlite --submissions submissions --accept data.toml
    benchwright backup backup.zip --database postgresql://bench@db.example.org/bench
    """
    with need_station("a backup"):
        from benchwright.web.serve.backup import BackupSource, take_backup  # noqa: PLC0415 (half a second)
    backup = take_backup(BackupSource(database, Path(submissions), rules), file)
    size = file.stat().st_size
    if as_json:
        document = {"file": str(file), "bytes": size, "rows": backup.rows, "submissions": backup.submissions}
        print_json({**document, "files": len(backup.files), "missing": backup.missing})
        return
    rows = counted(sum(backup.rows.values()), "row")
    pushed = counted(backup.submissions, "submission")
    click.echo(
        f"{escaped_path(file)}: {rows}, {pushed}, {counted(len(backup.files), 'file')}, {size:,} bytes"
    )
    if backup.missing:
        deleted = counted(len(backup.missing), "submission")
        click.echo(f"warning: {deleted} lost files during the backup: {', '.join(backup.missing)}", err=True)


@click.command()
@click.argument("file", metavar="FILE", callback=as_path, shell_complete=files)
@click.argument("folder", metavar="FOLDER", callback=as_path)
@click.option(
    "--database",
    envvar="DATABASE_URL",
    metavar="URL",
    help="An empty database, postgresql://USER@HOST/NAME, for a backup of PostgreSQL.",
)
@json_option
def restore_command(file: Path, folder: Path, database: str | None, as_json: bool) -> None:
    """Restore a backup of a server to FOLDER, and print the command that serves it.

    FOLDER must not exist or be empty, and a PostgreSQL database must be empty: nothing is overwritten. Every
    file is checked by its hash before FOLDER appears.

    \b
    benchwright restore backup.zip restored
    benchwright restore backup.zip restored --database postgresql://bench@db.example.org/new
    """
    with need_station("restoring a backup"):
        from benchwright.web.serve.restore import restore_backup  # noqa: PLC0415 (half a second)
    server = restore_backup(file, folder, database)
    if as_json:
        rules = None if server.rules is None else str(server.rules)
        document = {"folder": str(folder), "database": server.database, "rules": rules}
        print_json({**document, "submissions": str(server.submissions), "rows": server.manifest.rows})
        return
    rows = counted(sum(server.manifest.rows.values()), "row")
    click.echo(f"restored: {rows}, {counted(server.manifest.submissions, 'submission')}", err=True)
    words = f"{command_name()} serve --database {quoted(server.database)}"
    if server.rules is not None or server.manifest.submissions:
        rules = "data.toml" if server.rules is None else quoted(server.rules)
        words += f" --submissions {quoted(server.submissions)} --accept {rules}"
    click.echo(escaped_name(words, 2_000))
