"""What a run will do, settled before anything is asked or executed: tasks, model, prompts, n, k, folder."""

from __future__ import annotations

import os
import platform
import unicodedata
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from benchwright import registry
from benchwright.asking.ask import reads_prompts
from benchwright.asking.parameters import check_asking, settled
from benchwright.contracts import Asking, Model, Question, Spec, Track, Weighted, with_defaults
from benchwright.display.escape import escaped_name
from benchwright.errors import DataError, UsageError
from benchwright.models.spec import parse_model
from benchwright.records import Record, Task, TaskId
from benchwright.running.amounts import fields_of, settle_amounts
from benchwright.running.model_judges import settle_judges
from benchwright.running.options import (
    RunOptions,
    check_limits,
    check_name,
    check_self_check,
    first_tasks,
    settle_agent,
    weighted,
)
from benchwright.running.refusing import refusals, without_refused
from benchwright.running.task_choice import named_tasks, part_of
from benchwright.sandbox.jail import choose_jail, python_version
from benchwright.store.keys import ADDRESS, content_key, ending_with, without_rules
from benchwright.store.sources import data_hash
from benchwright.tracks.known_profile import known_profile
from benchwright.version import VERSION

# What run folders are called when nobody says.

_PLAIN = "._-"
_CHARACTERS, _BYTES = 40, 120  # of a name's middle: a file system takes 255 bytes in all


def short_key(identity: Mapping[str, Any]) -> str:
    """Eight hex digits for a run; the same whichever version of the rules judges it."""
    return content_key(without_rules(identity))[:8]


def folder_name(track: str, spec: str, identity: Mapping[str, Any]) -> str:
    """The name of a run folder: letters and digits of any script, and what no shell acts on."""
    return f"{track}-{_plain(spec.rsplit('/', maxsplit=1)[-1])}-{short_key(identity)}"


def _plain(text: str) -> str:
    """The text with `-` for what is no letter, digit or mark of one, cut to what a file name can hold."""
    letters = "".join(each if _is_plain(each) else " " for each in unicodedata.normalize("NFC", text))
    name = "-".join(letters.split()).strip("-.")[:_CHARACTERS]
    return name.encode()[:_BYTES].decode(errors="ignore")


def _is_plain(character: str) -> bool:
    return character.isalnum() or character in _PLAIN or unicodedata.category(character).startswith("M")


# Prompt designs: in which of a track's prompt variants each task is asked.
#
#   spread  Task i of the data set gets variant i modulo the number of variants. Costs as much as one prompt.
#           The score is that of prompts in general; variants cannot be compared: each has its own tasks.
#   all     Each task gets each variant (a crossed design). Costs as many times more as there are variants,
#           and separates the effect of the prompt from that of the task.
#   row     Each task gets the text in its own row.

DESIGNS = ("spread", "all", "row")


class Prompting(Record, frozen=True, kw_only=True):
    """The settled choice. `positions` count the whole data set, so leaving a task out moves no other."""

    design: str
    language: str = ""
    form: str = ""  # "chat" or "base"
    variants: tuple[str, ...] = ("",)
    positions: dict[TaskId, int] = {}
    wordings: int = 1  # version of the texts

    @property
    def ways(self) -> int:
        """In how many variants each task is asked."""
        return len(self.variants) if self.design == "all" else 1

    def identity(self) -> dict[str, object]:
        """What a run's identity says of it; nothing for "row", where the data set decides."""
        if self.design == "row":
            return {}
        version = {"wordings": self.wordings} if self.wordings > 1 else {}
        return {"prompts": {"design": self.design, "language": self.language, "form": self.form, **version}}

    def variant(self, task_id: TaskId, way: int) -> str:
        """The name of the variant that is a task's `way`-th, counted from 0."""
        if self.design == "spread":
            return self.variants[self.positions[task_id] % len(self.variants)]
        return self.variants[way]

    def questions(self, track: Track, task: Task) -> list[Question]:
        """What is asked about a task, `ways` questions long."""
        if self.design == "row":
            return [Question(variant="", text=track.prompt(task))]
        offered = track.questions(task, language=self.language, form=self.form)
        by_name = {question.variant: question for question in offered}
        return [by_name[self.variant(task.task_id, way)] for way in range(self.ways)]


def check_design(design: str | None) -> None:
    """Refuse a design that there is not."""
    if design is not None and design not in DESIGNS:
        raise UsageError(f"no design of prompts is named {design!r}", hint=f"one of: {', '.join(DESIGNS)}")


def settle_prompting(
    options: RunOptions, track: Track, data: Mapping[TaskId, Task], model: Model, *, form: str
) -> Prompting:
    """The choice that the options leave: "spread" for a model that reads its prompts, else "row"."""
    design = options.prompts or ("spread" if reads_prompts(model) else "row")
    if design == "row":
        if options.language is not None:
            raise UsageError(
                f"--language {options.language}: the prompts are the data set's own",
                hint="add --prompts spread, or leave --language out",
            )
        return Prompting(design=design)
    language = options.language or track.language
    first = next(iter(data.values()))
    variants = tuple(question.variant for question in track.questions(first, language=language, form=form))
    positions = {task_id: position for position, task_id in enumerate(data)}
    return Prompting(
        design=design,
        language=language,
        form=form,
        variants=variants,
        positions=positions,
        wordings=with_defaults(track).wordings,
    )


# What a run will do, settled before anything is asked or executed: tasks, model, prompts, n, k, folder.

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
        self, options: RunOptions, track: Track, data: Mapping[TaskId, Task], model: Model, asking: Asking
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
        self.judges = settle_judges(options, track)
        amounts = settle_amounts(options.n, model, track, first, data=data, ways=self.prompting.ways)
        self.n, self.counts = amounts.n, amounts.counts
        self.unanswered = [task_id for task_id in first if not self.counts[task_id]]
        self.tasks = {task_id: task for task_id, task in first.items() if self.counts[task_id]}
        self.a_task = self.n * self.prompting.ways
        self.ks = _settle_ks(options.ks, self.n, track)
        self.identity = self._identity(limited=len(first) < len(self.named))
        self.withheld = not options.keep_tasks  # nothing that a task holds goes into the run folder
        # Of an answer's key and a profile: these parts of the identity decide a verdict beside them.
        self.verdict_key = ending_with(*(self.identity[name] for name in _DECIDING))
        self._positions = {task_id: position for position, task_id in enumerate(self.tasks)}
        self._specs: dict[tuple[TaskId, str], Spec] = {}

    def _identity(self, *, limited: bool) -> dict[str, Any]:
        """All that decides the answers and the verdicts. Two runs of equal identity are the same run.

        Prompts, agent and limit are there only where they are used: so a run of an earlier version goes on.
        """
        return {
            "track": self.track.name,
            "form": self.options.form or "default",
            "data": data_hash(self.options.data),
            "excluded": sorted(self.options.exclude),
            **part_of(self.named, self.data, self.options.exclude),
            **({"limit": self.options.limit} if limited else {}),
            **self.prompting.identity(),
            **({"weights": self.weights} if self.weights else {}),
            **({"agent": msgspec.to_builtins(self.agent)} if self.agent else {}),
            "model": dict(self.model.identity()),
            "n": self.n,
            "profile": self.profiles[0],
            "limits": msgspec.to_builtins(self.limits),
            "judging": with_defaults(self.track).judging or JUDGING,
            "python": ".".join(python_version().split(".")[:2]),
        }

    def go_on(self, identity: Mapping[str, Any], *, withheld: bool) -> None:
        """Take up a run that is there: its answers' keys, and so their seeds, name the model as it does.

        Earlier versions named its address too.
        """
        self.identity = {**self.identity, "model": identity["model"]}
        self.withheld = withheld

    @property
    def total(self) -> int:
        """How many answers the run has when it is done."""
        return sum(self.counts[task_id] for task_id in self.tasks)

    @property
    def live(self) -> bool:
        """Whether the model is asked for new answers, which depend on what it is asked."""
        return reads_prompts(self.model)

    def rank(self, task_id: TaskId, sample: int) -> int:
        """The place of an answer in the finished files."""
        if (position := self._positions.get(task_id)) is None:
            raise DataError(
                f"a row of the run names task {escaped_name(str(task_id))}, which its data has not",
                hint="give the run its own data, or remove that row",
            )
        return position * self.a_task + sample

    def variant(self, task_id: TaskId, sample: int) -> str:
        """The name of the prompt that an answer is to; empty for a row's own."""
        return self.prompting.variant(task_id, sample // self.n)

    def spec(self, task: Task, profile: str) -> Spec:
        """What judges this task, made once."""
        key = (task.task_id, profile)
        if key not in self._specs:
            self._specs[key] = self.track.spec(task, profile=profile)
        return self._specs[key]

    def manifest(self) -> dict[str, Any]:
        """The content of run.json: identity, and what may differ between equal runs."""
        return {
            "identity": self.identity,
            "model": self.model.spec,
            **({NAME: self.options.name} if self.options.name else {}),
            "version": VERSION,
            "data": str(self.options.data),
            **({ADDRESS: self.address} if self.address else {}),
            "jail": self.jail,
            "host": {"system": platform.platform(), "cores": os.cpu_count(), "python": python_version()},
        }

    @property
    def address(self) -> str:
        """Where the model is served; empty for one that is not."""
        return str(getattr(self.model, ADDRESS, ""))

    def default_folder(self) -> Path:
        """Named by what is run, so that the same command a second time continues the first."""
        return Path("runs") / folder_name(self.track.name, self.model.spec, self.identity)


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
    track = weighted(track, options.weights)
    for profile in options.profiles:
        known_profile(profile, track.profiles)
    tasks = {task.task_id: task for task in track.load(options.data)}
    options = without_refused(options, refusals(track, tasks))
    asking = settled(options.asking, track)
    model = parse_model(options.model, track=track, tasks=tasks, asking=asking, **fields_of(options))
    plan = Plan(options, track, tasks, model, asking)
    plan.jail = choose_jail(options.jail)
    return plan


def _other_weights(track: Track) -> dict[str, float]:
    """The weights of the total where they are not the track's own; else empty: identities leave those out."""
    if not isinstance(track, Weighted):
        return {}
    own = registry.find("track", track.name).weights
    same = all(abs(track.weights[name] - weight) < _ALIKE for name, weight in own.items())
    return {} if same else dict(track.weights)


def _form(asking: Asking) -> str:
    """In which form the API takes a question: as a message, or as a text to go on from."""
    return "chat" if asking.api == "chat" else "base"


def _settle_ks(ks: Sequence[int] | None, n: int, track: Track) -> tuple[int, ...]:
    if ks is None:
        return tuple(k for k in track.ks if k <= n)
    family = track.measures.family
    figure = family.at if family else "--k {}".format
    for k in ks:
        if k < 1:
            raise UsageError(f"{figure(k)} has no meaning: k is a number of answers", hint="--k 1")
        if k > n:
            message = f"{figure(k)} needs at least {k} answers to a task, and n is {n}"
            raise UsageError(message, hint=f"--n {k}")
    return tuple(ks)
