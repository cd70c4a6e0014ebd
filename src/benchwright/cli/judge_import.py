"""`benchwright judge import FILE… --run RUN…` and `benchwright judge score RUN…`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import msgspec
from rich.console import Console

from benchwright.cli.arguments import data_of_runs, json_option, not_empty_each, print_json
from benchwright.cli.judge_export import FORMATS, disagreements, items_of
from benchwright.cli.judge_votes import alpha_lines, alphas, keep_and_score
from benchwright.cli.shell_completion import files, run_folders
from benchwright.cli.terminal import console
from benchwright.display.escape import escaped_path, markup, quoted
from benchwright.display.wording import counted
from benchwright.errors import DataError, RunError, UsageError, command_name
from benchwright.interop import argilla, label_studio
from benchwright.interop.sheets import SheetRecipients, read_letter, read_sheet
from benchwright.interop.vote_import import RefusedCell, VoteImporter
from benchwright.judges.people.records import JudgedItem, Vote
from benchwright.running.judged_items import read_votes
from benchwright.running.run_data import data_by_hash, open_run
from benchwright.store.lines import read_rows
from benchwright.store.runfolder import RunFolder

SHOWN = 20  # refusals by name in a terminal; --json has all


@click.command(context_settings={"show_default": True})
@click.argument("sheets", metavar="FILE...", nargs=-1, required=True, shell_complete=files)
@click.option("--run", "runs", multiple=True, required=True, callback=not_empty_each,
              shell_complete=run_folders, help="Run whose answers were judged. Repeatable.")  # fmt: skip
@click.option(
    "--format", "form", type=click.Choice(FORMATS), help="Format of the files.  [default: detected]"
)
@click.option("--judges", metavar="NAME,…", help="Judges, if the file's folder has no sheets.json.")
@click.option("--encoding", default="utf-8", help="Encoding of CSV files, such as cp1251.")
@data_of_runs
@json_option
def command(
    sheets: tuple[str, ...],
    runs: tuple[str, ...],
    form: str | None,
    judges: str | None,
    encoding: str,
    data: tuple[str, ...],
    as_json: bool,
) -> None:
    """Import filled sheets, or files of another tool, as votes, and score the runs with them.

    Each invalid row is reported with its position and the reason; other rows are still imported, and the
    exit code is 1. Existing votes of a run stay. Items on which people disagree go to an adjudicator:
    `judge export --adjudicate`.

    \b
    benchwright judge import sheets/anna.csv sheets/boris.csv --run runs/mine
    benchwright judge import project-1-at-2026.json --run runs/mine --judges user-1,user-2
    """
    target, folders = console(), [open_run(run) for run in runs]
    given = data_by_hash(data)
    known = {str(folder.path): read_votes(folder) for folder in folders}
    items = _items(folders, data)
    before = list({vote.vote: vote for votes in known.values() for vote in votes}.values())
    judge_names = frozenset(name.strip() for name in judges.split(",")) if judges else None
    boxes: list[VoteImporter] = []
    for sheet in sheets:
        earlier_votes = [*before, *(vote for box in boxes for vote in box.votes)]
        boxes.append(_read(Path(sheet), form, encoding, judge_names, items, earlier_votes))
    refused = [each for box in boxes for each in box.refused]
    new_votes = [vote for box in boxes for vote in box.votes]
    repeated = sum(box.repeated for box in boxes)
    if not (new_votes or repeated):
        print_refused(target, refused)
        hint = f"the files are empty or belong to other runs: {command_name()} judge export --help"
        raise RunError(f"no votes in {counted(len(sheets), 'file')}", hint=hint)
    votes = {path: [*own, *new_votes] for path, own in known.items()}
    results = keep_and_score(folders, votes, given)
    agreement = alphas([*before, *new_votes])
    waiting = disagreements([*before, *new_votes])
    messages = [line for document in results.values() for line in document.pop("told")]
    document = {
        "taken": len(new_votes),
        "known": repeated,
        "refused": msgspec.to_builtins(refused),
        "runs": results,
        "agreement": agreement,
        "to_adjudicate": sorted(waiting),
    }
    print_refused(target, refused)
    if as_json:
        print_json(document)
    else:
        _print_import(document, folders, len(refused), messages)
    if refused:
        click.get_current_context().exit(1)  # accepted votes are stored and scored


def _print_import(
    document: dict[str, Any], folders: Sequence[RunFolder], refused: int, messages: Sequence[str]
) -> None:
    waiting, summary = document["to_adjudicate"], _summary(document["taken"], document["known"], refused)
    for line in [summary, *messages, *alpha_lines(document["agreement"])]:
        click.echo(line)
    if waiting:
        places = " ".join(quoted(folder.path) for folder in folders)
        click.echo(
            f"{counted(len(waiting), 'item')} for an adjudicator: {command_name()} judge export {places} "
            "--adjudicate --judges NAME --out FOLDER"
        )


def _items(folders: Sequence[RunFolder], data: Sequence[str]) -> list[JudgedItem]:
    """All items that may have been judged: each answer, and each pair of comparable runs."""
    items = items_of(folders, data, "answers")
    for at, a in enumerate(folders):
        for b in folders[at + 1 :]:
            if a.manifest["identity"].get("data") == b.manifest["identity"].get("data"):
                items += items_of([a, b], data, "pairs")
    return items


def _read(
    path: Path,
    form: str | None,
    encoding: str,
    judge_names: frozenset[str] | None,
    items: Sequence[JudgedItem],
    known: Sequence[Vote],
) -> VoteImporter:
    form = form or _form_of(path)
    letter = read_letter(path if not path.is_dir() else path / "file")
    is_sheet = form in ("csv", "jsonl")
    judges = judge_names if judge_names is not None else letter.judges if letter and is_sheet else None
    if is_sheet and judges is None:
        raise UsageError(
            f"{escaped_path(path)}: its folder has no sheets.json, so the judges are unknown",
            hint="--judges anna,boris",
        )
    box = VoteImporter(
        items, judges=judges, known=known, interface=form, rubric=letter.rubric if letter else ""
    )
    users = (letter or SheetRecipients(frozenset(), "")).users
    if is_sheet:
        read_sheet(path, box, encoding=encoding)
    elif form == "argilla":
        argilla.read_dataset(path, box, users=users)
    else:
        label_studio.read_tasks(path, box, users=users)
    return box


def _form_of(path: Path) -> str:
    """The format of a file, by its name or its first record. Raises DataError if it is unknown."""
    if path.is_dir():
        return "argilla" if (path / argilla.RECORDS).exists() else "label-studio"
    if path.suffix.lower() in (".csv", ".tsv", ".txt"):
        return "csv"
    if path.suffix.lower() == ".jsonl":
        return "jsonl"
    first = next(iter(read_rows(path, max_depth=16, surrogates="replace")), None)
    if first is None:
        raise DataError("contains no records", path=escaped_path(path), hint=f"--format {'|'.join(FORMATS)}")
    return "label-studio" if "annotations" in first.data or "data" in first.data else "argilla"


def _summary(new_votes: int, repeated: int, refused: int) -> str:
    parts = [f"{counted(new_votes, 'vote')} imported", f"{repeated:,} already present" if repeated else "",
             f"{counted(refused, 'cell')} refused" if refused else ""]  # fmt: skip
    return ", ".join(filter(None, parts))


def print_refused(target: Console, refused: Sequence[RefusedCell]) -> None:
    """Print the first refusals, and the number of each kind."""
    for each in refused[:SHOWN]:
        author = f" by {each.judge}" if each.judge else ""
        place = f"{each.file}:{each.row}, field `{each.field}`, item {each.item or '–'}{author}"
        target.print(markup(f"refused: {place}: {each.why}"), soft_wrap=True)
    if len(refused) > SHOWN:
        fields = Counter(each.field for each in refused[SHOWN:])
        rest = ", ".join(f"{number:,} in {field}" for field, number in fields.most_common(5))
        target.print(
            markup(f"refused: {len(refused) - SHOWN:,} more ({rest}); --json lists all"), soft_wrap=True
        )


@click.command(context_settings={"show_default": True})
@click.argument("runs", metavar="RUN...", nargs=-1, required=True, shell_complete=run_folders)
@data_of_runs
@json_option
def score_command(runs: tuple[str, ...], data: tuple[str, ...], as_json: bool) -> None:
    """Score finished runs again with the human votes in their folders, and print the result.

    \b
    benchwright judge score runs/mine
    """
    folders = [open_run(run) for run in runs]
    votes = {str(folder.path): read_votes(folder) for folder in folders}
    results = keep_and_score(folders, votes, data_by_hash(data))
    messages = [line for document in results.values() for line in document.pop("told")]
    if as_json:
        print_json({"runs": results})
        return
    for line in messages:
        click.echo(line)
