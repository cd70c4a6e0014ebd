"""Prompt designs: which of a track's prompt variants each task is asked with.

spread  Task i of the data set gets variant i modulo the number of variants. Costs as much as one prompt.
        The score is that of prompts in general. Variants cannot be compared: each has other tasks.
all     Each task gets each variant (a crossed design). Costs a multiple: the number of variants.
        Separates the effect of the prompt from that of the task.
row     Each task gets the text in its own row.
file    Each task gets the user's own template (`prompt_files`).
"""

from __future__ import annotations

from collections.abc import Mapping

from benchwright.asking.ask import reads_prompts
from benchwright.contracts import Model, Question, Track, with_defaults
from benchwright.errors import UsageError
from benchwright.records import Record, Task, TaskId
from benchwright.running.options import RunOptions
from benchwright.running.prompt_files import FILE, PromptFile, check_fields

DESIGNS = ("spread", "all", "row")


class PromptDesign(Record, frozen=True, kw_only=True):
    """The settled design. `positions` count the whole data set, so leaving a task out moves no other."""

    design: str
    language: str = ""
    form: str = ""  # "chat" or "base"
    variants: tuple[str, ...] = ("",)
    positions: dict[TaskId, int] = {}
    wordings: int = 1  # version of the texts
    file: PromptFile | None = None  # the template of the design "file"

    @property
    def has_one_text(self) -> bool:
        """Return whether all tasks get one text, so that there are no figures by prompt."""
        return self.design in ("row", FILE)

    @property
    def ways(self) -> int:
        """The number of variants for each task."""
        return len(self.variants) if self.design == "all" else 1

    def identity(self) -> dict[str, object]:
        """Return its part of a run's identity; empty for "row", where the data set decides."""
        if self.design == "row":
            return {}
        if self.file is not None:
            return {"prompts": {**self.file.identity(), "form": self.form}}
        version = {"wordings": self.wordings} if self.wordings > 1 else {}
        return {"prompts": {"design": self.design, "language": self.language, "form": self.form, **version}}

    def variant(self, task_id: TaskId, way: int) -> str:
        """Return the name of a task's variant number `way`, counted from 0."""
        if self.design == "spread":
            return self.variants[self.positions[task_id] % len(self.variants)]
        return self.variants[way]

    def questions(self, track: Track, task: Task) -> list[Question]:
        """Return the `ways` questions about a task."""
        if self.design == "row":
            return [Question(variant="", text=track.prompt(task))]
        if self.file is not None:
            return [Question(variant=self.file.name, text=self.file.fill(track, task, form=self.form))]
        offered = track.questions(task, language=self.language, form=self.form)
        by_name = {question.variant: question for question in offered}
        return [by_name[self.variant(task.task_id, way)] for way in range(self.ways)]


def _of_file(
    options: RunOptions, prompt: PromptFile, track: Track, data: Mapping[TaskId, Task], *, form: str
) -> PromptDesign:
    """Return the design of a prompt file. Raises UsageError for options that it excludes."""
    for option, value in (("--prompts", options.prompts), ("--language", options.language)):
        if value is not None:
            message = f"{option} {value}: --prompt gives the text of the prompt"
            raise UsageError(message, hint=f"leave {option} out")
    check_fields(prompt, track, data.values(), form=form)
    return PromptDesign(design=FILE, form=form, variants=(prompt.name,), file=prompt)


def check_design(design: str | None) -> None:
    """Raise UsageError for an unknown design."""
    if design is not None and design not in DESIGNS:
        raise UsageError(f"unknown prompt design {design!r}", hint=f"one of: {', '.join(DESIGNS)}")


def settle_prompting(
    options: RunOptions, track: Track, data: Mapping[TaskId, Task], model: Model, *, form: str
) -> PromptDesign:
    """Return the design: by default "spread" for a model that reads its prompts, else "row"."""
    if options.prompt is not None:
        return _of_file(options, options.prompt, track, data, form=form)
    design = options.prompts or ("spread" if reads_prompts(model) else "row")
    if design == "row":
        if options.language is not None:
            raise UsageError(
                f"--language {options.language}: the prompts are in the data set",
                hint="add --prompts spread, or leave --language out",
            )
        return PromptDesign(design=design)
    language = options.language or track.language
    first = next(iter(data.values()))
    variants = tuple(question.variant for question in track.questions(first, language=language, form=form))
    positions = {task_id: position for position, task_id in enumerate(data)}
    return PromptDesign(
        design=design,
        language=language,
        form=form,
        variants=variants,
        positions=positions,
        wordings=with_defaults(track).wordings,
    )
