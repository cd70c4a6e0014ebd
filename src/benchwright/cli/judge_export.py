"""`benchwright judge export RUN… --format FORMAT --out FOLDER`, and export of votes from a station's
database.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import click

from benchwright.cli.arguments import as_path, data_of_runs, json_option, print_json
from benchwright.cli.shell_completion import files, run_folders
from benchwright.contracts.assessing import JUDGE_LANGUAGES
from benchwright.display.escape import escaped_path, quoted
from benchwright.display.wording import counted
from benchwright.errors import RunError, UsageError, command_name
from benchwright.interop import argilla, label_studio
from benchwright.interop.sheets import SheetPlan, check_judges, values_in_words, write_sheets
from benchwright.interop.vote_import import Suggestion
from benchwright.judges.people.guidance import Guidance, default_guidance
from benchwright.judges.people.records import JudgedItem, Vote
from benchwright.judges.people.results import results_of
from benchwright.running.judged_items import items_of_pair, items_of_run, read_votes
from benchwright.running.run_data import data_by_hash, data_of, open_run
from benchwright.store.keys import content_key
from benchwright.store.runfolder import RunFolder

FORMATS = ("csv", "jsonl", "argilla", "label-studio")


@click.command(context_settings={"show_default": True})
@click.argument("runs", metavar="RUN...", nargs=-1, shell_complete=run_folders)
@click.option("--format", "form", type=click.Choice(FORMATS), default="csv", help="Output format.")
@click.option("--judges", metavar="NAME,…", help="Judges who get a sheet: pseudonyms, used in their votes.")
@click.option("--kind", type=click.Choice(["answers", "pairs"]), default="answers",
              help="Judge single answers, or pairs of two runs' answers to a task.")  # fmt: skip
@click.option(
    "--sample", type=click.IntRange(min=1), help="Number of items, sampled with the seed.  [default: all]"
)
@click.option("--seed", default="1", help="Seed of the orders and sides.")
@click.option(
    "--language",
    type=click.Choice(JUDGE_LANGUAGES),
    default="en",
    help="Language of the instructions.",
)
@click.option("--adjudicate", is_flag=True, help="Only items on which people disagree, with their votes.")
@click.option("--with-votes", is_flag=True, help="Argilla, Label Studio: existing votes as responses.")
@click.option("--suggest", is_flag=True,
              help="Argilla, Label Studio: include verdicts of model judges (not blind).")  # fmt: skip
@click.option(
    "--database",
    metavar="FILE|URL",
    shell_complete=files,
    help="Database of a station, whose votes are written into the runs.",
)
@click.option("--project", metavar="NAME", help="Project in the database.")
@click.option("--out", callback=as_path, metavar="FOLDER", help="Output folder.")
@data_of_runs
@json_option
def command(runs: tuple[str, ...], data: tuple[str, ...], as_json: bool, **given: Any) -> None:
    """Write items for people to judge, as sheets or for another tool; or write a station's votes into runs.

    Sheets are blind: they name no model, score or verdict, each judge has a separate order, and the
    sides of pairs are shuffled. `judge import` reads the filled sheets.

    \b
    benchwright judge export runs/mine --judges anna,boris --out sheets
    benchwright judge export runs/mine runs/theirs --kind pairs --judges anna --out sheets
    benchwright judge export runs/mine --format label-studio --out tasks
    benchwright judge export --database station.sqlite --project issues
    """
    if given["database"] or given["project"]:
        document = _from_station(runs, given["database"], given["project"], data)
    else:
        document = _to_files(runs, data, given)
    if as_json:
        print_json(document)
        return
    for line in document["told"]:
        click.echo(line)


def _to_files(runs: Sequence[str], data: Sequence[str], given: dict[str, Any]) -> dict[str, Any]:
    out: Path | None = given["out"]
    if not runs or out is None:
        raise UsageError("missing RUN or --out", hint=f"{command_name()} judge export runs/mine --out sheets")
    folders = [open_run(run) for run in runs]
    items = sampled_items(items_of(folders, data, given["kind"]), given["sample"], given["seed"])
    votes = list({vote.vote: vote for folder in folders for vote in read_votes(folder)}.values())
    disputes: dict[str, str] = {}
    if given["adjudicate"]:
        if not votes:
            voting = f"{command_name()} judge export {quoted(runs[0])} --judges NAME,NAME --out FOLDER"
            raise RunError("nothing to adjudicate: no votes yet", hint=voting)
        disputes = disagreements(votes)
        items = [item for item in items if item.item in disputes]
    if not items:
        reason = "people agree on all items" if given["adjudicate"] else "rules decided every answer"
        raise RunError(f"nothing to judge: {reason}", hint=f"{command_name()} show {quoted(runs[0])}")
    guide = default_guidance(items[0].kind, given["language"])
    if given["form"] in ("csv", "jsonl"):
        return _sheets(items, out, given, guide, disputes)
    return _tasks(items, out, given, guide, votes, folders)


def _sheets(
    items: Sequence[JudgedItem], out: Path, given: dict[str, Any], guide: Guidance, disputes: dict[str, str]
) -> dict[str, Any]:
    judges = [name.strip() for name in (given["judges"] or "").split(",") if name.strip()]
    if not judges:
        raise UsageError("no judges given", hint="--judges anna,boris")
    check_judges(judges)
    plan = SheetPlan(
        judges=judges,
        seed=given["seed"],
        form=given["form"],
        round="adjudication" if disputes else "first",
        guide=guide_text(guide, items[0].fields),
        rubric=guide.digest,
    )
    output = write_sheets(items, out, plan, said=disputes)
    messages = [f"{counted(output.items, 'item')} in each of: {', '.join(map(escaped_path, output.sheets))}"]
    if output.cut:
        messages.append(
            f"{counted(output.cut, 'text')} too long for a cell: send {escaped_path(out / 'texts')} along"
        )
    messages.append(
        f"sheets.json and {counted(len(judges), 'sheet')} are read by: {command_name()} judge import"
    )
    return {
        "sheets": [str(path) for path in output.sheets],
        "items": output.items,
        "cut": output.cut,
        "told": messages,
    }


def _tasks(
    items: Sequence[JudgedItem],
    out: Path,
    given: dict[str, Any],
    guide: Guidance,
    votes: Sequence[Vote],
    folders: Sequence[RunFolder],
) -> dict[str, Any]:
    """Write files for another tool."""
    visible_votes = votes if given["with_votes"] else ()
    suggested = suggestions(folders, items) if given["suggest"] else []
    text = guide_text(guide, items[0].fields)
    write = argilla.write_dataset if given["form"] == "argilla" else label_studio.write_tasks
    paths = write(items, out, seed=given["seed"], guide=text, votes=visible_votes, suggestions=suggested)
    messages = [f"{counted(len(items), 'item')} in {', '.join(map(escaped_path, paths))}"]
    if suggested:
        messages.append(
            "the items include verdicts of models: labels given with them in view cannot calibrate a judge"
        )
    return {"files": [str(path) for path in paths], "items": len(items), "told": messages}


def items_of(folders: Sequence[RunFolder], data: Sequence[str], kind: str) -> list[JudgedItem]:
    """The items of these runs: of each run, or of each pair of runs."""
    given = data_by_hash(data)
    if kind == "answers":
        return [item for folder in folders for item in items_of_run(folder, data_of(folder, given))]
    if len(folders) < 2:
        raise UsageError("--kind pairs needs two runs", hint="give a second run")
    return [
        item
        for at, a in enumerate(folders)
        for b in folders[at + 1 :]
        for item in items_of_pair(a, b, data_of(a, given))
    ]


def sampled_items(items: Sequence[JudgedItem], sample: int | None, seed: str) -> list[JudgedItem]:
    """A sample of the items, by the seed; it does not depend on votes."""
    if sample is None or sample >= len(items):
        return list(items)
    return sorted(items, key=lambda item: content_key("drawn", seed, item.item))[:sample]


def disagreements(votes: Iterable[Vote]) -> dict[str, str]:
    """The votes on items that need adjudication, without names, in an order that hides judges."""
    votes = list(votes)
    open_items = {each.item for each in results_of(votes) if each.needs_adjudication}
    texts: dict[str, list[str]] = {}
    for vote in sorted(votes, key=lambda vote: content_key("shown", vote.vote)):
        if vote.item in open_items and vote.round == "first":
            texts.setdefault(vote.item, []).append(
                f"{vote.field}: {vote.value}" + (f" ({vote.comment})" if vote.comment else "")
            )
    return {item: "\n".join(lines) for item, lines in texts.items()}


def suggestions(folders: Iterable[RunFolder], items: Iterable[JudgedItem]) -> list[Suggestion]:
    """The decisions of model judges on the items' answers; grades are on their scale from 1 to 5."""
    by_answer = {(item.answers[0].key, item.task_id): item for item in items if len(item.answers) == 1}
    found = []
    for folder in folders:
        for each in folder.assessments():
            item = by_answer.get((each.answer, each.task_id))
            if item is None or each.status != "judged":
                continue
            values: dict[str, int | str] = {name: round(1 + 4 * share) for name, share in each.scores.items()}
            values |= {"decision": each.label} if each.label else {}
            found += [
                Suggestion(item=item.item, field=name, value=value, agent=each.judge)
                for name, value in values.items()
                if name in item.fields
            ]
    return found


def guide_text(guide: Guidance, fields: Sequence[str]) -> str:
    """The instructions for judges as plain text."""
    lines = [guide.text, "", *values_in_words(fields), ""]
    for field, anchors in guide.anchors.items():
        lines += [field, *(f"  {value}: {text}" for value, text in anchors.items()), ""]
    return "\n".join(lines)


def _from_station(
    runs: Sequence[str], database: str | None, project: str | None, data: Sequence[str]
) -> dict[str, Any]:
    from benchwright.cli.judge_votes import write_station_votes  # noqa: PLC0415 (the extra `web`)

    if not (database and project):
        raise UsageError(
            "--database and --project must be used together", hint="--database FILE --project NAME"
        )
    return write_station_votes(database, project, list(runs), data_by_hash(data))
