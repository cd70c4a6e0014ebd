"""Base class of tracks, and the check of a scoring profile's name."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from benchwright.contracts import Question, Track, TrackDefaults
from benchwright.errors import UsageError, nearest_hint
from benchwright.records import Task
from benchwright.registry import TrackDeclaration
from benchwright.tracks.prompt_templates import fill, questions, wordings_in
from benchwright.tracks.rows import Fields, Refuse, load_tasks, row_of


class TrackBase(TrackDefaults, Track):
    """A track with one form and one answer per task, whose prompts are in `prompts/KIND_LANGUAGE.toml`.

    `class Mine(TrackBase, declaration=MINE)` takes its name, title, profiles and forms from a declaration;
    without one, the class sets them itself. A subclass adds `read_row`, `prompt`, `gold`, `stub`, `extract`,
    `spec` and `measures`, and `prompt_values` or `questions`.
    """

    name: str
    title: str
    profiles: tuple[str, ...] = ("strict",)
    forms: tuple[str, ...] = ()
    default_n = 1
    ks: tuple[int, ...] = ()
    temperature = 0.0
    language = "en"
    executes = False
    prompt_kind = ""  # KIND of the files with its prompts

    def __init_subclass__(cls, declaration: TrackDeclaration | None = None) -> None:
        super().__init_subclass__()
        if declaration is not None:
            cls.name, cls.title = declaration.name, declaration.title
            cls.profiles, cls.forms = declaration.profiles, declaration.forms

    def in_form(self, form: str) -> Track:
        """The track itself for one of its forms. Raises UsageError for another form."""
        if form not in self.forms:
            several = f"its forms are: {', '.join(self.forms)}"
            only = f"its only form is: {self.forms[0]}" if self.forms else "leave --form out"
            raise UsageError(
                f"{self.name} has no form {form!r}", hint=several if len(self.forms) > 1 else only
            )
        return self

    def read_row(self, fields: Fields) -> Task:
        """Read a task from a row. Raises DataError with file, line, field and hint."""
        raise NotImplementedError

    def load(self, source: str | Path, *, refuse: Refuse | None = None) -> Iterator[Task]:
        """Read and check a data set; `refuse`, if given, is called with the error of each invalid row."""
        return load_tasks(source, self.read_row, refuse=refuse)

    def prompt_values(self, task: Task, *, language: str, form: str) -> Mapping[str, Any]:
        """Values of the fields in the prompts."""
        return task.inputs

    def questions(self, task: Task, *, language: str, form: str) -> list[Question]:
        """All prompts of a task, always in the same order."""
        wordings = wordings_in(self.prompt_kind, language=language, form=form)
        values = self.prompt_values(task, language=language, form=form)
        return questions(wordings, values, language=language)


class MeraTrack(TrackBase):
    """A track of rows in MERA's format: instruction, inputs, outputs and meta."""

    def prompt(self, task: Task) -> str:
        """The row's instruction, filled in and stripped like MERA does."""
        return fill(task.instruction, task.inputs).strip()

    def to_row(self, task: Task) -> dict[str, Any]:
        """The row of a task."""
        return row_of(task)


def require_profile(profile: str, known: Collection[str], *, track: str = "") -> str:
    """Return the profile's name if it is known. Raises UsageError with the nearest name, or all names.

    `track` is the name of the track in the message; empty if the profiles are those of several tracks.
    """
    if profile in known:
        return profile
    problem = f"{track} has no scoring profile" if track else "unknown scoring profile"
    raise UsageError(f"{problem} {profile!r}", hint=nearest_hint(profile, known))
