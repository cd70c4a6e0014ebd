"""`benchwright export benchmark`: rows of benchmarks from the test split of a release."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click

from benchwright.cli.arguments import (
    as_path,
    json_option,
    need_builders,
    not_empty_each,
    print_json,
)
from benchwright.cli.shell_completion import files
from benchwright.display.escape import escaped_path
from benchwright.display.wording import counted
from benchwright.errors import UsageError, command_name
from benchwright.records import full_document

TRACKS = ("smartcoding-refine", "smartcoding-comments", "smartcoding-issues")


@click.command(context_settings={"show_default": True})
@click.argument("release", callback=as_path, shell_complete=files)
@click.option("--track", type=click.Choice(TRACKS), required=True, help="Track of the rows.")
@click.option(
    "--out", callback=as_path, shell_complete=files, metavar="FOLDER", required=True, help="New folder."
)
@click.option(
    "--rung",
    "rungs",
    type=int,
    multiple=True,
    default=(1, 2, 3),
    metavar="N",
    help="Rungs of evidence whose links make rows of smartcoding-refine; repeatable.",
)
@click.option(
    "--clone",
    "clones",
    multiple=True,
    callback=not_empty_each,
    metavar="OWNER/NAME=PATH",
    help="Clone of a repository; repeatable.  [default: those of the build around the release]",
)
@click.option(
    "--against",
    multiple=True,
    callback=not_empty_each,
    shell_complete=files,
    metavar="FOLDER",
    help="Training export that may not have a repository of the rows; repeatable.",
)
@click.option(
    "--execute",
    is_flag=True,
    help="Execute test files of the answers in the sandbox; add those that fail before and pass after.",
)
@json_option
def command(
    release: Path,
    track: str,
    out: Path,
    rungs: tuple[int, ...],
    clones: tuple[str, ...],
    against: tuple[str, ...],
    execute: bool,
    as_json: bool,
) -> None:
    """Write rows of a benchmark from the test split of a release or build folder of `build alignment`.

    Rows of smartcoding-refine are review remarks with the lines that answered them; of smartcoding-comments,
    code from commits that only add comments; of smartcoding-issues, issues with their answers. About one
    repository in ten is in the test split; one that has rows in another split is refused. The folder has
    data, records in the format of collected data sets, all left-out items with reasons, a card, and a
    manifest with hashes and a canary.

    \b
    benchwright export benchmark builds/click --track smartcoding-refine --out refine
    benchwright export benchmark builds/click --track smartcoding-comments --out comments
    benchwright export benchmark RELEASE --track smartcoding-issues --out issues --against training
    """
    places = dict(map(_clone, clones))
    with need_builders("the export of benchmark rows"):
        from benchwright.building.alignment.benchmark.benchmark_export import (  # noqa: PLC0415 (an extra)
            export_benchmark,
        )
    folders = [Path(each) for each in against]
    written = export_benchmark(
        release, track, out, rungs=rungs, clones=places, against=folders, execute=execute
    )
    if as_json:
        print_json(full_document(written))
        return
    repos = counted(len(written.repos), "repository", "repositories")
    click.echo(f"{counted(written.rows, 'row')} of {track} from {repos}")
    click.echo(f"left out: {_counts(written.dropped) or 'nothing'}; each is in dropped.jsonl")
    if written.tests is not None:
        click.echo(f"tests: {_counts(written.tests)}")
    click.echo(f"to check them: {command_name()} check {escaped_path(out / 'data' / 'test.jsonl')}")


def _counts(found: Mapping[str, int]) -> str:
    return ", ".join(f"{number:,} {name.replace('_', ' ')}" for name, number in found.items())


def _clone(text: str) -> tuple[str, Path]:
    name, sign, place = text.partition("=")
    if not (name and sign and place):
        raise UsageError(
            f"--clone: expected OWNER/NAME=PATH, got {text!r}", hint="--clone me/it=clones/it.git"
        )
    return name, Path(place)
