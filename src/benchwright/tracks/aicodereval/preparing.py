"""Creation of the stand-in models that entries need, before anything is executed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from benchwright.display.escape import escaped_name
from benchwright.display.wording import counted
from benchwright.errors import DataError
from benchwright.sandbox.profiles import twin_digests
from benchwright.tracks.aicodereval.entry import BenchmarkEntry, StandIn, Weights
from benchwright.tracks.aicodereval.program import program_of
from benchwright.tracks.aicodereval.twins import Make, TwinRequest, TwinStore, make_twins

MAX_MODELS = 1000  # each may take two CPU minutes; most take two seconds


def make_stand_ins(
    entries: Iterable[BenchmarkEntry], *, note: Callable[[str], object], make: Make = make_twins
) -> None:
    """Create missing stand-ins; `note` is called before a slow creation.

    Raises DataError for an entry whose stand-ins cannot be created, PrerequisiteError if the required
    profile is not installed, and SandboxError.
    """
    wanted = [entry for entry in entries if entry.weights is Weights.stand_in]
    for entry in wanted:
        if not entry.stand_ins:
            _check_there(entry)
    tasks = _tasks((each, entry.task_id) for entry in wanted for each in entry.stand_ins)
    for name, why in make_requested([each for each, _ in tasks.values()], note=note, make=make).items():
        task = escaped_name(tasks[name][1])
        raise DataError(f"task {task}: {why}", hint=f"exclude it with --exclude {task}")


def make_requested(
    stand_ins: Iterable[StandIn], *, note: Callable[[str], object], make: Make = make_twins
) -> Mapping[str, str]:
    """Create missing stand-ins; return reasons of failures by id. Raises as `make_stand_ins`."""
    requests = [
        TwinRequest(id=each.id, kind=each.kind, inputs=[[*group] for group in each.inputs])
        for each in stand_ins
    ]
    if not requests or not (lacking := TwinStore().lacking(requests)):
        return {}
    note(f"making small local stand-ins for {counted(len(lacking), 'model')}")
    return make(lacking)


def _tasks(needed: Iterable[tuple[StandIn, str]]) -> dict[str, tuple[StandIn, str]]:
    """Stand-ins by id, each with the first task that needs it."""
    found: dict[str, tuple[StandIn, str]] = {}
    for each, task in needed:
        first, earlier = found.setdefault(each.id, (each, task))
        if first != each:
            both = f"tasks {escaped_name(earlier)} and {escaped_name(task)}"
            message = f"{both} need two different stand-ins of {escaped_name(each.id)}"
            raise DataError(message, hint="they are from two releases: use each release separately")
    if len(found) > MAX_MODELS:
        message = f"the tasks need stand-ins of {len(found):,} models; at most {MAX_MODELS} are made"
        raise DataError(message, hint="use fewer tasks at once: --limit N")
    return found


def _check_there(entry: BenchmarkEntry) -> None:
    """Raise DataError if stand-ins of an earlier release, which does not describe them, are missing."""
    program = program_of(entry)
    if not any(name in program for name in twin_digests(entry.environment)):
        task = escaped_name(entry.task_id)
        raise DataError(
            f"task {task}: the stand-ins of its models are not on this machine, and its release, which is of "
            "an earlier version, does not say how they are made",
            hint=f"build its drafts here with `build aicodereval`, or leave it out with --exclude {task}",
        )
