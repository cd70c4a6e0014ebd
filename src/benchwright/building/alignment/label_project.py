"""A project for labelling links: a folder with the items, the links behind them, and the votes of people.

`links.jsonl` names the rung of each item. It stays with the owner of the project: judges get sheets or the
station, which have the items only.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from benchwright.building.alignment.link_items import LabelledLink
from benchwright.display.escape import escaped_path
from benchwright.errors import UsageError, command_name
from benchwright.judges.people.records import JudgedItem, Vote, place_of
from benchwright.store.keys import content_key
from benchwright.store.writing import make_parents, read_records, write_records

ITEMS, LINKS, VOTES, STATION = "items.jsonl", "links.jsonl", "votes.jsonl", "station.sqlite"


class LabelProject(NamedTuple):
    """The content of a project. Several links may share an item: the same ends on several rungs."""

    items: list[JudgedItem]
    links: list[LabelledLink]
    votes: list[Vote]


def sampled_links(
    pairs: Iterable[tuple[LabelledLink, JudgedItem]], *, sample: int | None, seed: str
) -> LabelProject:
    """Return the items of these links, or a simple random sample of them, in the order of the seed."""
    links: dict[str, list[LabelledLink]] = {}
    items: dict[str, JudgedItem] = {}
    for link, item in pairs:
        links.setdefault(item.item, []).append(link)
        items[item.item] = item
    order = sorted(items, key=lambda item: content_key("links", seed, item))[:sample]
    return LabelProject([items[each] for each in order], [link for each in order for link in links[each]], [])


def write_label_project(folder: Path, project: LabelProject) -> None:
    """Write a project. Raises UsageError if the folder has a project of other items."""
    if (folder / ITEMS).exists():
        known = {item.item for item in read_records(folder / ITEMS, JudgedItem)}
        if known != {item.item for item in project.items}:
            message = f"{escaped_path(folder)} is a project of other links"
            raise UsageError(message, hint="name another folder: --out NEW")
    make_parents(folder / ITEMS)
    write_records(folder / ITEMS, project.items)
    write_records(folder / LINKS, project.links)


def read_label_project(folder: Path) -> LabelProject:
    """Read a project. Raises UsageError for another folder, and DataError for a corrupt line."""
    if not (folder / ITEMS).is_file() or not (folder / LINKS).is_file():
        message = f"{escaped_path(folder)} is not a project of links"
        raise UsageError(message, hint=f"{command_name()} judge links RELEASE --out PROJECT")
    votes = folder / VOTES
    return LabelProject(
        items=list(read_records(folder / ITEMS, JudgedItem)),
        links=list(read_records(folder / LINKS, LabelledLink)),
        votes=list(read_records(votes, Vote)) if votes.is_file() else [],
    )


def keep_votes(folder: Path, project: LabelProject, new: Sequence[Vote]) -> LabelProject:
    """Add votes to a project, in canonical order; a vote at the same place replaces the earlier one."""
    at = {place_of(vote): vote for vote in (*project.votes, *new)}
    places = {item.item: place for place, item in enumerate(project.items)}
    votes = sorted(at.values(), key=lambda vote: (places.get(vote.item, len(places)), *place_of(vote)))
    write_records(folder / VOTES, votes)
    return project._replace(votes=votes)
