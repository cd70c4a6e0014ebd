"""What a run will do, settled before anything is asked or executed: tasks, model, n, k, limits, folder."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import msgspec

import benchwright
from benchwright import registry
from benchwright.contracts import CallSpec, Model, Track
from benchwright.errors import DataError, UsageError
from benchwright.models.spec import parse_model
from benchwright.records import Record, Task, TaskId
from benchwright.sandbox.jail import choose_jail, python_version
from benchwright.sandbox.limits import Limits
from benchwright.store.files import shown
from benchwright.store.keys import content_key
from benchwright.store.sources import data_hash
from benchwright.tracks.profiles import check_profile

MAX_CPU_S = 86_400.0
MAX_MEMORY_MB = 1 << 20
JUDGING = 1  # raised whenever the same answer may get another verdict than before


class Options(Record, frozen=True, kw_only=True):
    """What a caller may choose about a run; None leaves the choice to the track or the model."""

    track: str
    data: str
    model: str
    n: int | None = None  # answers a task
    ks: tuple[int, ...] | None = None  # for pass@k
    profiles: tuple[str, ...] = ("strict",)  # the first one scores; the others are judged beside it
    form: str | None = None  # how execution is judged: "calls" or "batch"
    exclude: tuple[str, ...] = ()  # task ids
    limits: Limits = Limits()
    jail: str = "auto"


class Plan:
    """A settled run. `tasks` keeps the data set's order; sample s of task t has rank t * n + s."""

    def __init__(self, options: Options, track: Track, data: Mapping[TaskId, Task], model: Model) -> None:
        self.options, self.track, self.model = options, track, model
        self.data = data  # every task of the data set, the excluded ones too: stored answers may name them
        self.tasks = tasks = _without(data, options.exclude)
        self.profiles, self.limits = tuple(dict.fromkeys(options.profiles)), options.limits
        self.jail = choose_jail(options.jail)
        self.n = _settle_n(options.n, model, track, tasks)
        self.ks = _settle_ks(options.ks, self.n, track)
        self.identity = self._identity()
        self._positions = {task_id: position for position, task_id in enumerate(tasks)}
        self._specs: dict[tuple[TaskId, str], CallSpec] = {}

    def _identity(self) -> dict[str, Any]:
        """All that decides the answers and the verdicts. Two runs of equal identity are the same run."""
        return {
            "track": self.track.name,
            "form": self.options.form or "default",
            "data": data_hash(self.options.data),
            "excluded": sorted(self.options.exclude),
            "model": dict(self.model.identity()),
            "n": self.n,
            "profile": self.profiles[0],
            "limits": msgspec.to_builtins(self.limits),
            "judging": JUDGING,
            "python": ".".join(python_version().split(".")[:2]),
        }

    @property
    def total(self) -> int:
        """How many answers the run has when it is done."""
        return len(self.tasks) * self.n

    def rank(self, task_id: TaskId, sample: int) -> int:
        """The place of an answer in the finished files."""
        return self._positions[task_id] * self.n + sample

    def spec(self, task: Task, profile: str) -> CallSpec:
        """What judges this task, made once."""
        key = (task.task_id, profile)
        if key not in self._specs:
            spec = self.track.spec(task, profile=profile)
            limit = self.limits.cpu_s if spec.cpu_limit_s is None else spec.cpu_limit_s
            self._specs[key] = msgspec.structs.replace(spec, cpu_limit_s=limit)
        return self._specs[key]

    def manifest(self) -> dict[str, Any]:
        """The content of run.json: identity, and what may differ between equal runs."""
        return {
            "identity": self.identity,
            "model": self.model.spec,
            "version": benchwright.__version__,
            "data": str(self.options.data),
            "jail": self.jail,
            "host": {"system": platform.platform(), "cores": os.cpu_count(), "python": python_version()},
        }

    def default_folder(self) -> Path:
        """Named by what is run, so that the same command a second time continues the first."""
        name = re.sub(r"[^A-Za-z0-9._-]+", "-", self.model.spec.split("/")[-1]).strip("-.")[:40]
        return Path("runs") / f"{self.track.name}-{name}-{content_key(self.identity)[:8]}"


def make_plan(options: Options) -> Plan:
    """Load and check all inputs. Raises UsageError, DataError or PrerequisiteError; nothing is written."""
    check_name("--data", str(options.data))
    check_name("--model", options.model)
    _check_limits(options.limits)
    track: Track = registry.find("track", options.track)
    if options.form is not None:
        track = track.in_form(options.form)
    for profile in options.profiles:
        check_profile(profile)
    tasks = {task.task_id: task for task in track.load(options.data)}
    return Plan(options, track, tasks, parse_model(options.model, track=track, tasks=tasks))


def check_name(what: str, name: str) -> None:
    """Refuse a name that no JSON can hold: one with bytes that are not UTF-8."""
    try:
        name.encode()
    except UnicodeEncodeError:
        message = f"{what} {shown(name)}: the name is not UTF-8, so no run folder could record it"
        raise UsageError(message, hint="rename it, or make a link to it with another name") from None


def _check_limits(limits: Limits) -> None:
    """Refuse what no clock and no kernel can hold an answer to; NaN fails each comparison."""
    if not 0 < limits.cpu_s <= MAX_CPU_S:
        raise UsageError(
            f"--cpu-limit {limits.cpu_s:g}: must be more than 0 and at most {MAX_CPU_S:g} seconds",
            hint="--cpu-limit 3",
        )
    if not 0 < limits.memory_mb <= MAX_MEMORY_MB:
        raise UsageError(
            f"--memory-limit {limits.memory_mb}: must be more than 0 and at most {MAX_MEMORY_MB} MiB",
            hint="--memory-limit 1024",
        )


def _without(tasks: Mapping[TaskId, Task], exclude: Sequence[str]) -> dict[TaskId, Task]:
    known = {str(task_id) for task_id in tasks}
    for name in exclude:
        if name not in known:
            near = get_close_matches(name, known, 1, cutoff=0)
            hint = f"the nearest task is {near[0]}" if near else "the data set is empty"
            raise UsageError(f"--exclude {name!r}: the data set has no such task", hint=hint)
    left = {task_id: task for task_id, task in tasks.items() if str(task_id) not in exclude}
    if not left:
        raise DataError("the data set has no tasks", hint="check the path given with --data")
    return left


def _settle_n(n: int | None, model: Model, track: Track, tasks: Mapping[TaskId, Task]) -> int:
    held = [count for task in tasks.values() if (count := model.samples(task)) is not None]
    if held and min(held) == 0:
        task = next(task for task in tasks.values() if model.samples(task) == 0)
        raise UsageError(
            f"{model.spec} holds no answer to task {task.task_id}",
            hint="leave the tasks without answers out with --exclude TASK",
        )
    if n is None:
        return min(held, default=1 if model.deterministic else track.default_n)
    if n < 1:
        raise UsageError(f"--n {n}: at least 1 answer a task is needed")
    if held and min(held) < n:
        task = next(task for task in tasks.values() if model.samples(task) == min(held))
        raise UsageError(
            f"--n {n}: {model.spec} holds only {min(held)} answers to task {task.task_id}",
            hint=f"--n {min(held)}",
        )
    return n


def _settle_ks(ks: Sequence[int] | None, n: int, track: Track) -> tuple[int, ...]:
    if ks is None:
        return tuple(k for k in track.ks if k <= n)
    for k in ks:
        if k < 1:
            raise UsageError(f"pass@{k} has no meaning: k is a number of answers", hint="--k 1")
        if k > n:
            raise UsageError(
                f"pass@{k} needs at least {k} answers to each task, and n is {n}", hint=f"--n {k}"
            )
    return tuple(ks)
