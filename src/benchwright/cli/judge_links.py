"""`benchwright judge links RELEASE --out PROJECT` and `benchwright judge precision PROJECT [SHEET…]`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from benchwright.building.alignment.exports.release_tables import AlignmentRelease
from benchwright.building.alignment.indicators import (
    DataIndicator,
    LabelAgreement,
    label_agreement,
    reliability,
)
from benchwright.building.alignment.label_project import (
    STATION,
    LabelProject,
    keep_votes,
    read_label_project,
    sampled_links,
    write_label_project,
)
from benchwright.building.alignment.link_items import TRACK, link_items
from benchwright.building.alignment.records import RUNGS
from benchwright.cli.arguments import as_path, json_option, need_station, print_json
from benchwright.cli.judge_export import guide_text
from benchwright.cli.judge_import import print_refused
from benchwright.cli.shell_completion import files
from benchwright.cli.terminal import console
from benchwright.contracts.assessing import JUDGE_LANGUAGES
from benchwright.display.escape import escaped_path, quoted
from benchwright.display.wording import counted
from benchwright.errors import DataError, PrerequisiteError, UsageError, command_name
from benchwright.interop.sheets import SheetPlan, read_letter, read_sheet, write_sheets
from benchwright.interop.vote_import import VoteImporter
from benchwright.judges.people.agreement import COEFFICIENTS
from benchwright.judges.people.guidance import default_guidance
from benchwright.judges.people.records import Vote
from benchwright.records import Drop, full_document
from benchwright.store.writing import write_json

SHEETS, INDICATORS = "sheets", "indicators.json"
NAME = "Links"


@click.command(context_settings={"show_default": True})
@click.argument("release", metavar="RELEASE", callback=as_path, shell_complete=files)
@click.option("--out", required=True, callback=as_path, metavar="PROJECT", help="Folder of the project.")
@click.option(
    "--sample", type=click.IntRange(min=1), help="Number of links, sampled with the seed.  [default: all]"
)
@click.option("--seed", default="1", help="Seed of the sample and of the judges' orders.")
@click.option("--rungs", metavar="N,…", help="Only links of these rungs, such as 1,2,3.  [default: all]")
@click.option("--judges", metavar="NAME,…", help="People who get a sheet: pseudonyms, used in their votes.")
@click.option(
    "--language", type=click.Choice(JUDGE_LANGUAGES), default="en", help="Language of the instructions."
)
@json_option
def command(release: Path, out: Path, as_json: bool, **given: Any) -> None:
    """Make a project in which people label links: did this change answer the remark?

    Each item has the remark, the lines before and the change; the rung is not shown. The project has a
    database for `judge serve`, if the station is installed, and a sheet for each of --judges.

    \b
    benchwright judge links releases/mine --out labels --sample 200 --judges anna,boris
    benchwright judge serve --database labels/station.sqlite
    benchwright judge precision labels labels/sheets/anna.csv labels/sheets/boris.csv
    """
    rungs = _rungs(given["rungs"])
    project, dropped = _sample_links(release, rungs, given["sample"], given["seed"])
    if not project.items:
        reason = _reason_counts(dropped) or "the release has no links of these rungs"
        raise DataError(
            f"no link to label: {reason}", path=escaped_path(release), hint="choose other --rungs"
        )
    write_label_project(out, project)
    document: dict[str, Any] = {"project": str(out), "items": len(project.items), "dropped": dropped}
    messages = [f"{counted(len(project.items), 'link')} to label in {escaped_path(out)}"]
    if dropped:
        messages.append(f"not labelled by people: {_reason_counts(dropped)}")
    document["sheets"] = _write_sheets(out, project, given, messages)
    document["station"] = _write_station(out, project, given, messages)
    if as_json:
        print_json(document)
        return
    for line in messages:
        click.echo(line)


def _rungs(text: str | None) -> frozenset[int]:
    """The rungs of --rungs; all but 0 without it."""
    if text is None:
        return frozenset(RUNGS)
    parts = [part.strip() for part in text.split(",")]
    known = {str(rung) for rung in RUNGS}
    if wrong := [part for part in parts if part not in known]:
        raise UsageError(f"--rungs: unknown rung: {wrong[0]}", hint="--rungs 1,2,3")
    return frozenset(map(int, parts))


def _sample_links(
    release: Path, rungs: frozenset[int], sample: int | None, seed: str
) -> tuple[LabelProject, dict[str, int]]:
    """The sampled links of a release, and the number of links that cannot be labelled, by reason."""
    tables = AlignmentRelease(release)
    remarks = {each.id: each for each in tables.feedback()}
    links = (link for link in tables.links() if link.rung in rungs)
    found = list(link_items(links, remarks, tables.patch))
    dropped = Counter(each.reason for each in found if isinstance(each, Drop))
    pairs = (each for each in found if not isinstance(each, Drop))
    return sampled_links(pairs, sample=sample, seed=seed), dict(sorted(dropped.items()))


def _reason_counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{count:,} {reason.replace('_', ' ')}" for reason, count in counts.items())


def _write_sheets(out: Path, project: LabelProject, given: dict[str, Any], messages: list[str]) -> list[str]:
    judges = [name.strip() for name in (given["judges"] or "").split(",") if name.strip()]
    if not judges:
        return []
    guide = default_guidance("link", given["language"])
    plan = SheetPlan(
        judges=judges,
        seed=given["seed"],
        guide=guide_text(guide, project.items[0].fields),
        rubric=guide.digest,
    )
    output = write_sheets(project.items, out / SHEETS, plan)
    messages.append(f"sheets: {', '.join(map(escaped_path, output.sheets))}")
    return [str(path) for path in output.sheets]


def _write_station(
    out: Path, project: LabelProject, given: dict[str, Any], messages: list[str]
) -> str | None:
    """Write the database of the station; None if the station is not installed."""
    try:
        with need_station("a project of the judging station"):
            from benchwright.web.station import application  # noqa: PLC0415 (the extra `web`)
    except PrerequisiteError as error:
        messages.append(f"no database for the station: {error}")
        return None
    source = application.ReadyItems(project.items, "link", TRACK, given["language"])
    project_options = application.ProjectOptions(
        judgements=2, repeat_share=0.0, seed=given["seed"], name=NAME
    )
    application.make_item_project(out / STATION, source, project_options)
    messages.append(
        f"to label in the station: {command_name()} judge serve --database {quoted(out / STATION)}"
    )
    return str(out / STATION)


@click.command()
@click.argument("project", metavar="PROJECT", callback=as_path, shell_complete=files)
@click.argument("sheets", metavar="[SHEET]...", nargs=-1, shell_complete=files)
@click.option("--judges", metavar="NAME,…", help="Judges, if the folder of a sheet has no sheets.json.")
@click.option("--encoding", default="utf-8", help="Encoding of CSV files, such as cp1251.")
@json_option
def precision_command(
    project: Path, sheets: tuple[str, ...], judges: str | None, encoding: str, as_json: bool
) -> None:
    """Read the labels of links and measure the precision of each rung.

    Labels come from filled sheets, and from the project's station database. They are kept in the project.
    Each share has its count and Wilson's interval at 95 %; a rung without labels is not measured.

    \b
    benchwright judge precision labels
    benchwright judge precision labels labels/sheets/anna.csv labels/sheets/boris.csv --json
    """
    known = read_label_project(project)
    judge_names = frozenset(name.strip() for name in judges.split(",")) if judges else None
    boxes = [_read(Path(sheet), known, judge_names, encoding) for sheet in sheets]
    votes = [*_station_votes(project), *(vote for box in boxes for vote in box.votes)]
    known = keep_votes(project, known, votes) if votes else known
    found = reliability(known.links, known.votes)
    agreed = label_agreement(known.votes)
    refused = [each for box in boxes for each in box.refused]
    document = {
        "items": len(known.items),
        "votes": len(known.votes),
        "refused": full_document(refused),
        "reliability": full_document(found),
        "agreement": full_document(agreed),
    }
    write_json(project / INDICATORS, document)
    print_refused(console(), refused)
    if as_json:
        print_json(document)
    else:
        for line in _lines(known, found, agreed):
            click.echo(line)
    if refused:
        click.get_current_context().exit(1)


def _read(path: Path, known: LabelProject, judge_names: frozenset[str] | None, encoding: str) -> VoteImporter:
    letter = read_letter(path)
    judges = judge_names if judge_names is not None else letter.judges if letter else None
    if judges is None:
        message = f"{escaped_path(path)}: its folder has no sheets.json, so the judges are unknown"
        raise UsageError(message, hint="--judges anna,boris")
    box = VoteImporter(known.items, judges=judges, known=known.votes, rubric=letter.rubric if letter else "")
    read_sheet(path, box, encoding=encoding)
    return box


def _station_votes(project: Path) -> list[Vote]:
    """The votes of the project's station; none without its database."""
    if not (project / STATION).is_file():
        return []
    with need_station("the votes of a station"):
        from benchwright.web.station.application import votes_in_file  # noqa: PLC0415 (the extra `web`)
    return votes_in_file(project / STATION, NAME)


def _lines(
    known: LabelProject, found: Sequence[DataIndicator], agreed: LabelAgreement | None
) -> Iterator[str]:
    """The figures in words."""
    yield f"{counted(len(known.items), 'link')}, {counted(len(known.votes), 'vote')}"
    for each in found:
        unsure = f", {each.unsure} undecided" if each.unsure else ""
        if each.share is None:
            yield f"rung {each.name} ({each.about}): not measured: {each.why}{unsure}"
            continue
        bounds = f"{each.share.value:.3f} ({each.share.low:.3f} to {each.share.high:.3f})"
        yield f"rung {each.name} ({each.about}): precision {bounds}, {each.hits} of {each.n}{unsure}"
    if agreed is None:
        yield "agreement: not measured: nobody has labelled a link"
        return
    yield f"{counted(agreed.people, 'person', 'people')} labelled {counted(agreed.links, 'link')}:"
    for name in agreed.figures:
        yield f"  {COEFFICIENTS[name]} {agreed.text(name)}"
