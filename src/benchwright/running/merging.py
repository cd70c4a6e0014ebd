"""Merge runs of disjoint parts of one data set into the folder that one run over all of them would make.

Nothing is asked or judged: rows are joined in canonical order, byte for byte, and scored. The runs must share
their identity, except for the tasks, and their rules of judging.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from shutil import copyfileobj
from typing import Any

from benchwright.contracts import Asking, Holding, Track
from benchwright.display.escape import escaped_path
from benchwright.errors import RunError, UsageError, command_name
from benchwright.progress import Silent, Watcher, stage
from benchwright.records import Score, SelfCheck, Task, TaskId
from benchwright.running.amounts import REPLAY
from benchwright.running.options import RunOptions, check_name, weighted
from benchwright.running.parts import RunPart, common_identity, read_part
from benchwright.running.plan import Plan
from benchwright.running.reading import open_run
from benchwright.running.run_data import HINT, Given, RunData, check_given, data_of, given_data
from benchwright.running.scoring import score
from benchwright.running.stored_coverage import PLAIN, stored_holding
from benchwright.running.task_choice import FIELD, part_of
from benchwright.sandbox.limits import Limits
from benchwright.store import kept_tasks
from benchwright.store.runfolder import RunFolder, utc_now
from benchwright.store.writing import Head, PlacedRow, placed_rows, replacing

MERGED = "merged"  # the field of run.json that says of which runs the folder is made
Order = Callable[[Head], int]


def merge(
    out: str | Path,
    runs: Sequence[str | Path],
    *,
    data: str | Path | None = None,
    watcher: Watcher | None = None,
) -> Score:
    """Create the folder `out` from finished runs, and score it. The same call again completes a killed one.

    `data` is the data set, where the runs do not keep it. Raises RunError for runs that are not parts of one
    run: different settings, a task in two of them, an unfinished run. It names the runs and the reason.
    """
    check_name("the folder to make", str(out))
    _check_names(Path(out), runs)
    parts = [read_part(open_run(path)) for path in runs]
    identity = common_identity(parts)
    found = _data(parts, given_data([] if data is None else [data]))
    tasks = found.tasks()
    chosen = _chosen(parts, tasks)
    excluded = identity.get("excluded", [])
    identity |= part_of(chosen, tasks, excluded)
    with _open(Path(out), parts, identity) as folder:
        plan = _plan(folder, parts, tasks, chosen, found)
        _fill(folder, parts, plan, watcher or Silent())
        result = score(plan, folder, _self_check(parts))
        if folder.write_json("scores.json", result) or "finished" not in folder.manifest:
            folder.note(finished=utc_now())
    return result


def _check_names(out: Path, runs: Sequence[str | Path]) -> None:
    if len(runs) < 2:
        message = f"{escaped_path(out)} is the folder to make, and only one run is named to make it of"
        raise UsageError(message, hint=f"{command_name()} merge NEW RUN RUN")
    seen: set[Path] = set()
    for run in map(Path, runs):
        real = run.resolve()
        if real == out.resolve():
            message = f"{escaped_path(out)} is one of the runs to merge: it would be written over"
            raise UsageError(message, hint="name a new folder first, then the runs")
        if real in seen:
            raise UsageError(f"{escaped_path(run)} is named twice", hint="name each run once")
        seen.add(real)


def _data(parts: Sequence[RunPart], given: Given) -> RunData:
    """Return the data set of all parts: the given one, or that of the first run that has it."""
    check_given(given, [part.folder for part in parts])
    found = [data_of(part.folder, given) for part in parts]
    for each in found:
        if not each.absent:
            return each
    raise RunError(f"the order of the tasks is not known: {found[0].absent}", hint=HINT)


def _chosen(parts: Sequence[RunPart], tasks: Mapping[TaskId, Task]) -> list[TaskId]:
    """Return the tasks of all parts, in the data set's order."""
    for part in parts:
        if strange := part.tasks - tasks.keys():
            message = f"{escaped_path(part.folder.path)} has answers to task {min(map(str, strange))}"
            raise RunError(f"{message}, which the data set has not", hint="name the data set: --data PATH")
    chosen = {task_id for part in parts for task_id in (*part.tasks, *part.unanswered)}
    return [task_id for task_id in tasks if task_id in chosen]


def _open(out: Path, parts: Sequence[RunPart], identity: dict[str, Any]) -> RunFolder:
    first = parts[0].folder.manifest
    manifest = {
        **{name: value for name, value in first.items() if name not in ("finished", FIELD, "judged_anew")},
        "identity": identity,
        "started": min(str(part.folder.manifest.get("started", "")) for part in parts),
        FIELD: _told(parts),
        MERGED: [_origin(part) for part in parts],
    }
    folder = RunFolder.open(out, manifest, mode="either")
    if MERGED not in folder.manifest:
        folder.close()
        message = f"{escaped_path(out)} holds a run of its own, not one that was merged"
        raise RunError(message, hint="choose another folder")
    return folder


def _origin(part: RunPart) -> dict[str, Any]:
    manifest = part.folder.manifest
    kept = {name: manifest.get(name) for name in ("version", "jail", "host", "started", "finished")}
    return {"run": str(part.folder.path), "count": len(part.tasks), **kept}


def _told(parts: Sequence[RunPart]) -> Any:
    """Return the tasks entry of run.json. Tasks are left out where one run has withheld them."""
    told = [part.folder.manifest.get(FIELD) for part in parts]
    return next(filter(None, told), None) if all(told) else None


def _plan(
    folder: RunFolder,
    parts: Sequence[RunPart],
    tasks: dict[TaskId, Task],
    chosen: Sequence[TaskId],
    data: RunData,
) -> Plan:
    """Return the plan of the merged run, with the parts that a score needs."""
    identity = folder.manifest["identity"]
    prompts = identity.get("prompts") or {}
    asking = Asking(api="completions" if prompts.get("form") == "base" else "chat")
    form = identity["form"] if identity["form"] != "default" else None
    track: Track = data.track if form is None else data.track.in_form(form)
    profiles = [identity["profile"], *_other_profiles(parts, identity["profile"])]
    options = RunOptions(
        track=identity["track"],
        data=str(data.source),
        model=folder.manifest["model"],
        n=identity["n"],
        ks=_ks(parts, track),
        profiles=tuple(profiles),
        form=form,
        exclude=tuple(identity["excluded"]),
        tasks=tuple(map(str, chosen)),
        prompts=prompts.get("design", "row"),
        language=prompts.get("language"),
        asking=asking,
        weights=identity.get("weights"),
        limits=Limits(**identity["limits"]),
    )
    model = _model(folder.manifest["model"], identity["model"], parts)
    return Plan(options, weighted(track, options.weights), tasks, model, asking)


def _other_profiles(parts: Sequence[RunPart], own: str) -> list[str]:
    """Return the other profiles by which all runs were judged."""
    common = set.intersection(*(set(part.profiles) for part in parts))
    return [name for name in parts[0].profiles if name in common and name != own]


def _ks(parts: Sequence[RunPart], track: Track) -> tuple[int, ...] | None:
    """Return the k of pass@k in the runs' scores."""
    family = track.measures.family
    if family is None:
        return None
    return tuple(
        sorted(
            {
                int(name.rpartition("@")[2])
                for part in parts
                for name in part.score.metrics
                if family.covers(name)
            }
        )
    )


def _self_check(parts: Sequence[RunPart]) -> SelfCheck:
    checks = [part.score.self_check for part in parts]
    return SelfCheck(
        gold_passed=sum(each.gold_passed for each in checks),
        gold_total=sum(each.gold_total for each in checks),
        stub_passed=sum(each.stub_passed for each in checks),
        stub_total=sum(each.stub_total for each in checks),
        kept=sum(each.kept for each in checks),
        since=min((each.since for each in checks if each.since), default=""),
        canaries=sum(each.canaries for each in checks),
    )


def _model(spec: str, identity: Mapping[str, Any], parts: Sequence[RunPart]) -> _AnsweredModel:
    """Return the model of the parts; for stored answers, with the number for each task."""
    if not spec.startswith(REPLAY):
        return _AnsweredModel(spec, identity)
    counts = {task_id: count for part in parts for task_id, count in part.counts.items()}
    told = next((held for part in parts if (held := stored_holding(part.score.details))), None)
    held = told or Holding(shape=PLAIN, answers=sum(counts.values()), tasks=len(counts))
    return _StoredModel(spec, identity, counts, held)


class _AnsweredModel:
    """The model of finished runs: it has an identity, and answers nothing."""

    def __init__(self, spec: str, identity: Mapping[str, Any]) -> None:
        self.spec, self._identity = spec, identity
        scheme = spec.partition(":")[0]
        self.reads_prompts = scheme not in ("replay", "gold", "stub")
        self.deterministic = scheme in ("gold", "stub")

    def identity(self) -> Mapping[str, Any]:
        """Return the identity in the runs."""
        return self._identity

    def samples(self, task: Task) -> int | None:
        """Return None: the runs have the counts."""
        return None

    def answer(self, prompts: object, tasks: object) -> Iterator[Any]:
        """Yield nothing: all answers exist."""
        raise UsageError("a merged run has its answers", hint="give the runs' own command to ask more")


class _StoredModel(_AnsweredModel):
    """The model of finished runs of stored answers, with a number of answers for each task."""

    def __init__(
        self, spec: str, identity: Mapping[str, Any], counts: Mapping[TaskId, int], held: Holding
    ) -> None:
        super().__init__(spec, identity)
        self._counts, self._held = counts, held

    def samples(self, task: Task) -> int | None:
        """Return the number in the runs; 0 where their file has none."""
        return self._counts.get(task.task_id, 0)

    def holding(self) -> Holding:
        """Return the facts about the file in the runs' scores."""
        return self._held


# The files of the folder: each is replaced in one step, so a merge that was killed is done by the same call.


def _fill(folder: RunFolder, parts: Sequence[RunPart], plan: Plan, watch: Watcher) -> None:
    def order(head: Head) -> int:
        return plan.rank(head.task_id, head.sample)

    paths = [(folder.answers_path, [part.folder.answers_path for part in parts])]
    for profile in plan.profiles:
        sources = [part.folder.verdicts_path(profile) for part in parts]
        paths.append((folder.verdicts_path(profile), sources))
    with stage(watch, "rows", total=plan.total * len(paths), done=0):
        for target, sources in paths:
            _interleave(target, sources, order, watch)
    for name in ("self_check.jsonl", "events.jsonl"):
        _concatenate(folder.path / name, [part.folder.path / name for part in parts])
    if folder.manifest.get(FIELD):
        _copy_tasks(folder, parts)


def _interleave(target: Path, sources: Sequence[Path], order: Order, watch: Watcher) -> None:
    """Write the rows of files in canonical order into one file. Holds one row of each."""
    with replacing(target) as file:
        for row in heapq.merge(*(placed_rows(path, order) for path in sources), key=_rank):
            file.write(row.line)
            watch.tick(None)


def _rank(row: PlacedRow) -> int:
    return row.rank


def _concatenate(target: Path, sources: Sequence[Path]) -> None:
    there = [source for source in sources if source.exists()]
    if not there:
        return
    with replacing(target) as file:
        for source in there:
            with source.open("rb") as rows:
                copyfileobj(rows, file)


def _copy_tasks(folder: RunFolder, parts: Sequence[RunPart]) -> None:
    """Copy the data set from one of the runs. Raises RunError where no copy is complete."""
    told, target = folder.manifest[FIELD], folder.path / kept_tasks.NAME
    for part in parts:
        source = part.folder.path / kept_tasks.NAME
        if part.folder.manifest.get(FIELD) == told and kept_tasks.is_whole(source, told):
            with source.open("rb") as rows, replacing(target) as file:
                copyfileobj(rows, file)
            return
    kept_tasks.check(parts[0].folder.path / kept_tasks.NAME, told)
