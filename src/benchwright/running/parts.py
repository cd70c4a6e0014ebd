"""Finished runs as parts of one run: their tasks, whether they are complete, and whether they fit."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from benchwright.contracts import JudgedAnswer
from benchwright.display.escape import escaped_name, escaped_path
from benchwright.errors import RunError, command_name
from benchwright.records import Score, TaskId, Verdict
from benchwright.running.reading import profiles_of, read_score
from benchwright.running.stored_coverage import unanswered_in
from benchwright.running.task_choice import FIELD
from benchwright.store.keys import JUDGES, RULES, content_key, differences
from benchwright.store.runfolder import RunFolder
from benchwright.store.writing import Head, read_records

_HASH = re.compile(r"\b([0-9a-f]{8})[0-9a-f]{24,}\b")
_SHOWN = 3
_AGAIN = "its run's command again ends it"
_ALONE = {  # what a run may have that is about all of its answers together
    "limit": "it was run with --limit, so its part has no name: choose it with --tasks, such as --tasks 0:5",
    "agent": "an agent asked about its failed answers again, and those rounds cannot be merged yet",
    JUDGES: "model judges have assessed its answers: merge runs before they are assessed",
}


class RunPart(NamedTuple):
    """A finished run, with its tasks by their ids in the data."""

    folder: RunFolder
    score: Score
    tasks: set[TaskId]
    profiles: list[str]
    unanswered: tuple[TaskId, ...] = ()  # tasks that it was run for and that its stored answers lack
    counts: Mapping[TaskId, int] = {}  # answers to each task


def read_part(folder: RunFolder) -> RunPart:
    """Read a run to merge. Raises RunError for an unfinished, incomplete or assessed run."""
    found, place = read_score(folder), escaped_path(folder.path)
    identity = folder.manifest["identity"]
    if "finished" not in folder.manifest:
        raise RunError(f"{place} is not finished", hint=_AGAIN)
    for field, why in _ALONE.items():
        if identity.get(field):
            raise RunError(f"{place} cannot be merged: {why}", hint="leave it out")
    if (folder.path / "votes.jsonl").exists():
        why = "people have judged its answers: merge runs before people judge them"
        raise RunError(f"{place} cannot be merged: {why}", hint="leave it out")
    if not found.self_check.holds:
        raise RunError(f"{place}: its self-check does not hold, so its verdicts prove nothing", hint=_AGAIN)
    counts = Counter(head.task_id for head in read_records(folder.answers_path, Head))
    tasks, unanswered = set(counts), tuple(unanswered_in(found.details))
    told = identity.get(FIELD)
    if told and told.get("key") != content_key(sorted(map(str, {*tasks, *unanswered}))):
        message = f"{place} has answers to other tasks than it was run for ({len(tasks):,})"
        raise RunError(message, hint="restore it from a copy, or run this part again")
    if found.missing:
        message = f"{place} lacks {found.missing:,} answers or verdicts through no fault of the model"
        raise RunError(
            message, hint=f"give its command again, which retries them; then {command_name()} merge"
        )
    return RunPart(folder, found, tasks, profiles_of(folder), unanswered, counts)


def common_identity(parts: Sequence[RunPart]) -> dict[str, Any]:
    """Return the identity of the merged run, without its tasks.

    Raises RunError where the parts differ in more than their tasks, or two of them have a task in common.
    """
    first = parts[0]
    identity = _without_tasks(first)
    for part in parts[1:]:
        other = _without_tasks(part)
        differing = [*differences(identity, other), *_other_rules(identity, other)]
        if differing:
            message = f"{_names(first, part)} are not parts of one run: {_shortly(differing)}"
            hint = f"run this part again with the settings of {escaped_path(first.folder.path)}"
            raise RunError(message, hint=hint)
    for number, part in enumerate(parts):
        for other_part in parts[number + 1 :]:
            _check_disjoint(part, other_part)
    return identity


def _shortly(differing: Sequence[str]) -> str:
    """Return the first few differences, with hashes shortened."""
    told = "; ".join(_HASH.sub(r"\1…", each) for each in differing[:_SHOWN])
    more = len(differing) - _SHOWN
    return f"{told}; and {more} more" if more > 0 else told


def _without_tasks(part: RunPart) -> dict[str, Any]:
    return {name: value for name, value in part.folder.manifest["identity"].items() if name != FIELD}


def _other_rules(one: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    """Return the differences in the rules of judging, which a resumed run may change."""
    return [
        f"`{name}` was {escaped_name(repr(one.get(name)))}, now {escaped_name(repr(other.get(name)))}"
        for name in RULES
        if one.get(name) != other.get(name)
    ]


def _check_disjoint(one: RunPart, other: RunPart) -> None:
    common = one.tasks & other.tasks
    if not common:
        return
    task_id = min(common, key=str)
    number = f"task {escaped_name(str(task_id))}"
    both = number if len(common) == 1 else f"{len(common):,} tasks, {number} among them,"
    ends = _ends(one, common), _ends(other, common)
    if ends[0] == ends[1]:
        message = f"{_names(one, other)} both have {both} with the same verdicts"
        raise RunError(message, hint="leave one of the two out, or run parts that share no task: --tasks 1/2")
    differing = min((key for key in ends[0] if ends[0][key] != ends[1].get(key)), key=str, default=None)
    told = ""
    if differing is not None:
        first, second = (_outcome(each.get(differing)) for each in ends)
        answer = f"answer {differing[1]} to task {escaped_name(str(differing[0]))}"
        told = f": {answer} is {first} in the first and {second} in the second"
    message = f"{_names(one, other)} both have {both} and do not agree{told}"
    raise RunError(message, hint=f"look at both before either is used: {command_name()} show RUN TASK")


def _ends(part: RunPart, tasks: set[TaskId]) -> dict[tuple[TaskId, int], JudgedAnswer]:
    return {
        (verdict.task_id, verdict.sample): JudgedAnswer.of(verdict, "")
        for verdict in read_records(part.folder.verdicts_path(), Verdict)
        if verdict.task_id in tasks
    }


def _outcome(judged: JudgedAnswer | None) -> str:
    return "not judged" if judged is None else judged.outcome.value


def _names(one: RunPart, other: RunPart) -> str:
    return f"{escaped_path(one.folder.path)} and {escaped_path(other.folder.path)}"
