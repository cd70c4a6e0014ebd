"""The votes of people in a run folder: `votes.jsonl`, the only place from which figures take them.

One `Vote` a row, in canonical order: the same votes are the same bytes, whatever order they came in. A run
has the votes on its own answers; those on a pair of answers are in the folders of both runs.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from benchwright.display.escape import escaped_name, escaped_path, quoted
from benchwright.errors import DataError
from benchwright.judges.people.records import Vote
from benchwright.judges.people.votes import fault_of, in_order, place_of
from benchwright.store.files import open_binary
from benchwright.store.runfolder import RunFolder
from benchwright.store.scanning import scan_lines
from benchwright.store.strict_json import JsonOrigin, parse_object
from benchwright.store.writing import write_records

FILE = "votes.jsonl"
MAX_VOTE = 1 << 18  # bytes of one row
MAX_VOTES = 1_000_000


class Kept(NamedTuple):
    """What became of votes that were given for a run.

    `votes`: how many the run has now; `news`: how many of them are new; `of_others`: how many of those
    given are about other runs; `removed`: how many rows of the old file are not in the new one; `backup`: the
    name of the copy of the old file, empty where no row was removed.
    """

    votes: int
    news: int
    of_others: int
    removed: int = 0
    backup: str = ""


def votes_path(folder: RunFolder) -> Path:
    """Return the path of a run's votes."""
    return folder.path / FILE


def read_votes(folder: RunFolder) -> list[Vote]:
    """Return the votes in a run folder, which may be none. Raises DataError with line and field."""
    path = votes_path(folder)
    return list(scan_votes(path)) if path.exists() else []


def scan_votes(path: Path) -> Iterator[Vote]:
    """Yield the votes of a file, each checked: its form, its value, and one vote a judge and place."""
    place, keys, seen = escaped_path(path), dict[str, int](), dict[tuple[str, str, str, str], int]()
    with open_binary(path) as stream:
        for number, _, data in scan_lines(stream, place, max_line=MAX_VOTE):
            if len(keys) >= MAX_VOTES:
                message = f"there are more than {MAX_VOTES:,} votes"
                raise DataError(message, path=place, line=number, hint="split the run")
            origin = JsonOrigin(place, number)
            vote = _vote(data, origin)
            for known, name in ((keys.get(vote.vote), "vote"), (seen.get(place_of(vote)), "judge")):
                if known is not None:
                    raise origin.error(
                        f"is doubled: line {known} has it", field=name, hint=_hint(path, number)
                    )
            keys[vote.vote] = seen[place_of(vote)] = number
            yield vote


def _vote(data: bytes, origin: JsonOrigin) -> Vote:
    row = parse_object(data, origin, max_depth=4)
    try:
        vote = msgspec.convert(row, Vote)
    except msgspec.ValidationError as error:
        raise origin.error(f"is no vote: {escaped_name(str(error), 200)}", hint=_FORM) from None
    field, fault = fault_of(vote)
    if fault:
        raise origin.error(escaped_name(fault, 200), field=field, hint=_FORM)
    return vote


_FORM = "export the votes again; docs/judging-by-sheets.md says what a row holds"


def _hint(path: Path, number: int) -> str:
    return f"keep one of them: `sed -i {number}d {quoted(path)}`"


def answer_places(folder: RunFolder) -> dict[str, int]:
    """Return the position of each answer of a run, by its key."""
    return {answer.key: place for place, answer in enumerate(folder.answers())}


def keep_votes(folder: RunFolder, votes: Iterable[Vote]) -> Kept:
    """Put these votes in the place of a run's votes: those on its answers, in canonical order.

    A file that loses a row is copied beside itself first, under a name made of its content. Raises DataError
    for two votes of one judge in one place. Without votes there is no file, and the bytes of the folder are
    those of a run that nobody has judged.
    """
    given = list(votes)
    places, path = answer_places(folder), votes_path(folder)
    own = in_order((vote for vote in given if any(key in places for key in vote.answers)), places)
    _refuse_doubled(own, path)
    there = read_votes(folder)
    before, after = {vote.vote for vote in there}, {vote.vote for vote in own}
    removed = [vote for vote in there if vote.vote not in after]
    backup = _back_up(path, there) if removed else ""
    if own:
        write_records(path, own)
    else:
        path.unlink(missing_ok=True)
    return Kept(len(own), len(after - before), len(given) - len(own), len(removed), backup)


def _back_up(path: Path, votes: Iterable[Vote]) -> str:
    """Copy the file of votes beside itself. Equal content has one copy."""
    digest = hashlib.sha256(path.read_bytes()).hexdigest()[:12]
    copy = path.with_name(f"votes-{digest}.jsonl")
    write_records(copy, votes)
    return copy.name


def _refuse_doubled(votes: Iterable[Vote], path: Path) -> None:
    seen: set[tuple[str, str, str, str]] = set()
    for vote in votes:
        if place_of(vote) in seen:
            message = f"two votes of {vote.judge} on {vote.field} of item {vote.item} in round {vote.round}"
            raise DataError(message, path=escaped_path(path), hint="keep one of them")
        seen.add(place_of(vote))
