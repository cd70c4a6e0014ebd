"""What each answer of a run was an answer to: the question and the gold, from the run's data set."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchwright import registry
from benchwright.contracts import Track
from benchwright.errors import RunError, UsageError, command_name
from benchwright.records import Answer, Task, TaskId
from benchwright.run.reading import is_there
from benchwright.store.files import quoted, shown
from benchwright.store.runfolder import RunFolder
from benchwright.store.sources import data_hash


class Questions:
    """The questions of a run. `note` says why they are not known; then each is empty."""

    def __init__(self, folder: RunFolder, data: str | Path | None) -> None:
        identity: dict[str, Any] = folder.manifest["identity"]
        prompts = identity.get("prompts")
        self._prompts: dict[str, Any] = prompts if isinstance(prompts, dict) else {}
        self._tasks: dict[TaskId, Task] = {}
        self._asked: tuple[TaskId | None, dict[str, str]] = (None, {})
        self._track: Track = registry.find("track", str(identity.get("track")))
        self.note = "" if _is_there(folder, data) else _note(folder)
        if not self.note:
            source = data if data is not None else str(folder.manifest["data"])
            self._tasks = {task.task_id: task for task in self._track.load(source)}

    @property
    def title(self) -> str:
        """The track's name for people."""
        return self._track.title

    def asked(self, answer: Answer) -> str:
        """The text that the model was given."""
        task = self._tasks.get(answer.task_id)
        if task is None:
            return ""
        if not answer.prompt:
            return self._track.prompt(task)
        if self._asked[0] != task.task_id:  # ten texts are made at a time, so those of one task are kept
            self._asked = (task.task_id, self._variants(task, answer.prompt))
        return self._asked[1].get(answer.prompt, "")

    def gold(self, answer: Answer) -> str:
        """The data set's own answer; empty where it holds none."""
        task = self._tasks.get(answer.task_id)
        return "" if task is None else self._track.gold(task) or ""

    def _variants(self, task: Task, name: str) -> dict[str, str]:
        """The texts of all variants. Stored answers may tell one that their run did not ask for, such as
        ru-03; then its name says the language, and how it was asked is taken to be the usual way."""
        language = str(self._prompts.get("language") or name.partition("-")[0])
        try:
            form = str(self._prompts.get("form") or "chat")
            listed = self._track.questions(task, language=language, form=form)
        except UsageError:  # such a variant is not known here
            return {}
        return {question.variant: question.text for question in listed}


def _is_there(folder: RunFolder, given: str | Path | None) -> bool:
    """Whether the run's data set can be read. One that was named and is another is a RunError."""
    wanted = folder.manifest["identity"].get("data")
    if given is not None:
        if data_hash(given) != wanted:
            message = f"{shown(given)} is not the data set of {shown(folder.path)}: its content is another"
            raise RunError(message, hint=f"the run was made with {shown(str(folder.manifest.get('data')))}")
        return True
    return is_there(str(folder.manifest.get("data")), str(wanted))


def _note(folder: RunFolder) -> str:
    source = shown(str(folder.manifest.get("data")))
    return (
        f"the data set {source} is not there any more, or has changed, so the log has no inputs and targets; "
        f"name it: {command_name()} export inspect {quoted(folder.path)} --data PATH --out FILE.eval"
    )
