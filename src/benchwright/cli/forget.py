"""`benchwright forget WHO… --in BUILD`."""

from __future__ import annotations

from pathlib import Path

import click

from benchwright.building.alignment.forgetting import ForgetResult, forget
from benchwright.cli.arguments import as_path, json_option, not_empty_each, print_json
from benchwright.cli.build_options import quiet_option
from benchwright.cli.shell_completion import files
from benchwright.cli.terminal import console, watcher_for
from benchwright.display.escape import markup
from benchwright.display.wording import counted


@click.command()
@click.argument("who", nargs=-1, required=True, callback=not_empty_each)
@click.option(
    "--in",
    "folder",
    required=True,
    callback=as_path,
    shell_complete=files,
    metavar="BUILD",
    help="The folder of a build of the alignment data set.",
)
@json_option
@quiet_option
def command(who: tuple[str, ...], folder: Path, as_json: bool, quiet: bool) -> None:
    """Remove people, repositories or addresses from a build, and publish its release again.

    WHO is a login, an e-mail address, a name, OWNER/NAME of a repository, or the address of a page. The
    events, the caches and the release are rewritten without them. The request is stored as a keyed hash, so
    that later builds in the folder leave out the same. Name all logins and addresses of a person in one call.

    \b
    benchwright forget octocat octo@corp.com --in builds/click
    benchwright forget pallets/click --in builds/mine
    benchwright forget https://github.com/pallets/click/pull/12 --in builds/click
    """
    target = console()
    done = forget(who, folder, watch=watcher_for(target, quiet=quiet, as_json=as_json))
    if as_json:
        print_json(_document(done))
        return
    removed = f"{counted(done.events, 'event')} and {counted(done.patches, 'patch', 'patches')}"
    target.print(f"removed: {removed}; names replaced in {counted(done.changed, 'other record')}")
    missing = "no row is left: the release is removed"
    target.print(missing if done.build is None else f"released: {markup(done.build.release)}")


def _document(done: ForgetResult) -> dict[str, object]:
    release = None if done.build is None else done.build.release
    return {"events": done.events, "patches": done.patches, "changed": done.changed, "release": release}
