"""Shared by the commands on human votes: store votes in run folders, score again, summarise."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchwright.cli.arguments import need_station
from benchwright.cli.scores import people_lines
from benchwright.display.escape import escaped_path, quoted
from benchwright.display.wording import counted
from benchwright.errors import PrerequisiteError, RunError, UsageError, command_name
from benchwright.judges.people.records import Vote, place_of
from benchwright.records import Score
from benchwright.running.human_labels import people_of
from benchwright.running.judged_items import VoteUpdate, read_votes, run_digest, store_votes
from benchwright.running.rescoring import rescore
from benchwright.running.run_data import DataByHash, data_of, open_run
from benchwright.running.run_folders import PEOPLE_FACT
from benchwright.store.runfolder import RunFolder

NAMED = 3  # votes that an error names


def keep_and_score(
    folders: Sequence[RunFolder], votes: Mapping[str, Sequence[Vote]], given: DataByHash
) -> dict[str, dict[str, Any]]:
    """Store votes, by path of the run, in place of its votes, and score it again; a JSON document for each
    run.
    """
    documents = {}
    for folder in folders:
        update = store_votes(folder, votes[str(folder.path)])
        score = rescore(folder, data_of(folder, given))
        documents[str(folder.path)] = {
            "votes": update.votes,
            "news": update.news,
            "of_others": update.of_others,
            "removed": update.removed,
            "backup": update.backup,
            "people": score.details.get(PEOPLE_FACT, {}),
        }
        documents[str(folder.path)]["told"] = [*vote_summary(folder, score), *_removed_lines(update)]
    return documents


def _removed_lines(update: VoteUpdate) -> Iterator[str]:
    if update.removed:
        yield f"  {counted(update.removed, 'vote')} removed; the previous file is {update.backup}"


def vote_summary(folder: RunFolder, score: Score) -> list[str]:
    """A summary of the human votes of a run, in lines."""
    place = escaped_path(folder.path)
    if people_of(score) is None:
        return [f"{place}: no votes"]
    first, *rest = people_lines(score)
    return [f"{place}: {first}", *(f"  {line}" for line in rest)]


def alphas(votes: Iterable[Vote]) -> dict[str, dict[str, Any]]:
    """Krippendorff's alpha of blind votes on each field; empty without the extra `stats`."""
    from benchwright.judges.people.agreement import reliability  # noqa: PLC0415 (numpy)
    from benchwright.stats.agreement import DRAWS  # noqa: PLC0415 (numpy)

    try:
        found = reliability(list(votes), draws=DRAWS)
    except PrerequisiteError:
        return {}
    return {
        field: {
            "value": alpha.value,
            "low": alpha.low,
            "high": alpha.high,
            "why": alpha.why,
            "items": alpha.items,
            "level": alpha.name.removeprefix("alpha_"),
        }
        for field, alpha in found.items()
    }


def alpha_lines(found: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """The alphas in words."""
    for field, alpha in found.items():
        if alpha["value"] is None:
            yield f"{field}: no alpha: {alpha['why']}"
            continue
        bounds = f" ({alpha['low']:.2f} to {alpha['high']:.2f})" if alpha["low"] is not None else ""
        basis = f"{alpha['level']}, {counted(alpha['items'], 'item')}"
        yield f"{field}: Krippendorff's alpha {alpha['value']:.2f}{bounds}, {basis}"


def write_station_votes(
    database: str, project: str, runs: Sequence[str], given: DataByHash
) -> dict[str, Any]:
    """Merge the votes of a station's project into the folders of its runs, or of the given ones.

    Votes from elsewhere stay. Votes of the project in a folder that were replaced or undone in the station
    are removed. Raises UsageError for an unknown project, and RunError for a run of another project, or
    for a vote of a judge that the folder has with another value.
    """
    with need_station("a station's database"):
        from benchwright.web.core.database import open_database  # noqa: PLC0415 (the extra `web`)
    from benchwright.web.station.application import PARTS  # noqa: PLC0415
    from benchwright.web.station.vote_records import (  # noqa: PLC0415
        equal_pairs_of,
        find_project,
        project_names,
        runs_of,
        vote_keys_of,
        votes_of,
    )

    opened = open_database(_place(database), PARTS)
    try:
        key = opened.read_now(lambda session: find_project(session, project))
        if key is None:
            names = opened.read_now(project_names)
            raise UsageError(
                f"--project {project!r}: no such project", hint=f"one of: {', '.join(names) or 'none'}"
            )
        sources = opened.read_now(lambda session: runs_of(session, key))
        votes = opened.read_now(lambda session: list(votes_of(session, key)))
        project_keys = opened.read_now(lambda session: vote_keys_of(session, key))
        equal = opened.read_now(lambda session: equal_pairs_of(session, key))
    finally:
        opened.close()
    folders = [open_run(path) for path in runs or [path for _, path in sources]]
    known = {digest for digest, _ in sources}
    for folder in folders:
        if run_digest(folder) not in known:
            message = f"{escaped_path(folder.path)} is not a run of {project!r}"
            raise RunError(message, hint=f"its runs: {', '.join(path for _, path in sources)}")
    merged = {str(folder.path): _merge_votes(folder, votes, project_keys) for folder in folders}
    documents = keep_and_score(folders, merged, given)
    messages = [line for document in documents.values() for line in document.pop("told")]
    if equal:
        messages.append(equal_pairs_note(equal))
    return {"runs": documents, "votes": len(votes), "equal_pairs": equal, "told": messages}


def _merge_votes(folder: RunFolder, votes: Sequence[Vote], project_keys: frozenset[str]) -> list[Vote]:
    """A run's votes from elsewhere together with those of the project."""
    others = [vote for vote in read_votes(folder) if vote.vote not in project_keys]
    places = {place_of(vote) for vote in votes}
    conflicts = [vote for vote in others if place_of(vote) in places]
    if conflicts:
        vote_list = ", ".join(
            f"{vote.judge} on {vote.field} of item {vote.item}" for vote in conflicts[:NAMED]
        )
        problem = f"{counted(len(conflicts), 'vote')} differ between votes.jsonl and the station"
        message = f"{escaped_path(folder.path)}: {problem}: {vote_list}"
        raise RunError(
            message, hint="nothing was written: resolve the difference in votes.jsonl, then export again"
        )
    return [*others, *votes]


def equal_pairs_note(number: int) -> str:
    """The note on pairs of equal answers."""
    return f"{counted(number, 'pair')} of equal answers: ties that are not shown and not counted"


def _place(database: str) -> str:
    """The database address; a file must exist, because opening it would create it."""
    if "://" not in database and not Path(database).is_file():
        hint = f"{command_name()} judge serve RUN… --database {quoted(database)}"
        raise UsageError(f"--database {escaped_path(database)}: no such file", hint=hint)
    return database
