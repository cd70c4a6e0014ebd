"""Items for human and model judges: answers with verdicts and exhibits; and the file of votes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import msgspec

from benchwright.contracts import AssessableTrack, JudgeInput, Track
from benchwright.display.escape import escaped_name, escaped_path, quoted
from benchwright.errors import DataError, RunError, UsageError
from benchwright.judges.people.judged_items import item_of, kind_of
from benchwright.judges.people.records import ItemAnswer, JudgedItem, Vote, fault_of, in_order, place_of
from benchwright.records import Answer, Outcome, Task, TaskId, Verdict
from benchwright.running.run_data import HINT, RunData, identity_field
from benchwright.running.run_folders import VOTES_FILE
from benchwright.store.files import open_binary
from benchwright.store.keys import content_key, without_rules
from benchwright.store.lines import scan_lines
from benchwright.store.runfolder import RunFolder
from benchwright.store.strict_json import JsonOrigin, parse_object
from benchwright.store.writing import write_records


class _ComparedText(NamedTuple):
    """One answer that people can judge."""

    task_id: TaskId
    answer: ItemAnswer
    exhibit: JudgeInput


def run_digest(folder: RunFolder) -> str:
    """Return the identifier of a run in items. It is independent of judges and of the version."""
    return content_key("run", without_rules(folder.manifest["identity"]))


def items_of_run(folder: RunFolder, data: RunData) -> Iterator[JudgedItem]:
    """Yield an item for each answer that rules have not settled, in canonical order.

    Raises RunError for a missing data set or missing verdicts, and UsageError for a track whose answers need
    no human judgement.
    """
    for side in _sides(folder, data):
        kind = kind_of(side.exhibit)
        yield item_of(side.exhibit, [side.answer], kind=kind, task_id=side.task_id, track=data.track.name)


def items_of_pair(a: RunFolder, b: RunFolder, data: RunData) -> Iterator[JudgedItem]:
    """Yield an item for each task and sample that both runs answered differently.

    Raises as `items_of_run`, and RunError for runs of different tracks, data sets or profiles.
    """
    for one, other in _pairs(a, b, data):
        if other.answer.text != one.answer.text:
            yield item_of(
                one.exhibit,
                [one.answer, other.answer],
                kind="pair",
                task_id=one.task_id,
                track=data.track.name,
            )


def equal_pairs(a: RunFolder, b: RunFolder, data: RunData) -> int:
    """Count the tasks and samples that both runs answered with the same text: ties without a vote.

    Raises as `items_of_pair`.
    """
    return sum(one.answer.text == other.answer.text for one, other in _pairs(a, b, data))


def _pairs(a: RunFolder, b: RunFolder, data: RunData) -> Iterator[tuple[_ComparedText, _ComparedText]]:
    for field in ("track", "data", "profile"):
        if identity_field(a, field) != identity_field(b, field):
            runs = f"{escaped_path(a.path)} and {escaped_path(b.path)}"
            raise RunError(f"{runs} differ in their {field}", hint="compare runs of one data set")
    other_texts = {(each.task_id, each.answer.sample): each for each in _sides(b, data)}
    for one in _sides(a, data):
        other = other_texts.get((one.task_id, one.answer.sample))
        if other is not None:
            yield one, other


def checked_data(folder: RunFolder, data: RunData) -> dict[TaskId, Task]:
    """Return the tasks of a run that people can judge. Raises as `items_of_run`."""
    if not isinstance(data.track, AssessableTrack):
        message = (
            f"{escaped_path(folder.path)}: answers to {data.track.name} are judged by execution or label"
        )
        raise UsageError(message, hint="name a run of smartcoding-comments or smartcoding-issues")
    if data.absent:
        raise RunError(data.absent, hint=HINT)
    return data.tasks()


def _sides(folder: RunFolder, data: RunData) -> Iterator[_ComparedText]:
    run, tasks = run_digest(folder), checked_data(folder, data)
    for each in shown_answers(folder, data.track, tasks, profile=identity_field(folder, "profile")):
        if each.exhibit is not None:
            answer = ItemAnswer(
                run=run, key=each.answer.key, sample=each.answer.sample, text=each.exhibit.candidate
            )
            yield _ComparedText(each.answer.task_id, answer, each.exhibit)


TO_JUDGE = (Outcome.scored, Outcome.undecided)


class ShownAnswer(NamedTuple):
    """An answer, its current verdict and its verdict by rules. `exhibit` is None where rules settle it."""

    answer: Answer
    verdict: Verdict
    by_rules: Verdict
    exhibit: JudgeInput | None


def shown_answers(
    folder: RunFolder, track: Track, tasks: Mapping[TaskId, Task], *, profile: str
) -> Iterator[ShownAnswer]:
    """Yield every answer of a run in canonical order. Raises RunError where verdicts are missing."""
    assert isinstance(track, AssessableTrack)
    verdicts = folder.verdicts()
    for answer in folder.answers():
        verdict = next(verdicts, None)
        if verdict is None or (verdict.task_id, verdict.sample) != (answer.task_id, answer.sample):
            hint = "run the same command again to judge what is missing"
            raise RunError(f"verdicts are missing in {escaped_path(folder.path)}", hint=hint)
        task = tasks[answer.task_id]
        by_rules = track.assessed(task, verdict, ())
        exhibit = None
        if by_rules.outcome in TO_JUDGE:
            extraction = track.extract(task, answer, profile=profile)
            exhibit = track.exhibit(task, answer, extraction, by_rules)
        yield ShownAnswer(answer, verdict, by_rules, exhibit)


MAX_VOTE = 1 << 18  # bytes of one row
MAX_VOTES = 1_000_000


class VoteUpdate(NamedTuple):
    """Counts of the votes that were added to a run.

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
    return folder.path / VOTES_FILE


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
                message = f"more than {MAX_VOTES:,} votes"
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
        raise origin.error(f"invalid vote: {escaped_name(str(error), 200)}", hint=_FORM) from None
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


def store_votes(folder: RunFolder, votes: Iterable[Vote]) -> VoteUpdate:
    """Put these votes in the place of a run's votes: those on its answers, in canonical order.

    Before a row is removed, the file is copied under a name made of its content. Raises DataError
    for two votes of one judge in one place. Without votes there is no file, and the bytes of the folder are
    those of a run that nobody has judged.
    """
    given = list(votes)
    places, path = answer_places(folder), votes_path(folder)
    own = in_order((vote for vote in given if any(key in places for key in vote.answers)), places)
    _refuse_doubled(own, path)
    stored_votes = read_votes(folder)
    before, after = {vote.vote for vote in stored_votes}, {vote.vote for vote in own}
    removed = [vote for vote in stored_votes if vote.vote not in after]
    backup = _back_up(path, stored_votes) if removed else ""
    if own:
        write_records(path, own)
    else:
        path.unlink(missing_ok=True)
    return VoteUpdate(len(own), len(after - before), len(given) - len(own), len(removed), backup)


def _back_up(path: Path, votes: Iterable[Vote]) -> str:
    """Copy the file of votes in its folder. Equal content has one copy."""
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
