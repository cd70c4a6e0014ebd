"""Options of a run, settled one by one: limits, weights, agent, tasks, and the number of answers to each
task.

--tasks and --exclude choose tasks. A part of a data set is identified by its tasks, not by how it was chosen:

    HumanEval/7      the task with this id
    HumanEval/1*     ids that match a shell pattern
    40:80            positions in the data set from 0, without the last, as in a Python slice
    2/8              the second of eight shares: every eighth task, so shares take about equally long
    @ids.txt         a file with one of these a line; empty lines and lines that start with # are skipped
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from math import fsum, inf
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from benchwright import registry
from benchwright.contracts import (
    Agent,
    BatchableModel,
    ConversationalModel,
    Model,
    RepositoryTrack,
    RequestOptions,
    Track,
    WeightedTrack,
    with_defaults,
)
from benchwright.display.escape import escaped_name, escaped_path
from benchwright.display.wording import counted, joined
from benchwright.errors import DataError, UsageError, nearest
from benchwright.records import Record, Task, TaskId
from benchwright.running.prompt_files import PromptFile
from benchwright.sandbox.limits import Limits
from benchwright.store.files import locate, open_binary
from benchwright.store.keys import content_key
from benchwright.store.lines import scan_lines

MAX_CPU_S = 86_400.0
MAX_MEMORY_MB = 1 << 20
SELF_CHECKS = ("kept", "full")
MOST_ROUNDS = 10


class JudgeOptions(Record, frozen=True, kw_only=True):
    """The models that judge, the number of votes for one answer, and how all of them are asked."""

    specs: tuple[str, ...] = ()
    votes: int | None = None  # None: once
    schema: bool = True  # whether the JSON schema of the reply is sent, where a model takes one
    asking: RequestOptions = RequestOptions(options="--judge-")


class RunOptions(Record, frozen=True, kw_only=True):
    """Options of a run. None leaves the choice to the track or the model."""

    track: str
    data: str
    model: str
    name: str = ""  # the run's name in tables and pages; empty: the model's name
    columns: tuple[str, ...] = ()  # columns of the data set: COLUMN=FIELD
    values: tuple[str, ...] = ()  # fields of all tasks: FIELD=VALUE
    fields: tuple[str, ...] = ()  # columns of stored answers: MINE=OURS
    n: int | None = None  # answers to each question
    ks: tuple[int, ...] | None = None  # for pass@k
    profiles: tuple[str, ...] = ("strict",)  # the first one scores; the others are judged too
    form: str | None = None  # form of execution: "calls" or "batch"
    exclude: tuple[str, ...] = ()  # task ids
    tasks: tuple[str, ...] = ()  # which part of the data set, see `task_choice`; all where it is empty
    limit: int | None = None  # only the first N tasks
    prompts: str | None = None  # "spread", "all" or "row": see `prompting`
    language: str | None = None  # of the prompts: "ru" or "en"
    prompt: PromptFile | None = None  # the user's own prompt, in place of the track's
    asking: RequestOptions = RequestOptions()  # how a live model is asked
    agent: str | None = None  # leads a conversation about each task: see `contracts.Agent`
    rounds: int | None = None  # of the agent at most
    weights: dict[str, float] | None = None  # of an answer's parts in its total, where the track has one
    repositories: str | None = None  # folder of clones, where the track judges answers in repositories
    limits: Limits = Limits()
    judges: JudgeOptions = JudgeOptions()  # which models assess the answers
    jail: str = "auto"
    self_check: str = "kept"  # "kept": use proofs of earlier runs on this machine; "full": prove everything
    each_answer: bool = False  # execute answers that equal another one to the same task
    keep_tasks: bool = True  # False: the run folder contains no content of tasks


def default_profiles(track: str, form: str | None) -> tuple[str, ...]:
    """Return the default profiles of a track: strict, or all if judging executes nothing."""
    found: Track = registry.find("track", track)
    found = found.in_form(form) if form else found
    return ("strict",) if found.executes else found.profiles


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
            raise UsageError(f"--rounds {options.rounds}: --rounds needs an agent", hint="add --agent repair")
        return None
    agent: Agent = registry.find("agent", options.agent)
    rounds = agent.rounds if options.rounds is None else options.rounds
    if not 1 <= rounds <= MOST_ROUNDS:
        message = f"--rounds {rounds}: must be from 1 to {MOST_ROUNDS}"
        raise UsageError(message, hint=f"--rounds {agent.rounds}")
    agent.check(track)
    if not (isinstance(model, ConversationalModel) and "history" in model.takes):
        message = f"--agent {options.agent}: {model.spec} cannot continue a conversation"
        raise UsageError(message, hint="use a chat interface: --model openai:NAME --api chat")
    if agent.tools and not options.keep_tasks:
        message = f"--agent {options.agent}: tool results may quote tasks, which --without-tasks excludes"
        raise UsageError(message, hint="use only one of these options")
    return AgentSettings(name=options.agent, rounds=rounds)


def check_name(what: str, name: str) -> None:
    """Raise UsageError for an empty name, and for one that is not UTF-8: JSON cannot hold it."""
    if not name:
        raise UsageError(f"{what}: the name is empty", hint="is a shell variable unset?")
    try:
        name.encode()
    except UnicodeEncodeError:
        message = f"{what} {escaped_path(name)}: the name is not UTF-8, so no run folder could record it"
        raise UsageError(message, hint="rename it, or link it under another name") from None


def check_batches(asking: RequestOptions, model: Model) -> None:
    """Raise UsageError if the options ask for batches, which the model's provider lacks."""
    if asking.batch and not (isinstance(model, BatchableModel) and model.asks_in_batches):
        message = f"--batch: {model.spec} cannot be asked in batches"
        raise UsageError(message, hint="leave --batch out; openai: and anthropic: have batches")


def mapped_data(data: str, track: Track, *, columns: Sequence[str], values: Sequence[str]) -> str:
    """Return the data set as the track reads it, by a field map of COLUMN=FIELD and FIELD=VALUE."""
    return with_defaults(track).mapped(
        data,
        columns=_pairs(columns, "--map", "COLUMN=FIELD"),
        values=_pairs(values, "--set", "FIELD=VALUE"),
    )


def _pairs(given: Sequence[str], option: str, form: str) -> dict[str, str]:
    """Read NAME=TEXT of a repeatable option. Raises UsageError for another form and for a repeated name."""
    pairs: dict[str, str] = {}
    for each in given:
        name, equals, text = each.partition("=")
        if not (equals and name and text):
            raise UsageError(f"{option} {escaped_name(each)!r}: expected {form}", hint=f"{option} {form}")
        if name in pairs:
            message = f"{option} {escaped_name(each)!r}: {escaped_name(name)} is given twice"
            raise UsageError(message, hint="keep one of them")
        pairs[name] = text
    return pairs


def check_self_check(wanted: str) -> None:
    """Raise UsageError for an unknown kind of self-check."""
    if wanted not in SELF_CHECKS:
        raise UsageError(f"--self-check {wanted!r}: unknown self-check", hint="--self-check full")


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


def with_weights(track: Track, weights: Mapping[str, float] | None) -> Track:
    """Return the track with these weights of an answer's parts, normalized to 1. Raises UsageError."""
    if weights is None:
        return track
    if not isinstance(track, WeightedTrack):
        message = f"--weights: answers to {track.name} have no total to weight"
        raise UsageError(message, hint="leave --weights out")
    hint = "--weights " + ",".join(f"{name}={weight:.2g}" for name, weight in track.weights.items())
    if set(weights) != set(track.weights):
        raise UsageError(f"--weights: must name {joined(track.weights)}, each once", hint=hint)
    whole = fsum(weights.values())
    if not all(0 <= weight < inf for weight in weights.values()) or not 0 < whole < inf:
        raise UsageError("--weights: must be numbers of at least 0, one of them positive", hint=hint)
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


def with_repositories(track: Track, folder: str | None) -> Track:
    """Return the track with a folder of clones. Raises UsageError for a track that needs none."""
    if folder is None:
        return track
    if not isinstance(track, RepositoryTrack):
        message = f"--repositories: answers to {track.name} are not judged in repositories"
        raise UsageError(message, hint="leave --repositories out")
    return track.in_repositories(Path(folder))


FIELD = "tasks"  # of a run's identity
_PLACES = re.compile(r"(\d{0,9}):(\d{0,9})")
_SHARE = re.compile(r"(\d{1,9})/(\d{1,9})")
_MAX_NAME = 1 << 12


def named_tasks(
    data: Mapping[TaskId, Task], chosen: Sequence[str], excluded: Collection[str]
) -> dict[TaskId, Task]:
    """Return the chosen tasks without the excluded ones, in the data's order. Without a choice, all.

    Positions and shares count the whole data set, so excluding a task moves no other. Raises UsageError for a
    name that no task has.
    """
    ids = [str(task_id) for task_id in data]
    known = frozenset(ids)
    for name in excluded:
        if name not in known:
            raise _unknown_task("--exclude", name, ids)
    chosen_ids = (
        known if not chosen else {each for name in _names(chosen) for each in _matching_ids(name, ids, known)}
    )
    remaining_ids = chosen_ids.difference(excluded)
    if data and chosen and not remaining_ids:
        raise UsageError("--tasks: all chosen tasks are excluded", hint="leave --exclude out")
    return {task_id: task for task_id, task in data.items() if str(task_id) in remaining_ids}


def part_of(
    named: Collection[TaskId], whole: Collection[TaskId], excluded: Collection[str]
) -> dict[str, Any]:
    """Return the tasks' part of a run's identity; empty for all tasks except the excluded ones.

    A part is identified by its tasks, not by the way they were chosen.
    """
    if len(named) == len(whole) - len(set(excluded)):
        return {}
    return {FIELD: {"count": len(named), "key": content_key(sorted(map(str, named)))}}


def _names(choices: Sequence[str]) -> Iterator[str]:
    for name in choices:
        if name.startswith("@"):
            yield from _read_names(name[1:])
        else:
            yield name


def _read_names(name: str) -> Iterator[str]:
    if not name:
        raise UsageError("--tasks @: the name of the file is empty", hint="--tasks @ids.txt")
    path = locate(name)
    place = escaped_path(path)
    empty = True
    with open_binary(path) as stream:
        for line, _, data in scan_lines(stream, place, max_line=_MAX_NAME):
            try:
                text = data.decode()
            except UnicodeDecodeError:
                raise DataError(
                    "the line is not UTF-8", path=place, line=line, hint="write one task id a line"
                ) from None
            if not text.startswith("#"):
                empty = False
                yield text
    if empty:
        raise DataError("the file names no task", path=place, hint="write one task id a line")


def _matching_ids(name: str, ids: Sequence[str], known: Collection[str]) -> Sequence[str]:
    """Return the ids of one choice, at least one. An id that looks like a position or a pattern is an id."""
    if name in known:
        return [name]
    if places := _PLACES.fullmatch(name):
        first, last = (int(each) if each else None for each in places.groups())
        found = ids[first:last]
    elif share := _SHARE.fullmatch(name):
        found = _share(name, int(share[1]), int(share[2]), ids)
    else:
        found = [each for each in ids if fnmatchcase(each, name)]
    if not found:
        raise _unknown_task("--tasks", name, ids)
    return found


def _share(name: str, number: int, shares: int, ids: Sequence[str]) -> Sequence[str]:
    if not 1 <= number <= shares:
        requirement = f"the share must be from 1 to {shares}" if shares else "there must be at least 1 share"
        raise UsageError(f"--tasks {name}: {requirement}", hint=f"--tasks 1/{max(shares, 1)}")
    if shares > len(ids):
        message = f"--tasks {name}: the data set has only {counted(len(ids), 'task')}"
        raise UsageError(message, hint=f"--tasks 1/{len(ids)}")
    return ids[number - 1 :: shares]


def _unknown_task(option: str, name: str, ids: Sequence[str]) -> UsageError:
    near = nearest(name, ids, cutoff=0)
    hint = f"the nearest task is {near}" if near else "the data set is empty"
    if _PLACES.fullmatch(name):
        hint = f"the data set has {counted(len(ids), 'task')}: --tasks 0:{len(ids)}"
    noun = "such task" if option == "--exclude" else "task that this means"
    return UsageError(f"{option} {escaped_name(name)!r}: the data set has no {noun}", hint=hint)


REPLAY = "replay:"


class Amounts(NamedTuple):
    """`n`: answers to each question, the maximum of stored ones. `counts`: answers to each task."""

    n: int
    counts: dict[TaskId, int]


def fields_of(options: RunOptions) -> dict[str, Any]:
    """Return the --fields option for a model with stored answers. Raises UsageError for any other model."""
    if not options.fields:
        return {}
    if not options.model.startswith(REPLAY):
        message = f"--fields names columns of stored answers, and {options.model} has none"
        raise UsageError(message, hint="--model replay:FILE")
    return {"fields": options.fields}


def settle_amounts(
    n: int | None,
    model: Model,
    track: Track,
    tasks: Mapping[TaskId, Task],
    *,
    data: Mapping[TaskId, Task],
    ways: int,
) -> Amounts:
    """Return the requested number, or the track's default; for stored answers, all that exist.

    `n` counts over all `data`, so that runs of its parts can be merged.

    Raises UsageError for an impossible number, and DataError where no task has an answer.
    """
    if n is not None and n < 1:
        raise UsageError(f"--n {n}: at least 1 answer a task is needed", hint="--n 1")
    samples = {task_id: model.samples(task) for task_id, task in tasks.items()}
    stored = {task_id: count for task_id, count in samples.items() if count is not None}
    if not stored:
        amount = n or (1 if model.deterministic else track.default_n)
        return Amounts(amount, dict.fromkeys(tasks, amount * ways))
    most = max(stored.values())
    if most == 0:
        message = f"{model.spec} has no answers to any of the {counted(len(tasks), 'task')}"
        raise DataError(message, hint="check the file, or choose tasks that it answers: --tasks WHICH")
    if ways > 1:
        return _amounts_for_prompts(n, model, stored, ways)
    most = max(count for task in data.values() if (count := model.samples(task)) is not None)
    if n is not None and most < n:
        message = f"--n {n}: {model.spec} holds at most {counted(most, 'answer')} to a task"
        raise UsageError(message, hint=f"--n {most}")
    return Amounts(n or most, {task_id: min(n or most, count) for task_id, count in stored.items()})


def _amounts_for_prompts(n: int | None, model: Model, stored: Mapping[TaskId, int], ways: int) -> Amounts:
    """Amounts for --prompts all: stored answers match prompts only if all tasks have equally many."""
    task = min(stored, key=stored.__getitem__)
    least, most = stored[task], max(stored.values())
    if least < ways:
        message = (
            f"--prompts all: {ways} prompts need {ways} answers to each task, and {model.spec} holds only "
            f"{least} to task {task}"
        )
        raise UsageError(message, hint="--prompts row")
    if n is not None and least < n * ways:
        message = f"--n {n}: {model.spec} holds only {least} answers to task {task}"
        raise UsageError(message, hint=f"--n {least // ways}")
    if n is None and (least < most or least % ways):
        amount = f"{least} answers" if least == most else f"{least} to {most} answers"
        message = (
            f"--prompts all: {model.spec} holds {amount} a task, which {ways} prompts cannot share equally"
        )
        raise UsageError(
            message, hint=f"--n {least // ways}, to take the first {least // ways * ways} of each"
        )
    each = n or least // ways
    return Amounts(each, dict.fromkeys(stored, each * ways))


SHOWN = 5


def refusals(track: Track, tasks: Mapping[TaskId, Task]) -> dict[TaskId, str]:
    """Return the reason for each task that cannot be judged; empty for most tracks."""
    refusal = with_defaults(track).refusal
    return {task_id: reason for task_id, task in tasks.items() if (reason := refusal(task))}


def without_refused(options: RunOptions, refused: Mapping[TaskId, str]) -> RunOptions:
    """Return the options with these tasks excluded, as if by the user: run.json lists both."""
    excluded = dict.fromkeys([*options.exclude, *map(str, refused)])
    return msgspec.structs.replace(options, exclude=tuple(excluded)) if refused else options


def notes_on_refused(track: Track, data: Mapping[TaskId, Task]) -> list[str]:
    """Return the note on excluded tasks for a score."""
    refused = refusals(track, data)
    if not refused:
        return []
    reasons = "; ".join(f"{task_id}: {reason}" for task_id, reason in list(refused.items())[:SHOWN])
    more = f"; and {len(refused) - SHOWN:,} more" if len(refused) > SHOWN else ""
    return [
        f"{counted(len(refused), 'task')} of the data set left out, not to be judged here: {reasons}{more}"
    ]
