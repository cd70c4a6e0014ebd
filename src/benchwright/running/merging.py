"""Merge finished runs of different tasks: check that they are parts of one run, then join their files."""

from __future__ import annotations

import heapq
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from shutil import copyfileobj
from typing import Any, NamedTuple

from benchwright.contracts import JudgedAnswer, RequestOptions, StoredAnswersSummary, Track
from benchwright.display.escape import escaped_name, escaped_path
from benchwright.errors import RunError, UsageError, command_name
from benchwright.progress import Silent, Watcher, stage
from benchwright.records import Score, SelfCheck, Task, TaskId, Verdict
from benchwright.running.options import FIELD, REPLAY, RunOptions, check_name, part_of, with_weights
from benchwright.running.plan import Plan
from benchwright.running.prompt_files import prompt_of
from benchwright.running.run_data import (
    HINT,
    DataByHash,
    RunData,
    check_given,
    data_by_hash,
    data_of,
    open_run,
    profiles_of,
    read_score,
)
from benchwright.running.score_notes import PLAIN, stored_holding, unanswered_in
from benchwright.running.scoring import score
from benchwright.sandbox.limits import Limits
from benchwright.store import task_snapshot
from benchwright.store.keys import JUDGES, RULES, content_key, differences
from benchwright.store.runfolder import RunFolder, utc_now
from benchwright.store.writing import Head, PlacedRow, placed_rows, read_records, replacing

MERGED = "merged"  # the field of run.json with the merged runs
# Fields of run.json that are not copied from the merged runs.
_OF_ONE_PART = ("finished", "judged_anew", "planned", FIELD)
AnswerOrder = Callable[[Head], int]


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
    found = _data(parts, data_by_hash([] if data is None else [data]))
    tasks = found.tasks()
    task_ids = _tasks_in_order(parts, tasks)
    excluded = identity.get("excluded", [])
    identity |= part_of(task_ids, tasks, excluded)
    with _open_folder(Path(out), parts, identity) as folder:
        plan = _plan(folder, parts, tasks, task_ids, found)
        _fill(folder, parts, plan, watcher or Silent())
        result = score(plan, folder, _self_check(parts))
        if folder.write_json("scores.json", result) or "finished" not in folder.manifest:
            folder.note(finished=utc_now())
    return result


def _check_names(out: Path, runs: Sequence[str | Path]) -> None:
    if len(runs) < 2:
        message = f"{escaped_path(out)} is the new folder, and only one run is given to merge"
        raise UsageError(message, hint=f"{command_name()} merge NEW RUN RUN")
    seen: set[Path] = set()
    for run in map(Path, runs):
        real = run.resolve()
        if real == out.resolve():
            message = f"{escaped_path(out)} is one of the runs to merge and would be overwritten"
            raise UsageError(message, hint="name a new folder first, then the runs")
        if real in seen:
            raise UsageError(f"{escaped_path(run)} is given twice", hint="name each run once")
        seen.add(real)


def _data(parts: Sequence[RunPart], given: DataByHash) -> RunData:
    """Return the data set of all parts: the given one, or that of the first run that has it."""
    check_given(given, [part.folder for part in parts])
    found = [data_of(part.folder, given) for part in parts]
    for each in found:
        if not each.absent:
            return each
    raise RunError(f"the order of the tasks is unknown: {found[0].absent}", hint=HINT)


def _tasks_in_order(parts: Sequence[RunPart], tasks: Mapping[TaskId, Task]) -> list[TaskId]:
    """Return the tasks of all parts, in the data set's order."""
    for part in parts:
        if strange := part.tasks - tasks.keys():
            message = f"{escaped_path(part.folder.path)} has answers to task {min(map(str, strange))}"
            raise RunError(f"{message}, which is not in the data set", hint="name the data set: --data PATH")
    task_ids = {task_id for part in parts for task_id in (*part.tasks, *part.unanswered)}
    return [task_id for task_id in tasks if task_id in task_ids]


def _open_folder(out: Path, parts: Sequence[RunPart], identity: dict[str, Any]) -> RunFolder:
    first = parts[0].folder.manifest
    manifest = {
        **{name: value for name, value in first.items() if name not in _OF_ONE_PART},
        "identity": identity,
        "started": min(str(part.folder.manifest.get("started", "")) for part in parts),
        FIELD: _common_facts(parts),
        MERGED: [_origin(part) for part in parts],
    }
    folder = RunFolder.open(out, manifest, mode="either")
    if MERGED not in folder.manifest:
        folder.close()
        message = f"{escaped_path(out)} holds another run, not a merged one"
        raise RunError(message, hint="choose another folder")
    return folder


def _origin(part: RunPart) -> dict[str, Any]:
    manifest = part.folder.manifest
    facts = {name: manifest.get(name) for name in ("version", "jail", "host", "started", "finished")}
    return {"run": str(part.folder.path), "count": len(part.tasks), **facts}


def _common_facts(parts: Sequence[RunPart]) -> Any:
    """Return the tasks entry of run.json. Tasks are left out where one run has withheld them."""
    entries = [part.folder.manifest.get(FIELD) for part in parts]
    return next(filter(None, entries), None) if all(entries) else None


def _plan(
    folder: RunFolder,
    parts: Sequence[RunPart],
    tasks: dict[TaskId, Task],
    task_ids: Sequence[TaskId],
    data: RunData,
) -> Plan:
    """Return the plan of the merged run, with the parts that a score needs."""
    identity = folder.manifest["identity"]
    prompts, own_prompt = identity.get("prompts") or {}, prompt_of(identity)
    api, prices = "completions" if prompts.get("form") == "base" else "chat", identity.get("prices")
    price_in, price_out = prices or (None, None)
    asking = RequestOptions(api=api, price_in=price_in, price_out=price_out)
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
        tasks=tuple(map(str, task_ids)),
        prompts=None if own_prompt else prompts.get("design", "row"),
        prompt=own_prompt,
        language=prompts.get("language"),
        asking=asking,
        weights=identity.get("weights"),
        limits=Limits(**identity["limits"]),
    )
    model = _model(folder.manifest["model"], identity["model"], parts)
    return Plan(options, with_weights(track, options.weights), tasks, model, asking)


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
    stored = next((summary for part in parts if (summary := stored_holding(part.score.details))), None)
    summary = stored or StoredAnswersSummary(shape=PLAIN, answers=sum(counts.values()), tasks=len(counts))
    return _StoredModel(spec, identity, counts, summary)


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
        raise UsageError("a merged run asks nothing", hint="run the command of a part to ask more")


class _StoredModel(_AnsweredModel):
    """The model of finished runs of stored answers, with a number of answers for each task."""

    def __init__(
        self,
        spec: str,
        identity: Mapping[str, Any],
        counts: Mapping[TaskId, int],
        summary: StoredAnswersSummary,
    ) -> None:
        super().__init__(spec, identity)
        self._counts, self._summary = counts, summary

    def samples(self, task: Task) -> int | None:
        """Return the number in the runs; 0 where their file has none."""
        return self._counts.get(task.task_id, 0)

    def holding(self) -> StoredAnswersSummary:
        """Return the facts about the file in the runs' scores."""
        return self._summary


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


def _interleave(target: Path, sources: Sequence[Path], order: AnswerOrder, watch: Watcher) -> None:
    """Write the rows of files in canonical order into one file. Holds one row of each."""
    with replacing(target) as file:
        for row in heapq.merge(*(placed_rows(path, order) for path in sources), key=_rank):
            file.write(row.line)
            watch.tick(None)


def _rank(row: PlacedRow) -> int:
    return row.rank


def _concatenate(target: Path, sources: Sequence[Path]) -> None:
    existing_files = [source for source in sources if source.exists()]
    if not existing_files:
        return
    with replacing(target) as file:
        for source in existing_files:
            with source.open("rb") as rows:
                copyfileobj(rows, file)


def _copy_tasks(folder: RunFolder, parts: Sequence[RunPart]) -> None:
    """Copy the data set from one of the runs. Raises RunError where no copy is complete."""
    entry, target = folder.manifest[FIELD], folder.path / task_snapshot.NAME
    for part in parts:
        source = part.folder.path / task_snapshot.NAME
        if part.folder.manifest.get(FIELD) == entry and task_snapshot.is_whole(source, entry):
            with source.open("rb") as rows, replacing(target) as file:
                copyfileobj(rows, file)
            return
    task_snapshot.check(parts[0].folder.path / task_snapshot.NAME, entry)


_HASH = re.compile(r"\b([0-9a-f]{8})[0-9a-f]{24,}\b")
_SHOWN = 3
_AGAIN = "its run's command again ends it"
_ALONE = {  # options of a run that concern all of its answers together
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
    for field, reason in _ALONE.items():
        if identity.get(field):
            raise RunError(f"{place} cannot be merged: {reason}", hint="leave it out")
    if (folder.path / "votes.jsonl").exists():
        reason = "people have judged its answers: merge runs before people judge them"
        raise RunError(f"{place} cannot be merged: {reason}", hint="leave it out")
    if not found.self_check.holds:
        raise RunError(f"{place}: self-check failed, so its verdicts prove nothing", hint=_AGAIN)
    counts = Counter(head.task_id for head in read_records(folder.answers_path, Head))
    tasks, unanswered = set(counts), tuple(unanswered_in(found.details))
    selection = identity.get(FIELD)
    if selection and selection.get("key") != content_key(sorted(map(str, {*tasks, *unanswered}))):
        message = f"{place} has answers to tasks that it was not run for ({len(tasks):,})"
        raise RunError(message, hint="restore it from a copy, or run this part again")
    if found.missing:
        message = f"{place} lacks {found.missing:,} answers or verdicts because of infrastructure errors"
        raise RunError(
            message, hint=f"run its command again, which retries them; then {command_name()} merge"
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
    text = "; ".join(_HASH.sub(r"\1…", each) for each in differing[:_SHOWN])
    more = len(differing) - _SHOWN
    return f"{text}; and {more} more" if more > 0 else text


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
    shared_tasks = number if len(common) == 1 else f"{len(common):,} tasks, {number} among them,"
    ends = _judged_answers(one, common), _judged_answers(other, common)
    if ends[0] == ends[1]:
        message = f"{_names(one, other)} both have {shared_tasks} with the same verdicts"
        raise RunError(message, hint="use one of the two, or run parts without common tasks: --tasks 1/2")
    differing = min((key for key in ends[0] if ends[0][key] != ends[1].get(key)), key=str, default=None)
    detail = ""
    if differing is not None:
        first, second = (_outcome(each.get(differing)) for each in ends)
        answer = f"answer {differing[1]} to task {escaped_name(str(differing[0]))}"
        detail = f": {answer} is {first} in the first and {second} in the second"
    message = f"{_names(one, other)} both have {shared_tasks} and disagree{detail}"
    raise RunError(message, hint=f"inspect both before you use either: {command_name()} show RUN TASK")


def _judged_answers(part: RunPart, tasks: set[TaskId]) -> dict[tuple[TaskId, int], JudgedAnswer]:
    return {
        (verdict.task_id, verdict.sample): JudgedAnswer.of(verdict, "")
        for verdict in read_records(part.folder.verdicts_path(), Verdict)
        if verdict.task_id in tasks
    }


def _outcome(judged: JudgedAnswer | None) -> str:
    return "not judged" if judged is None else judged.outcome.value


def _names(one: RunPart, other: RunPart) -> str:
    return f"{escaped_path(one.folder.path)} and {escaped_path(other.folder.path)}"
