"""The plan of a run, settled before anything is asked or executed: tasks, model, prompts, n, k, identity."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import msgspec

from benchwright import registry
from benchwright.asking.ask import reads_prompts
from benchwright.asking.parameters import check_asking, settle_asking
from benchwright.contracts import (
    GradersSpec,
    Model,
    RequestOptions,
    Spec,
    Track,
    WeightedTrack,
    with_defaults,
)
from benchwright.display.escape import escaped_name
from benchwright.errors import DataError, UsageError
from benchwright.models.spec import parse_model
from benchwright.records import Task, TaskId
from benchwright.running.options import (
    RunOptions,
    check_batches,
    check_limits,
    check_name,
    check_self_check,
    fields_of,
    first_tasks,
    mapped_data,
    named_tasks,
    part_of,
    refusals,
    settle_agent,
    settle_amounts,
    with_repositories,
    with_weights,
    without_refused,
)
from benchwright.running.prompt_files import run_name
from benchwright.running.prompting import check_design, settle_prompting
from benchwright.sandbox.jail import choose_jail, python_version
from benchwright.store.data_files import data_hash
from benchwright.store.field_map import MappedData
from benchwright.store.keys import ADDRESS, ending_with
from benchwright.tracks.base import require_profile
from benchwright.version import VERSION

if TYPE_CHECKING:
    from benchwright.running.model_judges import ModelJudge

NAME = "name"  # the field of run.json with what a suite calls the run
JUDGING = 3  # raised whenever the same answer may get another verdict than before
_ALIKE = 1e-6  # how far weights may be apart and be the same: 1/3 is written as 0.333333333
_DECIDING = ("form", "limits", "judging", "python")

__all__ = ["JUDGING", "Plan", "RunOptions", "check_name", "make_plan"]


class Plan:
    """A settled run. `tasks` keeps the data set's order, and `named` are those before any limit.

    `n` is the number of answers to each question, and `a_task` that of answers to each task, which is more
    where a task is asked in several ways. Sample s of task t has rank t * a_task + s. Of stored answers `n`
    is the most that a task has, `counts` is how many each one has, and `unanswered` are tasks without any.
    """

    def __init__(
        self,
        options: RunOptions,
        track: Track,
        data: Mapping[TaskId, Task],
        model: Model,
        asking: RequestOptions,
    ) -> None:
        self.options, self.track, self.model, self.asking = options, track, model, asking
        self.data = data  # every task of the data set, the excluded ones too: stored answers may name them
        self.named = named_tasks(data, options.tasks, options.exclude)
        first = first_tasks(self.named, options)
        self.profiles, self.limits = tuple(dict.fromkeys(options.profiles)), options.limits
        self.jail = ""  # chosen by `make_plan`: a plan that executes nothing has none
        self.prompting = settle_prompting(options, track, data, model, form=_form(asking))
        self.weights = _other_weights(track)
        self.agent = settle_agent(options, track, model)
        self.judges = _judges(options, track)
        amounts = settle_amounts(options.n, model, track, first, data=data, ways=self.prompting.ways)
        self.n, self.counts = amounts.n, amounts.counts
        self.unanswered = [task_id for task_id in first if not self.counts[task_id]]
        self.tasks = {task_id: task for task_id, task in first.items() if self.counts[task_id]}
        self.a_task = self.n * self.prompting.ways
        self.ks = _settle_ks(options.ks, self.n, track)
        self.identity = self._identity(limited=len(first) < len(self.named))
        self.withheld = not options.keep_tasks  # nothing that a task holds goes into the run folder
        # Parts of the identity that decide a verdict, in addition to the answer's key and a profile.
        self.verdict_key = ending_with(*(self.identity[name] for name in _DECIDING))
        self._positions = {task_id: position for position, task_id in enumerate(self.tasks)}
        self._specs: dict[tuple[TaskId, str], Spec] = {}

    def _identity(self, *, limited: bool) -> dict[str, Any]:
        """Return everything that decides answers and verdicts. Runs of equal identity are the same run.

        Prompts, agent and limit are present only where they are used, so runs of earlier versions resume.
        """
        measured = measured_in(self.track, self.data)
        return {
            "track": self.track.name,
            "form": self.options.form or "default",
            "data": data_hash(self.options.data),
            "excluded": sorted(self.options.exclude),
            **part_of(self.named, self.data, self.options.exclude),
            **({"limit": self.options.limit} if limited else {}),
            **self.prompting.identity(),
            **({"weights": self.weights} if self.weights else {}),
            **({"prices": self._prices()} if "cost" in measured else {}),
            **({"agent": msgspec.to_builtins(self.agent)} if self.agent else {}),
            "model": dict(self.model.identity()),
            "n": self.n,
            "profile": self.profiles[0],
            "limits": msgspec.to_builtins(self.limits),
            "judging": with_defaults(self.track).judging or JUDGING,
            "python": ".".join(python_version().split(".")[:2]),
        }

    def go_on(self, identity: Mapping[str, Any], *, withheld: bool) -> None:
        """Adopt the model identity of an existing run, which the keys and seeds of its answers contain.

        Earlier versions included the address of the model.
        """
        self.identity = {**self.identity, "model": identity["model"]}
        self.withheld = withheld

    @property
    def total(self) -> int:
        """The number of answers in the finished run."""
        return sum(self.counts[task_id] for task_id in self.tasks)

    @property
    def live(self) -> bool:
        """Whether the model is asked for new answers, which depend on the prompts."""
        return reads_prompts(self.model)

    def rank(self, task_id: TaskId, sample: int) -> int:
        """Return the position of an answer in the finished files."""
        if (position := self._positions.get(task_id)) is None:
            raise DataError(
                f"a row of the run names task {escaped_name(str(task_id))}, which is not in its data",
                hint="use the data of the run, or delete that row",
            )
        return position * self.a_task + sample

    def variant(self, task_id: TaskId, sample: int) -> str:
        """Return the name of an answer's prompt; empty for the row's own prompt."""
        return self.prompting.variant(task_id, sample // self.n)

    def spec(self, task: Task, profile: str) -> Spec:
        """Return the spec of a task, made once."""
        key = (task.task_id, profile)
        if key not in self._specs:
            self._specs[key] = self._with_prices(self.track.spec(task, profile=profile))
        return self._specs[key]

    def _with_prices(self, spec: Spec) -> Spec:
        """Return a spec with the prices of the run, where they decide verdicts."""
        if not isinstance(spec, GradersSpec) or spec.max_cost is None:
            return spec
        prices = {name: getattr(self.asking, name) for name in ("price_in", "price_out", "price_batch")}
        return msgspec.structs.replace(spec, **prices)

    def _prices(self) -> list[float | None]:
        """Return the prices that decide grades of cost; that of batches only if the run uses them."""
        batch = [self.asking.price_batch] if self.asking.batch else []
        return [self.asking.price_in, self.asking.price_out, *batch]

    def manifest(self) -> dict[str, Any]:
        """Return the content of run.json: the identity, and facts that may differ between equal runs."""
        return {
            "identity": self.identity,
            "model": self.model.spec,
            **({NAME: self.options.name} if self.options.name else {}),
            "version": VERSION,
            "data": str(self.options.data),
            **_map_of(self.options.data),
            **({ADDRESS: self.address} if self.address else {}),
            "jail": self.jail,
            "planned": self._planned_amounts(),
            "host": {"system": _system(), "cores": os.cpu_count(), "python": python_version()},
        }

    def _planned_amounts(self) -> dict[str, float]:
        """Return the number of answers, and the prices for a million tokens if they were given."""
        prices = {"price_in": self.asking.price_in, "price_out": self.asking.price_out}
        return {
            "answers": self.total,
            **{name: price for name, price in prices.items() if price is not None},
        }

    @property
    def address(self) -> str:
        """The address of the model's server; empty without a server."""
        return str(getattr(self.model, ADDRESS, ""))


def _system() -> str:
    """Return `platform.platform()`, which starts a program and reads the interpreter for it."""
    with suppress(ValueError, OSError):  # another libc than glibc
        name = os.uname()
        if libc := os.confstr("CS_GNU_LIBC_VERSION"):
            return f"{name.sysname}-{name.release}-{name.machine}-with-{libc.replace(' ', '')}"
    import platform  # noqa: PLC0415

    return platform.platform()


def make_plan(options: RunOptions) -> Plan:
    """Load and check all inputs. Raises UsageError, DataError or PrerequisiteError; nothing is written."""
    check_name("--data", str(options.data))
    check_name("--model", options.model)
    check_limits(options.limits)
    check_asking(options.asking)
    check_design(options.prompts)
    check_self_check(options.self_check)
    track: Track = registry.find("track", options.track)
    if options.form is not None:
        track = track.in_form(options.form)
    track = with_weights(track, options.weights)
    track = with_repositories(track, options.repositories)
    for profile in options.profiles:
        require_profile(profile, track.profiles)
    data = mapped_data(options.data, track, columns=options.columns, values=options.values)
    options = msgspec.structs.replace(options, data=data)
    if options.prompt is not None and not options.name:
        options = msgspec.structs.replace(options, name=run_name(options.model, options.prompt.name))
    tasks = {task.task_id: task for task in track.load(options.data)}
    options = without_refused(options, refusals(track, tasks))
    asking = settle_asking(options.asking, track)
    asking = msgspec.structs.replace(asking, timed="seconds" in measured_in(track, tasks))
    model = parse_model(options.model, track=track, tasks=tasks, asking=asking, **fields_of(options))
    check_batches(options.asking, model)
    plan = Plan(options, track, tasks, model, asking)
    plan.jail = choose_jail(options.jail)
    return plan


def _other_weights(track: Track) -> dict[str, float]:
    """Return the weights of the total where they differ from the track's own; else empty."""
    if not isinstance(track, WeightedTrack):
        return {}
    own = registry.find("track", track.name).weights
    is_same = all(abs(track.weights[name] - weight) < _ALIKE for name, weight in own.items())
    return {} if is_same else dict(track.weights)


def measured_in(track: Track, tasks: Mapping[TaskId, Task]) -> frozenset[str]:
    """Return the measurements of requests that decide verdicts: "cost", "seconds"."""
    measured = with_defaults(track).measured
    return frozenset().union(*map(measured, tasks.values()))


def _map_of(data: str) -> dict[str, Any]:
    """Return the field of run.json with the map by which a data set was read; empty without one."""
    if not isinstance(data, MappedData) or data.field_map.is_empty:
        return {}
    return {"field_map": msgspec.to_builtins(data.field_map)}


def _judges(options: RunOptions, track: Track) -> tuple[ModelJudge, ...]:
    if not options.judges.specs and options.judges.votes is None:
        return ()
    from benchwright.running.model_judges import settle_judges  # noqa: PLC0415 (few runs have any)

    return settle_judges(options, track)


def _form(asking: RequestOptions) -> str:
    """Return the form of questions for the API: a message, or a text to continue."""
    return "chat" if asking.api == "chat" else "base"


def _settle_ks(ks: Sequence[int] | None, n: int, track: Track) -> tuple[int, ...]:
    if ks is None:
        return tuple(k for k in track.ks if k <= n)
    family = track.measures.family
    figure = family.at if family else "--k {}".format
    for k in ks:
        if k < 1:
            raise UsageError(f"{figure(k)} is invalid: k must be at least 1", hint="--k 1")
        if k > n:
            message = f"{figure(k)} needs at least {k} answers to a task, and n is {n}"
            raise UsageError(message, hint=f"--n {k}")
    return tuple(ks)
