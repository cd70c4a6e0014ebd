"""Prompt files: a template of the user's own, in which each task's fields are filled in.

    Classify the ticket. Answer with one of: {labels}.

    {prompt}

A field is `{name}`; `{{` and `}}` are braces of the text itself. Every track has the field `prompt`, the text
of the row; the others are those of its own prompts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from benchwright.contracts import Track, with_defaults
from benchwright.display.escape import escaped_name, escaped_path
from benchwright.errors import DataError, UsageError, nearest_hint
from benchwright.records import Record, Task
from benchwright.tracks.prompt_templates import TemplateFault, fill, placeholders

FILE = "file"  # the name of this design in a run's identity
PROMPT = "prompt"  # the field with the text of the row
MAX_BYTES = 64 << 10
MAX_NAME = 100
MOST_FILES = 100


class PromptFile(Record, frozen=True, kw_only=True):
    """A template by the name of its file without the extension. `path` is for messages."""

    name: str
    text: str
    path: str = ""

    def identity(self) -> dict[str, str]:
        """Its part of a run's identity: the text, so that run.json holds what was asked."""
        return {"design": FILE, "name": self.name, "text": self.text}

    def fill(self, track: Track, task: Task, *, form: str) -> str:
        """The prompt of a task. Call it for tasks that `check_fields` has accepted."""
        return fill(self.text, fields_of(track, task, form=form))


def read_prompts(paths: Sequence[str]) -> list[PromptFile]:
    """Read prompt files. Raises DataError or UsageError, also for two files of one name."""
    if len(paths) > MOST_FILES:
        message = f"--prompt: {len(paths)} files exceed the limit of {MOST_FILES}"
        raise UsageError(message, hint="run them in several commands")
    by_name: dict[str, PromptFile] = {}
    for path in paths:
        read = read_prompt(path)
        if (other := by_name.setdefault(read.name, read)) is not read:
            both_paths = f"{other.path} and {read.path}"
            message = f"--prompt: {both_paths} have one name, and a run is named after its prompt"
            raise UsageError(message, hint="rename one of the files")
    return list(by_name.values())


def read_prompt(source: str | Path) -> PromptFile:
    """Read and check a template. Raises UsageError for a missing file, DataError with file, line and hint.

    One line end at the end of the file is not part of the prompt: editors add it.
    """
    path, place = Path(source), escaped_path(Path(source))
    data = _bytes_of(path, place)
    if len(data) > MAX_BYTES:
        hint = "a template has fields for what differs between tasks: {prompt}"
        raise DataError(f"the prompt file has more than {MAX_BYTES:,} bytes", path=place, hint=hint)
    try:
        text = data.decode().removeprefix("\ufeff").replace("\r\n", "\n").removesuffix("\n")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise DataError("is not UTF-8", path=place, line=line, hint="save the file as UTF-8") from None
    _check_name(path, place)
    _check_syntax(text, place)
    return PromptFile(name=path.stem, text=text, path=place)


def _bytes_of(path: Path, place: str) -> bytes:
    reason = "it is not a regular file"
    try:
        if path.is_file() or not path.exists():
            with path.open("rb") as file:
                return file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
    raise UsageError(f"--prompt {place}: cannot be read: {reason}", hint="name a text file")


def _check_name(path: Path, place: str) -> None:
    if path.stem.isprintable() and len(path.stem) <= MAX_NAME:
        return
    message = f"--prompt {place}: the name is not printable or has more than {MAX_NAME} characters"
    raise UsageError(message, hint="rename the file: its name is that of the run")


def _check_syntax(text: str, place: str) -> None:
    try:
        found = placeholders(text)
    except TemplateFault as error:
        hint = "double each brace of the text itself: {{ and }}"
        raise DataError(str(error), path=place, line=error.line, hint=hint) from None
    if not found:
        hint = "add {prompt}, the text of the task"
        message = "has no placeholder, so all tasks would get the same prompt"
        raise DataError(message, path=place, line=1, hint=hint)


def fields_of(track: Track, task: Task, *, form: str) -> dict[str, str]:
    """The text fields of a task: its own prompt, and the fields of its track's prompts."""
    values = with_defaults(track).prompt_values(task, language=track.language, form=form)
    texts = {name: value for name, value in values.items() if isinstance(value, str)}
    return {PROMPT: track.prompt(task), **texts}


def check_fields(prompt: PromptFile, track: Track, tasks: Iterable[Task], *, form: str) -> None:
    """Raise DataError for a placeholder that is not a field of each task."""
    found = placeholders(prompt.text)
    for task in tasks:
        known = fields_of(track, task, form=form)
        for name, line in found:
            if name not in known:
                raise _unknown_field(prompt, name, line, task, known)


def _unknown_field(
    prompt: PromptFile, name: str, line: int, task: Task, known: Mapping[str, str]
) -> DataError:
    fields = ", ".join(f"{{{each}}}" for each in known)
    near = nearest_hint(name, known, otherwise=" ").strip()
    detail = f"task {escaped_name(str(task.task_id))} has no such field"
    message = f"unknown placeholder {{{escaped_name(name)}}}: {detail}"
    hint = f"{near} the fields are: {fields}".strip()
    return DataError(message, path=prompt.path or prompt.name, line=line, hint=hint)


def prompt_of(identity: Mapping[str, Any]) -> PromptFile | None:
    """The prompt file in a run's identity; None for a run with other prompts."""
    found = identity.get("prompts")
    if not isinstance(found, Mapping) or found.get("design") != FILE:
        return None
    return msgspec.convert({name: found.get(name) for name in ("name", "text")}, PromptFile)


def run_name(model: str, prompt: str) -> str:
    """The name of one run of several prompts and several models."""
    return f"{model.removesuffix(':')}, {prompt}"
