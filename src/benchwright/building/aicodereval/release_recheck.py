"""Recheck of a release: whether its entries still give the same results, here or in another profile.

No model takes part; the canonical solutions are executed again. If a result differs from that at the release,
the environment has changed, and an answer that fails on that entry says nothing about its model.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from benchwright.building.aicodereval.draft_execution import spec_for, steady_levels
from benchwright.building.aicodereval.release_folder import check_release, entries_of, manifest_of
from benchwright.display.escape import escaped_path, quoted
from benchwright.errors import DataError, PrerequisiteError, UsageError, command_name
from benchwright.executing.trials import TrialResult, Trials, environment_lock, vary
from benchwright.records import Outcome, Record
from benchwright.sandbox.environments import find_environment
from benchwright.tracks.aicodereval.entry import BenchmarkEntry, program_of
from benchwright.tracks.aicodereval.stand_in_models import PROFILE, make_requested, unavailable

_SPLITS = ("test", "train")  # tiers that were never executed cannot change
FieldChange = tuple[str | None, str | None]  # version at the release and now; None if missing


class EntryState(StrEnum):
    """pass: same result as at the release. fail: another result, always or sometimes.

    infrastructure: it could not be executed as intended, which says nothing about it.
    """

    passed = "pass"
    failed = "fail"
    infrastructure = "infrastructure"


class RecheckedEntry(Record, frozen=True, kw_only=True):
    """The result of an entry, with its levels at the release and now if they differ."""

    task_id: str
    state: EntryState
    detail: str = ""
    released: dict[str, Outcome] = {}
    levels: dict[str, Outcome] = {}


class RecheckedRelease(Record, frozen=True, kw_only=True):
    """All executed entries of a release, and the differences of the environment."""

    name: str
    version: str
    entries: list[RecheckedEntry]
    locks: dict[str, dict[str, FieldChange]]  # by the entries' own profile: package, version then and now

    @property
    def counts(self) -> dict[EntryState, int]:
        """The number of entries in each state."""
        return {state: sum(each.state is state for each in self.entries) for state in EntryState}


class _RecheckSubject(NamedTuple):
    entry: BenchmarkEntry
    released: dict[str, Outcome]


def recheck(folder: Path, trials: Trials, *, profile: str = "") -> RecheckedRelease:
    """Execute each canonical solution five times with variations, in its own profile or in the named one.

    Raises DataError for a changed release, UsageError for an unknown profile.
    """
    if profile:
        find_environment(profile)
    manifest = manifest_of(folder)
    if faults := check_release(folder):
        message = f"{escaped_path(folder)} differs from the release: {faults[0]}"
        raise DataError(message, hint=f"{command_name()} release check {quoted(folder)}")
    subjects = _subjects(folder, profile)
    lacks = {name: why for name in {each.entry.environment for each in subjects} if (why := _lack(name))}
    ended = _executed([each for each in subjects if each.entry.environment not in lacks], trials)
    return RecheckedRelease(
        name=manifest["name"],
        version=manifest["version"],
        entries=[_rechecked(each, ended, lacks) for each in subjects],
        locks=dict(_locks(folder, profile)),
    )


def _subjects(folder: Path, profile: str) -> list[_RecheckSubject]:
    lines = (folder / "admissions.jsonl").read_bytes().splitlines()
    admissions = [msgspec.json.decode(line, type=dict[str, Any]) for line in lines]
    levels = {each["task_id"]: msgspec.convert(each["levels"], dict[str, Outcome]) for each in admissions}
    found = []
    for task, (split, row) in entries_of(folder).items():
        if split in _SPLITS:
            entry = msgspec.convert(row, BenchmarkEntry)
            entry = msgspec.structs.replace(entry, environment=profile or entry.environment)
            found.append(_RecheckSubject(entry, levels[task]))
    return found


def _lack(environment: str) -> str:
    """Why a profile cannot be used; empty if it can."""
    try:
        environment_lock(environment)
    except (PrerequisiteError, UsageError) as error:
        return error.message
    return ""


def _executed(subjects: Sequence[_RecheckSubject], trials: Trials) -> dict[str, list[TrialResult]]:
    """The results of each task's executions; without their stand-ins some fail for that reason."""
    entries = [each.entry for each in subjects if each.entry.environment == PROFILE]
    make_requested(
        {one.id: one for each in entries for one in each.stand_ins}.values(), note=trials.watch.note
    )
    wanted = [vary(program_of(each.entry), spec_for(each.entry)) for each in subjects]
    ended = iter(trials.run([trial for group in wanted for trial in group], name="recheck"))
    pairs = zip(subjects, wanted, strict=True)
    return {each.entry.task_id: [next(ended) for _ in group] for each, group in pairs}


def _rechecked(
    subject: _RecheckSubject, ended: Mapping[str, list[TrialResult]], lacks: Mapping[str, str]
) -> RecheckedEntry:
    task = subject.entry.task_id
    if why := lacks.get(subject.entry.environment):
        return RecheckedEntry(task_id=task, state=EntryState.infrastructure, detail=why)
    mine = ended[task]
    if failed := [each for each in mine if each.outcome.is_missing]:
        return RecheckedEntry(task_id=task, state=EntryState.infrastructure, detail=failed[0].detail)
    levels = steady_levels(list(subject.released), mine)
    if levels == subject.released:
        return RecheckedEntry(task_id=task, state=EntryState.passed)
    detail = next((each.detail for each in mine if each.detail), "")
    absent = any(unavailable(each.detail, program_of(subject.entry)) for each in mine)
    return RecheckedEntry(
        task_id=task,
        state=EntryState.infrastructure if absent else EntryState.failed,
        detail=detail,
        released=subject.released,
        levels=levels,
    )


def _locks(folder: Path, profile: str) -> Iterator[tuple[str, dict[str, FieldChange]]]:
    """The differences from the environment lock of the release, by installed profile."""
    content = (folder / "environment.json").read_bytes()
    then: dict[str, dict[str, str]] = msgspec.json.decode(content)["profiles"]
    for name, old in then.items():
        if _lack(profile or name):
            continue
        new = environment_lock(profile or name)
        both = sorted({*old, *new})
        changed = {each: (old.get(each), new.get(each)) for each in both if old.get(each) != new.get(each)}
        if changed:
            yield name, changed
