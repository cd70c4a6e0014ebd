"""Options of a run, and checks of their values."""

from __future__ import annotations

from collections.abc import Mapping
from math import fsum, inf

from benchwright import registry
from benchwright.contracts import Agent, Asking, Conversing, Model, Track, Weighted
from benchwright.display.escape import escaped_path
from benchwright.display.wording import joined
from benchwright.errors import DataError, UsageError
from benchwright.records import Record, Task, TaskId
from benchwright.sandbox.limits import Limits

MAX_CPU_S = 86_400.0
MAX_MEMORY_MB = 1 << 20
SELF_CHECKS = ("kept", "full")
MOST_ROUNDS = 10


class JudgeOptions(Record, frozen=True, kw_only=True):
    """The models that judge, the number of votes for one answer, and how all of them are asked."""

    specs: tuple[str, ...] = ()
    votes: int | None = None  # None: once
    schema: bool = True  # whether the JSON schema of the reply is sent, where a model takes one
    asking: Asking = Asking(options="--judge-")


class RunOptions(Record, frozen=True, kw_only=True):
    """Options of a run. None leaves the choice to the track or the model."""

    track: str
    data: str
    model: str
    name: str = ""  # what tables and pages call the run; empty: the model's own name
    fields: tuple[str, ...] = ()  # columns of stored answers: MINE=OURS
    n: int | None = None  # answers to each question
    ks: tuple[int, ...] | None = None  # for pass@k
    profiles: tuple[str, ...] = ("strict",)  # the first one scores; the others are judged beside it
    form: str | None = None  # how execution is judged: "calls" or "batch"
    exclude: tuple[str, ...] = ()  # task ids
    tasks: tuple[str, ...] = ()  # which part of the data set, see `task_choice`; all where it is empty
    limit: int | None = None  # only so many tasks, the first ones
    prompts: str | None = None  # "spread", "all" or "row": see `prompting`
    language: str | None = None  # of the prompts: "ru" or "en"
    asking: Asking = Asking()  # how a live model is asked
    agent: str | None = None  # leads a conversation about each task: see `contracts.Agent`
    rounds: int | None = None  # of the agent at most
    weights: dict[str, float] | None = None  # of an answer's parts in its total, where the track has one
    limits: Limits = Limits()
    judges: JudgeOptions = JudgeOptions()  # which models assess the answers
    jail: str = "auto"
    self_check: str = "kept"  # "kept": what an earlier run on this machine proved holds; "full": all anew
    keep_tasks: bool = True  # False: nothing of the tasks goes into the run folder


class AgentSettings(Record, frozen=True, kw_only=True):
    """An agent with the most rounds that it asks after the first answer. It is part of a run's identity."""

    name: str
    rounds: int

    def text(self) -> str:
        """Describe it for people."""
        return f"{self.name}, at most {self.rounds} round{'s' if self.rounds > 1 else ''}"

    def open(self) -> Agent:
        """Return the agent itself."""
        agent: Agent = registry.find("agent", self.name)
        return agent


def settle_agent(options: RunOptions, track: Track, model: Model) -> AgentSettings | None:
    """Return the agent that the options name. Raises UsageError where it cannot work."""
    if options.agent is None:
        if options.rounds is not None:
            raise UsageError(f"--rounds {options.rounds}: no agent asks again", hint="add --agent repair")
        return None
    agent: Agent = registry.find("agent", options.agent)
    rounds = agent.rounds if options.rounds is None else options.rounds
    if not 1 <= rounds <= MOST_ROUNDS:
        message = f"--rounds {rounds}: must be from 1 to {MOST_ROUNDS}"
        raise UsageError(message, hint=f"--rounds {agent.rounds}")
    agent.check(track)
    if not (isinstance(model, Conversing) and "history" in model.takes):
        message = f"--agent {options.agent}: {model.spec} cannot go on with a conversation"
        raise UsageError(message, hint="use a chat interface: --model openai:NAME --api chat")
    if agent.tools and not options.keep_tasks:
        message = f"--agent {options.agent}: results of its tools may quote tasks, which are to be left out"
        raise UsageError(message, hint="leave --agent or --without-tasks out")
    return AgentSettings(name=options.agent, rounds=rounds)


def check_name(what: str, name: str) -> None:
    """Raise UsageError for an empty name, and for one that is not UTF-8: JSON cannot hold it."""
    if not name:
        raise UsageError(f"{what}: the name is empty", hint="is a variable of the shell unset?")
    try:
        name.encode()
    except UnicodeEncodeError:
        message = f"{what} {escaped_path(name)}: the name is not UTF-8, so no run folder could record it"
        raise UsageError(message, hint="rename it, or make a link to it with another name") from None


def check_self_check(wanted: str) -> None:
    """Raise UsageError for an unknown kind of self-check."""
    if wanted not in SELF_CHECKS:
        raise UsageError(f"--self-check {wanted!r}: there is no such way", hint="--self-check full")


def check_limits(limits: Limits) -> None:
    """Raise UsageError for limits that no clock or kernel can enforce. NaN fails each comparison."""
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


def weighted(track: Track, weights: Mapping[str, float] | None) -> Track:
    """Return the track with these weights of an answer's parts, normalized to 1. Raises UsageError."""
    if weights is None:
        return track
    if not isinstance(track, Weighted):
        message = f"--weights: answers to {track.name} have no total that could be weighted"
        raise UsageError(message, hint="leave --weights out")
    hint = "--weights " + ",".join(f"{name}={weight:.2g}" for name, weight in track.weights.items())
    if set(weights) != set(track.weights):
        raise UsageError(f"--weights: must name {joined(track.weights)}, each once", hint=hint)
    whole = fsum(weights.values())
    if not all(0 <= weight < inf for weight in weights.values()) or not 0 < whole < inf:
        raise UsageError("--weights: must be numbers from 0 on, one of them more than 0", hint=hint)
    return track.weighing({name: round(weights[name] / whole, 9) for name in track.weights})


def first_tasks(named: Mapping[TaskId, Task], options: RunOptions) -> dict[TaskId, Task]:
    """Return the first `limit` of the selected tasks."""
    if not named:
        raise DataError("the data set has no tasks", hint="check the path given with --data")
    if options.limit is None:
        return dict(named)
    if options.limit < 1:
        raise UsageError(f"--limit {options.limit}: at least 1 task is needed", hint="--limit 5")
    return dict(list(named.items())[: options.limit])
